import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createFileEntry,
  digestBytes,
  type KnownFiles,
  type TreeEntry,
} from '../../src/domain/definitions/source-tree.ts';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import { createGitSource } from '../../src/reconcile/source/git-source.ts';
import { type CountedGit, createCountedGit } from '../helpers/counted-git.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';

const FILES = {
  'webhooks/a.yaml': 'a',
  'webhooks/b.yaml': 'b',
  'webhooks/large.yaml': 'x'.repeat(262_145),
  'automations/c/automation.md': 'c',
};

let repo: TempGitRepo;
let git: CountedGit;
let source: DefinitionSource;

beforeEach(async () => {
  repo = await createTempGitRepo({ bare: true });
  git = createCountedGit(repo.root);
  const { environment } = git;
  const mirrorDir = join(repo.root, 'mirror');
  source = createGitSource({
    url: repo.path,
    branch: 'main',
    path: '.',
    mirrorDir,
    pollIntervalMs: 60_000,
    environment,
  });
});

afterEach(async () => {
  await source.close();
  repo.remove();
});

async function read(revision: string, known?: KnownFiles): Promise<TreeEntry[]> {
  const answer = await source.readTree(revision, known);
  if (!answer.ok) throw new Error(answer.message);
  return answer.tree.entries;
}

/** Knows the files of a tree. */
function knownFrom(entries: readonly TreeEntry[]): KnownFiles {
  const digests = new Map(entries.map(({ path, digest }) => [path, digest]));
  return { has: (path, digest) => digests.get(path) === digest };
}

const contentsOf = (entries: readonly TreeEntry[]) => entries.map(({ path, content }) => [path, content]);

describe('A reader that knows files', () => {
  it('gets the bytes of new ones only', async () => {
    const before = await repo.commit(FILES);
    await source.fetch();
    const entries = await read(before);
    expect(contentsOf(entries)).toEqual([
      ['automations/c/automation.md', 'read'],
      ['webhooks/a.yaml', 'read'],
      ['webhooks/b.yaml', 'read'],
      ['webhooks/large.yaml', 'unread'],
    ]);
    const after = await repo.commit({ 'webhooks/a.yaml': 'changed', 'webhooks/b.yaml': null, 'webhooks/n.yaml': 'b' });
    await source.fetch();
    const changed = await read(after, knownFrom(entries));
    expect(contentsOf(changed)).toEqual([
      ['automations/c/automation.md', 'known'],
      ['webhooks/a.yaml', 'read'],
      ['webhooks/large.yaml', 'unread'],
      // Known under another path only.
      ['webhooks/n.yaml', 'read'],
    ]);
    expect(changed[1]).toEqual(createFileEntry('webhooks/a.yaml', new Uint8Array(Buffer.from('changed'))));
    expect(changed[0]).toEqual({ ...entries[0], content: 'known', bytes: null });
  });

  it('does not start git for blobs if it knows them all', async () => {
    const revision = await repo.commit(FILES);
    await source.fetch();
    const entries = await read(revision);
    git.takeCommands();
    expect(contentsOf(await read(revision, knownFrom(entries)))).toEqual(
      contentsOf(entries).map(([path, content]) => [path, content === 'read' ? 'known' : content]),
    );
    expect(git.takeCommands()).toEqual(['ls-tree']);
  });

  it('gets the same errors for a tree that is too large', async () => {
    const revision = await repo.commit(FILES);
    const mirrorDir = join(repo.root, 'small-mirror');
    const options = { url: repo.path, branch: 'main', path: '.', mirrorDir, pollIntervalMs: 60_000 };
    const small = createGitSource({ ...options, limits: { maxTreeBytes: 2 } });
    await small.fetch();
    const everything = { has: () => true };
    expect(await small.readTree(revision, everything)).toMatchObject({ ok: false, reason: 'TreeTooLarge' });
    await small.close();
  });
});

describe('git is started', () => {
  it('for a first read: version, tip, a new mirror, its commit, the tree, its blobs', async () => {
    const revision = await repo.commit(FILES);
    await source.fetch();
    await read(revision);
    expect(git.takeCommands()).toEqual(['version', 'ls-remote', 'init', 'fetch', 'cat-file', 'ls-tree', 'cat-file']);
  });

  it('once if nothing changed', async () => {
    await repo.commit(FILES);
    const first = await source.fetch();
    git.takeCommands();
    expect(await source.fetch()).toEqual(first);
    expect(git.takeCommands()).toEqual(['ls-remote']);
  });

  it('for a push: tip, new objects, the commit, the tree, new blobs; the history needs no other process', async () => {
    const before = await repo.commit(FILES);
    await source.fetch();
    const known = knownFrom(await read(before));
    git.takeCommands();
    const after = await repo.commit({ 'webhooks/a.yaml': 'changed' });
    expect(await source.fetch()).toEqual({ ok: true, revision: after });
    expect(await source.contains(after, before)).toBe('yes');
    expect((await read(after, known)).filter(({ content }) => content === 'read')).toHaveLength(1);
    expect(git.takeCommands()).toEqual(['ls-remote', 'fetch', 'cat-file', 'ls-tree', 'cat-file']);
  });
});

it('A local repository is read again after its mirror and its settings were deleted', async () => {
  const revision = await repo.commit(FILES);
  await source.fetch();
  rmSync(join(repo.root, 'mirror'), { recursive: true });
  await source.fetch();
  expect(await source.fetch()).toEqual({ ok: true, revision });
  expect(await read(revision)).toHaveLength(4);
  expect(readdirSync(join(repo.root, 'mirror')).sort()).toEqual(['gitconfig', 'mirror.git']);
});

it('A digest is the ID that git gives to the blob', async () => {
  for (const text of ['', 'a\n', 'ü\0']) {
    expect(digestBytes(Buffer.from(text))).toBe(await repo.git(['hash-object', '--stdin'], text));
  }
});
