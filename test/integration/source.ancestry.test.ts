import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import { createGitSource } from '../../src/reconcile/source/git-source.ts';
import { createLiveSource } from '../../src/reconcile/source/live-source.ts';
import { createManagedSource } from '../../src/reconcile/source/managed-source.ts';
import { startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function open(kind: 'local' | 'remote'): Promise<{ repo: TempGitRepo; source: DefinitionSource }> {
  const repo = await createTempGitRepo({ bare: true });
  endings.push(() => repo.remove());
  let url = repo.path;
  if (kind === 'remote') {
    const server = await startGitHttpServer({ root: repo.root });
    endings.push(() => server.close());
    url = `${server.url}/origin.git`;
  }
  const mirrorDir = join(repo.root, 'mirror');
  const source = createGitSource({ url, branch: 'main', path: '.', mirrorDir, pollIntervalMs: 60_000 });
  endings.push(() => source.close());
  return { repo, source };
}

async function fetchTip(source: DefinitionSource): Promise<string> {
  const fetched = await source.fetch();
  if (!fetched.ok) throw new Error(fetched.message);
  return fetched.revision;
}

describe('The history of a local repository', () => describeHistory('local'));
describe('The history of a remote repository', { tags: 'full' }, () => describeHistory('remote'));

function describeHistory(kind: 'local' | 'remote'): void {
  it('contains the tip itself, its parent, and commits between two fetches', async () => {
    const { repo, source } = await open(kind);
    const [first, second] = [await repo.commit({ a: '1' }), await repo.commit({ a: '2' })];
    await fetchTip(source);
    const third = await repo.commit({ a: '3' });
    await repo.commit({ a: '4' });
    const tip = await fetchTip(source);
    for (const earlier of [tip, third, second, first, third.slice(0, 7), first.slice(0, 7)]) {
      expect(await source.contains(tip, earlier)).toBe('yes');
    }
    expect(await source.readTree(tip)).toMatchObject({ ok: true });
    expect(await source.fetch()).toEqual({ ok: true, revision: tip });
  });

  it('does not contain what a force-push replaced', async () => {
    const { repo, source } = await open(kind);
    await repo.commit({ a: '1' });
    const replaced = await repo.commit({ a: '2' });
    await fetchTip(source);
    await repo.forcePush({ a: '3' });
    const tip = await fetchTip(source);
    expect(await source.contains(tip, replaced)).toBe('no');
    expect(await source.fetch()).toEqual({ ok: true, revision: tip });
  });

  it('does not contain a commit after the tip', async () => {
    const { repo, source } = await open(kind);
    const first = await repo.commit({ a: '1' });
    const second = await repo.commit({ a: '2' });
    await fetchTip(source);
    await repo.git(['update-ref', 'refs/heads/main', first]);
    expect(await fetchTip(source)).toBe(first);
    expect(await source.contains(first, second)).toBe('no');
  });

  it('has no answer for an invalid commit or a deleted repository', async () => {
    const { repo, source } = await open(kind);
    await repo.commit({ a: '1' });
    await repo.commit({ a: '2' });
    const tip = await fetchTip(source);
    for (const earlier of ['--all', 'main', 'HEAD', '']) expect(await source.contains(tip, earlier)).toBe('unknown');
    expect(await source.contains(tip, 'f'.repeat(40))).toBe('no');
    rmSync(repo.path, { recursive: true });
    await source.close();
    expect(await source.contains(tip, 'f'.repeat(40))).toBe('unknown');
  });
}

it('The history of a managed repository contains its edits', async () => {
  const source = createManagedSource(join(createTempDir('managed'), 'f.git'), process.env);
  const ids: string[] = [];
  for (const text of ['a', 'b', 'c']) {
    const edit = { from: ids.at(-1) ?? null, files: [{ path: 'webhooks/a.yaml', text }], message: text, at: 0 };
    const outcome = await source.commit({ ...edit, author: { name: 'A', email: 'a@example.com' } });
    if (outcome.ok) ids.push(outcome.revision);
  }
  const [first, second, third] = ids as [string, string, string];
  expect(await source.contains(third, first.slice(0, 8))).toBe('yes');
  expect(await source.contains(second, third)).toBe('no');
  expect(await source.contains(second, 'f'.repeat(40))).toBe('no');
});

it('A live factory contains its earlier revisions, and no commit', async () => {
  const source = createLiveSource({ head: async () => 2, read: async () => null, commit: async () => null }, 'rows');
  expect(await source.contains('live-2', 'live-1')).toBe('yes');
  expect(await source.contains('live-2', 'live-3')).toBe('no');
  expect(await source.contains('live-2', 'f'.repeat(40))).toBe('no');
});
