import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFileEntry } from '../../src/domain/definitions/source-tree.ts';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import { createGitSource, type GitSourceOptions } from '../../src/reconcile/source/git-source.ts';
import { createCountedGit } from '../helpers/counted-git.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, runTestGit, type TempGitRepo } from '../helpers/temp-git-repo.ts';

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function createRepo(options: Parameters<typeof createTempGitRepo>[0] = {}): Promise<TempGitRepo> {
  const repo = await createTempGitRepo(options);
  endings.push(() => repo.remove());
  return repo;
}

function openSource(repo: TempGitRepo, options: Partial<GitSourceOptions> = {}): DefinitionSource {
  const mirrorDir = join(repo.root, 'mirror');
  const source = createGitSource({
    url: repo.path,
    branch: 'main',
    path: '.',
    mirrorDir,
    pollIntervalMs: 60_000,
    ...options,
  });
  endings.push(() => source.close());
  return source;
}

async function readPaths(source: DefinitionSource, revision: string): Promise<string[]> {
  const read = await source.readTree(revision);
  if (!read.ok) throw new Error(read.message);
  return read.tree.entries.map((entry) => entry.path);
}

describe('A local repository', () => {
  it.each([{ bare: true }, { bare: false }])('is read at the tip of its branch: %j', async (kind) => {
    const repo = await createRepo(kind);
    const revision = await repo.commit({
      'factory.yaml': 'name: x\n',
      'webhooks/ci.yaml': 'secretName: A\r\n\0',
      'automations/a/automation.md': '---\n',
      'src/other.ts': 'no definition',
    });
    const source = openSource(repo);
    expect(await source.fetch()).toEqual({ ok: true, revision });
    expect(await source.readTree(revision)).toEqual({
      ok: true,
      tree: {
        prefix: '',
        entries: [
          // With the digests that git prints.
          createFileEntry('automations/a/automation.md', new Uint8Array(Buffer.from('---\n'))),
          createFileEntry('factory.yaml', new Uint8Array(Buffer.from('name: x\n'))),
          createFileEntry('webhooks/ci.yaml', new Uint8Array(Buffer.from('secretName: A\r\n\0'))),
        ],
      },
    });
  });

  it('says who made the commit that a fetch has read, without another git', async () => {
    const repo = await createRepo();
    const first = await repo.commit({ 'factory.yaml': 'name: x\n' });
    const git = createCountedGit(repo.root);
    const source = openSource(repo, { environment: git.environment });
    await source.fetch();
    git.takeCommands();
    const author = (await runTestGit(repo.path, ['log', '-1', '--format=%an', first])).trim();
    const subject = (await runTestGit(repo.path, ['log', '-1', '--format=%s', first])).trim();
    expect(await source.describe(first)).toEqual({ subject, author, committedAt: expect.any(Number), url: null });
    expect(git.takeCommands()).toEqual([]);
    await source.fetch();
    expect(git.takeCommands()).toEqual(['ls-remote']);
    expect(await source.describe(first)).toMatchObject({ subject });
    expect(await source.describe('f'.repeat(40))).toBeNull();
  });

  it('is read by a file URL, and below a folder of it', async () => {
    const repo = await createRepo();
    const revision = await repo.commit({ 'team/one/webhooks/ci.yaml': 'a', 'webhooks/other.yaml': 'b' });
    const source = openSource(repo, { url: `file://${repo.path}`, path: './team/one/' });
    expect(await source.fetch()).toEqual({ ok: true, revision });
    expect(await source.readTree(revision)).toMatchObject({
      ok: true,
      tree: { prefix: 'team/one/', entries: [{ path: 'webhooks/ci.yaml' }] },
    });
  });

  it('lists the folders next to a definition without webhooks/ or automations/, in which one may be misspelled', async () => {
    const repo = await createRepo();
    const source = openSource(repo, { path: 'team' });
    const read = async (files: Record<string, string>) => {
      const revision = await repo.commit(files);
      await source.fetch();
      const result = await source.readTree(revision);
      return result.ok ? (result.tree.otherFolders ?? null) : result;
    };
    expect(await read({ 'team/factory.yaml': 'a', 'team/webhook/a.yaml': 'a', 'other/a': '' })).toEqual(['webhook']);
    expect(await read({ 'team/webhooks/a.yaml': 'a' })).toEqual(['webhook', 'webhooks']);
    expect(await read({ 'team/automations/a.md': 'a' })).toBeNull();
  });

  it('is followed by the mirror, commit by commit and through a forced push', async () => {
    const repo = await createRepo({ bare: true });
    const source = openSource(repo);
    for (const name of ['a', 'b', 'c']) {
      const revision = await repo.commit({ [`webhooks/${name}.yaml`]: name });
      expect(await source.fetch()).toEqual({ ok: true, revision });
    }
    const rewritten = await repo.forcePush({ 'webhooks/z.yaml': 'z' });
    expect(await source.fetch()).toEqual({ ok: true, revision: rewritten });
    expect(await readPaths(source, rewritten)).toEqual(['webhooks/z.yaml']);
  });

  it('fetches nothing of other branches, tags or history', async () => {
    const repo = await createRepo();
    const old = await repo.commit({ 'webhooks/a.yaml': 'a' });
    await repo.git(['tag', 'v1']);
    await repo.createBranch('other');
    const revision = await repo.commit({ 'webhooks/a.yaml': 'b' });
    await openSource(repo).fetch();
    const mirror = join(repo.root, 'mirror', 'mirror.git');
    expect(await runTestGit(mirror, ['for-each-ref', '--format=%(refname) %(objectname)'])).toBe(
      `refs/dockbell/tip ${revision}`,
    );
    expect(await runTestGit(mirror, ['rev-list', '--all'])).toBe(revision);
    await expect(runTestGit(mirror, ['cat-file', '-e', old])).rejects.toThrow();
    expect(existsSync(join(mirror, 'FETCH_HEAD'))).toBe(false);
  });

  it('keeps the mirror small by cloning it again at 50 packs', { tags: 'full' }, async () => {
    const repo = await createRepo();
    const source = openSource(repo);
    const fetchCommit = async () => {
      await repo.git(['commit', '--quiet', '--allow-empty', '-m', 'change']);
      expect(await source.fetch()).toMatchObject({ ok: true });
    };
    await fetchCommit();
    const folder = join(repo.root, 'mirror', 'mirror.git', 'objects', 'pack');
    const countPacks = () => readdirSync(folder).filter((name) => name.endsWith('.pack')).length;
    const files = readdirSync(folder);
    for (let copy = 0; copy < 48; copy++) {
      const name = `pack-${String(copy).padStart(40, '0')}`;
      for (const file of files) cpSync(join(folder, file), join(folder, file.replace(/^pack-[0-9a-f]+/, name)));
    }
    expect(countPacks()).toBe(49);
    await fetchCommit();
    expect(countPacks()).toBe(50);
    await fetchCommit();
    expect(countPacks()).toBe(1);
  });

  it('without the branch is answered with the branches there are', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    for (const name of ['b1', 'b2', 'b3', 'b4', 'b5', 'b6']) await repo.createBranch(name);
    await repo.deleteBranch('main');
    const source = openSource(repo);
    expect(await source.fetch()).toEqual({
      ok: false,
      reason: 'BranchMissing',
      message: `The repository ${repo.path} has no branch "main"; it has "b1", "b2", "b3", "b4", "b5" and 1 more.`,
    });
    await repo.git(['branch', 'main', 'b1']);
    expect(await source.fetch()).toMatchObject({ ok: true });
  });

  it('without a commit has no branch', async () => {
    expect(await openSource(await createRepo()).fetch()).toMatchObject({ reason: 'BranchMissing' });
  });

  it('that goes away and comes back is read again, and its last tree stays readable meanwhile', async () => {
    const repo = await createRepo({ bare: true });
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a' });
    const source = openSource(repo);
    await source.fetch();
    renameSync(repo.path, `${repo.path}-away`);
    expect(await source.fetch()).toEqual({
      ok: false,
      reason: 'RepositoryMissing',
      message: `No git repository exists at "${repo.path}".`,
    });
    expect(await readPaths(source, revision)).toEqual(['webhooks/a.yaml']);
    renameSync(`${repo.path}-away`, repo.path);
    expect(await source.fetch()).toEqual({ ok: true, revision });
  });

  it('with SHA-256 objects is read', { tags: 'full' }, async () => {
    const repo = await createRepo();
    const path = join(repo.root, 'sha256');
    await runTestGit(repo.root, ['init', '--quiet', '--object-format=sha256', '-b', 'main', path]);
    mkdirSync(join(path, 'webhooks'));
    writeFileSync(join(path, 'webhooks', 'a.yaml'), 'a');
    await runTestGit(path, ['add', '--all']);
    await runTestGit(path, ['commit', '--quiet', '-m', 'x']);
    const source = openSource(repo, { url: path });
    const fetched = await source.fetch();
    expect(fetched).toMatchObject({ ok: true, revision: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await readPaths(source, fetched.ok ? fetched.revision : '')).toEqual(['webhooks/a.yaml']);
  });

  it('that is itself shallow is read', { tags: 'full' }, async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const revision = await repo.commit({ 'webhooks/b.yaml': 'b' });
    const shallow = join(repo.root, 'shallow');
    await runTestGit(repo.root, ['clone', '--quiet', '--depth=1', `file://${repo.path}`, shallow]);
    expect(await openSource(repo, { url: shallow }).fetch()).toEqual({ ok: true, revision });
  });

  it('that is a partial clone is named as the cause, with a way out', { tags: 'full' }, async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    await runTestGit(repo.path, ['config', 'uploadpack.allowFilter', 'true']);
    const partial = join(repo.root, 'partial');
    const filtered = ['clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${repo.path}`, partial];
    await runTestGit(repo.root, filtered);
    expect(await openSource(repo, { url: partial }).fetch()).toMatchObject({
      ok: false,
      message: expect.stringMatching(/is a partial clone \(--filter\) that lacks objects; use a complete clone/),
    });
  });

  it.runIf(process.getuid?.() === 0)('of another user is trusted, because the configuration names it', async () => {
    const repo = await createRepo({ bare: true });
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a' });
    chownSync(repo.path, 65534, 65534);
    await expect(runTestGit(repo.root, ['ls-remote', repo.path])).rejects.toThrow(/dubious ownership/);
    expect(await openSource(repo).fetch()).toEqual({ ok: true, revision });
  });
});

describe('The mirror is disposable', () => {
  const mirrorOf = (repo: TempGitRepo) => join(repo.root, 'mirror', 'mirror.git');
  /** Its branch moves by a write, because git takes longer than a test. */
  let pushed: TempGitRepo;
  let [first, second] = ['', ''];
  let mirrorDir: string;
  beforeAll(async () => {
    pushed = await createTempGitRepo();
    first = await pushed.commit({ 'webhooks/a.yaml': 'a' });
    second = await pushed.commit({ 'webhooks/b.yaml': 'b' });
  });
  afterAll(() => pushed.remove());
  beforeEach(() => {
    mirrorDir = join(createTempDir('mirrors'), 'mirror');
  });

  const move = (revision: string) => writeFileSync(join(pushed.path, '.git/refs/heads/main'), `${revision}\n`);
  const open = () => openSource(pushed, { mirrorDir });
  async function fetchFirst(): Promise<DefinitionSource> {
    move(first);
    const source = open();
    expect(await source.fetch()).toEqual({ ok: true, revision: first });
    return source;
  }
  async function expectSecond(source: DefinitionSource): Promise<void> {
    move(second);
    expect(await source.fetch()).toEqual({ ok: true, revision: second });
    expect(await readPaths(source, second)).toEqual(['webhooks/a.yaml', 'webhooks/b.yaml']);
  }

  it.each(['shallow.lock', 'config.lock', 'packed-refs.lock', 'refs/dockbell/tip.lock', 'HEAD.lock'])(
    'a stale %s does not stop a fetch',
    { tags: 'full' },
    async (lock) => {
      await fetchFirst();
      const mirror = join(mirrorDir, 'mirror.git');
      const { ino } = statSync(mirror);
      writeFileSync(join(mirror, lock), '');
      await expectSecond(open());
      expect(statSync(mirror).ino).toBe(ino);
    },
  );

  const damages: Record<string, (mirror: string) => void> = {
    'an empty folder': (mirror) => {
      rmSync(mirror, { recursive: true });
      mkdirSync(mirror);
    },
    'a file': (mirror) => {
      rmSync(mirror, { recursive: true });
      writeFileSync(mirror, 'x');
    },
    'without packs': (mirror) => rmSync(join(mirror, 'objects', 'pack'), { recursive: true }),
    'with packs of rubbish': (mirror) => {
      const packDir = join(mirror, 'objects', 'pack');
      for (const name of readdirSync(packDir)) {
        rmSync(join(packDir, name));
        writeFileSync(join(packDir, name), 'rubbish');
      }
    },
    'with a broken HEAD': (mirror) => writeFileSync(join(mirror, 'HEAD'), '\0'),
    'with a broken config': (mirror) => writeFileSync(join(mirror, 'config'), '[['),
    'without config': (mirror) => rmSync(join(mirror, 'config')),
    gone: (mirror) => rmSync(mirror, { recursive: true }),
  };

  it.each(Object.keys(damages))('%s: it is cloned again by the next fetch', { tags: 'full' }, async (damage) => {
    const source = await fetchFirst();
    damages[damage]!(join(mirrorDir, 'mirror.git'));
    await expectSecond(source);
    expect(readdirSync(mirrorDir).sort()).toEqual(['gitconfig', 'mirror.git']);
  });

  it.each(Object.keys(damages))('%s: it is cloned again by a read of the tree', { tags: 'full' }, async (damage) => {
    const source = await fetchFirst();
    damages[damage]!(join(mirrorDir, 'mirror.git'));
    expect(await readPaths(source, first)).toEqual(['webhooks/a.yaml']);
  });

  it('one of another repository is replaced', async () => {
    const [one, other] = [await createRepo(), await createRepo()];
    await one.commit({ 'webhooks/first.yaml': '1' });
    const revision = await other.commit({ 'webhooks/second.yaml': '2' });
    const folder = join(one.root, 'mirror');
    await openSource(one, { mirrorDir: folder }).fetch();
    const source = openSource(other, { mirrorDir: folder });
    expect(await source.fetch()).toEqual({ ok: true, revision });
    expect(await readPaths(source, revision)).toEqual(['webhooks/second.yaml']);
    expect(await runTestGit(mirrorOf(one), ['rev-list', '--all'])).toBe(revision);
  });

  it('that lacks a commit which has left the branch says where the branch is now', async () => {
    const repo = await createRepo();
    const before = await repo.commit({ 'webhooks/a.yaml': 'a' });
    const revision = await repo.forcePush({ 'webhooks/b.yaml': 'b' });
    const source = openSource(repo);
    await source.fetch();
    expect(await source.readTree(before)).toEqual({
      ok: false,
      reason: 'RepositoryUnreachable',
      message: `The tree of commit ${before} cannot be read: the branch is now at ${revision}.`,
    });
    expect(await source.readTree('--help')).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
  });

  it('reports that none can be created', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    writeFileSync(join(repo.root, 'file'), '');
    const failure = await openSource(repo, { mirrorDir: join(repo.root, 'file', 'mirror') }).fetch();
    expect(failure).toMatchObject({
      ok: false,
      reason: 'RepositoryUnreachable',
      message: expect.stringContaining('ENOTDIR'),
    });
  });
});
