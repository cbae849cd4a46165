import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileEntry, type SourceTree } from '../../src/domain/definitions/source-tree.ts';
import type { SourceResult } from '../../src/domain/ports/sources.ts';
import { readDirectoryTree, readRevisionTree } from '../../src/reconcile/source/directory-source.ts';
import { createGitSource } from '../../src/reconcile/source/git-source.ts';
import { startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo, type RawEntry, type TempGitRepo } from '../helpers/temp-git-repo.ts';

let repo: TempGitRepo;
beforeEach(async () => {
  repo = await createTempGitRepo();
});
afterEach(() => repo.remove());

type TreeAnswer = SourceResult<{ tree: SourceTree }>;

async function readByMirror(revision: string): Promise<TreeAnswer> {
  const mirrorDir = join(repo.root, 'mirror');
  const source = createGitSource({ url: repo.path, branch: 'main', path: '.', mirrorDir, pollIntervalMs: 60_000 });
  try {
    const fetched = await source.fetch();
    return fetched.ok ? await source.readTree(revision) : fetched;
  } finally {
    await source.close();
  }
}

function kindsOf(answer: TreeAnswer): unknown {
  return answer.ok ? answer.tree.entries.map(({ path, kind, bytes }) => [path, kind, bytes !== null]) : answer;
}

function unusableOf(answer: TreeAnswer): SourceTree['unusable'] | TreeAnswer {
  return answer.ok ? answer.tree.unusable : answer;
}

const REFUSED: [title: string, entries: RawEntry[], shown: string][] = [
  ['a name with a line break', [{ mode: '100644', name: 'a\n::error::.yaml' }], '"webhooks/a\\n::error::.yaml"'],
  ['a name with an escape', [{ mode: '100644', name: 'a\u001b[2J.yaml' }], '"webhooks/a\\x1b[2J.yaml"'],
  ['a name that turns the text around', [{ mode: '100644', name: 'a\u202elmay' }], '\\u{202e}'],
  ['a name that is not UTF-8', [{ mode: '100644', name: Buffer.from([0x61, 0xff]) }], '"webhooks/a\\xff"'],
];

describe('A tree of a commit (G2)', () => {
  it('with links, submodules and executables lists what they are and reads only files', async () => {
    const revision = await repo.commitRawWebhooks([
      { mode: '100644', name: 'a "quoted" \\ name.yaml' },
      { mode: '100755', name: 'b.yaml' },
      { mode: '120000', name: 'link.yaml', content: '/etc/passwd' },
      { mode: '160000', name: 'module' },
    ]);
    expect(kindsOf(await readByMirror(revision))).toEqual([
      ['webhooks/a "quoted" \\ name.yaml', 'file', true],
      ['webhooks/b.yaml', 'file', true],
      ['webhooks/link.yaml', 'symlink', false],
      ['webhooks/module', 'submodule', false],
    ]);
  });

  it('whose webhooks are a link or a file has that as its entry', async () => {
    const blob = await repo.git(['hash-object', '-w', '--stdin'], '/etc');
    const tree = await repo.git(['mktree'], `100644 blob ${blob}\tautomations\n120000 blob ${blob}\twebhooks\n`);
    const revision = await repo.git(['commit-tree', '-m', 'x', tree]);
    await repo.git(['update-ref', 'refs/heads/main', revision]);
    expect(kindsOf(await readByMirror(revision))).toEqual([
      ['automations', 'file', true],
      ['webhooks', 'symlink', false],
    ]);
  });

  it('holds names that differ only in case, and misspelt roots, for validation to say what is wrong', async () => {
    const blob = await repo.git(['hash-object', '-w', '--stdin'], 'x');
    const folder = await repo.git(['mktree'], `100644 blob ${blob}\tCI.yaml\n100644 blob ${blob}\tci.yaml\n`);
    const tree = await repo.git(
      ['mktree'],
      `040000 tree ${folder}\tWebhooks\n100644 blob ${blob}\tfactory.yml\n040000 tree ${folder}\twebhooks\n`,
    );
    const revision = await repo.git(['commit-tree', '-m', 'x', tree]);
    await repo.git(['update-ref', 'refs/heads/main', revision]);
    const all = ['Webhooks/CI.yaml', 'Webhooks/ci.yaml', 'factory.yml', 'webhooks/CI.yaml', 'webhooks/ci.yaml'];
    const expected = all.map((path) => [path, 'file', true]);
    expect(kindsOf(await readByMirror(revision))).toEqual(expected);
    expect(kindsOf(await readRevisionTree(repo.path, 'main'))).toEqual(expected);
  });

  it('without definition files is empty, which is not an error here', async () => {
    expect(kindsOf(await readByMirror(await repo.commit({ 'README.md': 'x' })))).toEqual([]);
  });

  it.each(REFUSED)(
    'with %s lists it as unusable together with the others, by the mirror and offline',
    async (_title, entries, shown) => {
      const revision = await repo.commitRawWebhooks([...entries, { mode: '100644', name: 'good.yaml' }]);
      for (const read of [await readByMirror(revision), await readRevisionTree(repo.path, 'main')]) {
        expect(kindsOf(read)).toEqual([['webhooks/good.yaml', 'file', true]]);
        expect(unusableOf(read)).toEqual([
          { file: expect.stringContaining(shown.replaceAll('"', '')), message: expect.stringContaining(shown) },
        ]);
      }
    },
  );

  it('with more names than allowed is rejected, usable or not', async () => {
    await repo.commitRawWebhooks(Array.from({ length: 5 }, (_, i) => ({ mode: '100644', name: `a\t${i}` })));
    const read = await readRevisionTree(repo.path, 'main', { limits: { maxEntries: 4 } });
    expect(read).toMatchObject({ ok: false, reason: 'TreeTooLarge' });
  });

  it.each(['.git', '.GIT', '..', '.'])(
    'with the name %j is rejected by git and by Dockbell',
    { tags: 'full' },
    async (name) => {
      const revision = await repo.commitRawWebhooks([{ mode: '100644', name }]);
      expect(await readByMirror(revision)).toMatchObject({
        reason: 'TreeOdd',
        revision,
        message: expect.stringContaining('git rejects'),
      });
      expect(unusableOf(await readRevisionTree(repo.path, 'main'))).toMatchObject([{ file: `webhooks/${name}` }]);
    },
  );
});

it('A commit that git rejects is downloaded once', { tags: 'full' }, async () => {
  const bare = await createTempGitRepo({ bare: true });
  await bare.commit({ 'webhooks/a.yaml': 'a' });
  const revision = await bare.commitRawWebhooks([{ mode: '100644', name: '.git' }]);
  const server = await startGitHttpServer({ root: bare.root });
  const url = `${server.url}/origin.git`;
  const mirrorDir = join(repo.root, 'mirror');
  const source = createGitSource({ url, branch: 'main', path: '.', mirrorDir, pollIntervalMs: 60_000 });
  const first = await source.fetch();
  expect(first).toMatchObject({ reason: 'TreeOdd', revision });
  const before = server.requests.length;
  expect(await source.fetch()).toEqual(first);
  // Listing the branch is two requests, and nothing else is asked.
  expect(server.requests.length - before).toBe(2);
  const good = await bare.forcePush({ 'webhooks/a.yaml': 'a' });
  expect(await source.fetch()).toEqual({ ok: true, revision: good });
  await source.close();
  await server.close();
  bare.remove();
});

describe('A revision read offline', () => {
  it('is any name of a commit, read below the folder that was given', async () => {
    const revision = await repo.commit({ 'team/webhooks/a.yaml': 'a', 'webhooks/b.yaml': 'b' });
    await repo.git(['tag', '-a', 'v1', '-m', 'x']);
    await repo.commit({ 'team/webhooks/a.yaml': 'changed' });
    for (const rev of ['v1', revision, revision.slice(0, 10), 'main~1', 'HEAD^']) {
      expect(await readRevisionTree(join(repo.path, 'team'), rev)).toEqual({
        ok: true,
        root: repo.path,
        revision,
        tree: {
          prefix: 'team/',
          entries: [createFileEntry('webhooks/a.yaml', new Uint8Array([0x61]))],
          otherFolders: ['webhooks'],
        },
      });
    }
  });

  it('of a bare repository and of a linked work tree is read too', async () => {
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a' });
    const linked = await repo.addWorktree('linked');
    const bare = await createTempGitRepo({ bare: true });
    const pushed = await bare.commit({ 'webhooks/a.yaml': 'a' });
    expect(await readRevisionTree(linked, 'HEAD')).toMatchObject({ ok: true, root: linked, revision });
    expect(await readRevisionTree(bare.path, 'main')).toMatchObject({ ok: true, root: bare.path, revision: pushed });
    bare.remove();
  });

  it.each(['--help', '-x', '', 'a\nb'])('named %j is rejected before git gets it', { tags: 'full' }, async (rev) => {
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    expect(await readRevisionTree(repo.path, rev)).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
  });

  it.each(['nothing', 'main:webhooks', 'main..main', 'HEAD~9'])(
    'named %j is not a commit',
    { tags: 'full' },
    async (rev) => {
      await repo.commit({ 'webhooks/a.yaml': 'a' });
      expect(await readRevisionTree(repo.path, rev)).toEqual({
        ok: false,
        reason: 'BranchMissing',
        message: `The repository has no commit "${rev}".`,
      });
    },
  );

  it('outside a repository is answered with a sentence', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'dockbell-none-'));
    expect(await readRevisionTree(dir, 'main')).toMatchObject({ ok: false, reason: 'RepositoryMissing' });
    rmSync(dir, { recursive: true });
  });
});

describe('A folder read offline', () => {
  const write = (path: string, content: string) => {
    mkdirSync(join(repo.path, path, '..'), { recursive: true });
    writeFileSync(join(repo.path, path), content);
  };

  it('returns the files on disk, including uncommitted ones, and the root of its repository', async () => {
    write('sub/dir/factory.yaml', 'x');
    write('sub/dir/webhooks/a.yaml', 'a');
    write('sub/dir/automations/b/automation.md', 'b');
    write('sub/dir/other/c.yaml', 'c');
    expect(await readDirectoryTree(join(repo.path, 'sub/dir'))).toEqual({
      ok: true,
      walked: expect.anything(),
      root: repo.path,
      tree: {
        prefix: 'sub/dir/',
        entries: [
          createFileEntry('factory.yaml', new Uint8Array([0x78])),
          createFileEntry('webhooks/a.yaml', new Uint8Array([0x61])),
          createFileEntry('automations/b/automation.md', new Uint8Array([0x62])),
        ],
      },
    });
  });

  it('outside a repository is its own root', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'dockbell-none-'));
    writeFileSync(join(dir, 'factory.yaml'), 'x');
    expect(await readDirectoryTree(dir)).toMatchObject({
      ok: true,
      tree: { prefix: '', entries: [{ path: 'factory.yaml' }] },
    });
    rmSync(dir, { recursive: true });
    expect(await readDirectoryTree(dir)).toEqual({
      ok: false,
      reason: 'RepositoryMissing',
      message: `The folder "${dir}" does not exist.`,
    });
  });

  it('lists links and repositories inside without following them, and large files without bytes', async () => {
    write('webhooks/module/.git/HEAD', 'x');
    write('webhooks/module/inner.yaml', 'x');
    write('webhooks/big.yaml', 'x'.repeat(262_145));
    symlinkSync('/etc', join(repo.path, 'webhooks', 'link'));
    symlinkSync('nowhere', join(repo.path, 'automations'));
    expect(kindsOf(await readDirectoryTree(repo.path))).toEqual([
      ['webhooks/big.yaml', 'file', false],
      ['webhooks/link', 'symlink', false],
      ['webhooks/module', 'submodule', false],
      ['automations', 'symlink', false],
    ]);
  });

  it('with a pipe in it lists it as unusable instead of waiting for it', async () => {
    write('webhooks/a.yaml', 'a');
    execFileSync('mkfifo', [join(repo.path, 'webhooks', 'pipe.yaml')]);
    expect(unusableOf(await readDirectoryTree(join(repo.path, 'webhooks', '..')))).toEqual([
      { file: 'webhooks/pipe.yaml', message: '"webhooks/pipe.yaml" is neither a file nor a folder; remove it.' },
    ]);
  });

  it.runIf(process.platform === 'linux')('with a name that is not UTF-8 lists it as unusable', async () => {
    write('webhooks/a.yaml', 'a');
    writeFileSync(Buffer.concat([Buffer.from(`${repo.path}/webhooks/`), Buffer.from([0x61, 0xff])]), '');
    const read = await readDirectoryTree(repo.path);
    expect(kindsOf(read)).toEqual([['webhooks/a.yaml', 'file', true]]);
    expect(unusableOf(read)).toMatchObject([{ file: 'webhooks/a\\xff' }]);
  });

  it('within its limits only', async () => {
    for (let index = 0; index < 5; index++) write(`webhooks/${index}.yaml`, 'x'.repeat(100));
    expect(await readDirectoryTree(repo.path, { limits: { maxEntries: 4 } })).toMatchObject({ reason: 'TreeTooLarge' });
    expect(await readDirectoryTree(repo.path, { limits: { maxTreeBytes: 400 } })).toMatchObject({
      reason: 'TreeTooLarge',
    });
  });

  it.runIf(process.getuid?.() !== 0)('that cannot be read says which file', async () => {
    write('webhooks/a.yaml', 'a');
    chmodSync(join(repo.path, 'webhooks/a.yaml'), 0);
    expect(await readDirectoryTree(repo.path)).toMatchObject({ message: expect.stringContaining('webhooks/a.yaml') });
  });
});
