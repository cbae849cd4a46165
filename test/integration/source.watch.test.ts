import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createGitSource, type GitSourceOptions } from '../../src/reconcile/source/git-source.ts';
import { eventually } from '../helpers/eventually.ts';
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

/** A second on a machine that has nothing else to do; five of them where other tests run on the same cores. */
const NOTICED_MS = 5_000;

/** Starts watching, and resolves when the watch is active. */
async function watch(repo: TempGitRepo, options: Partial<GitSourceOptions> = {}) {
  const mirrorDir = join(repo.root, 'mirror');
  // Looks by the clock are an hour apart: what is noticed here is noticed by events.
  const source = createGitSource({
    url: repo.path,
    branch: 'main',
    path: '.',
    mirrorDir,
    pollIntervalMs: 3_600_000,
    ...options,
  });
  endings.push(() => source.close());
  const calls: number[] = [];
  source.watch(() => calls.push(performance.now()));
  await eventually(() => calls.length > 0);
  return {
    source,
    calls,
    /** Does something, and answers with the milliseconds until it was noticed. */
    async measure(act: () => unknown): Promise<number> {
      const before = calls.length;
      await act();
      const doneAt = performance.now();
      await eventually(() => calls.length > before);
      return calls[before]! - doneAt;
    },
  };
}

describe('A change of a local repository is noticed within a second', () => {
  it.each([{ bare: true }, { bare: false }])('when a loose ref moves, again and again: %j', async (kind) => {
    const repo = await createRepo(kind);
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const { measure } = await watch(repo);
    for (const content of ['b', 'c', 'd']) {
      expect(await measure(() => repo.commit({ 'webhooks/a.yaml': content }))).toBeLessThan(NOTICED_MS);
    }
    expect(await measure(() => repo.forcePush({ 'webhooks/a.yaml': 'e' }))).toBeLessThan(NOTICED_MS);
  });

  it('when the refs are packed, and moves after that', async () => {
    const repo = await createRepo({ bare: true });
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    await repo.packRefs();
    const { measure } = await watch(repo);
    expect(await measure(() => repo.commit({ 'webhooks/a.yaml': 'b' }))).toBeLessThan(NOTICED_MS);
    expect(await measure(() => repo.packRefs())).toBeLessThan(NOTICED_MS);
    expect(await measure(() => repo.commit({ 'webhooks/a.yaml': 'c' }))).toBeLessThan(NOTICED_MS);
  });

  it('when a branch in a folder of refs is made, removed and made again', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const { measure } = await watch(repo, { branch: 'release/2024/main' });
    for (let round = 0; round < 3; round++) {
      expect(await measure(() => repo.createBranch('release/2024/main'))).toBeLessThan(NOTICED_MS);
      expect(await measure(() => repo.deleteBranch('release/2024/main'))).toBeLessThan(NOTICED_MS);
    }
  });

  it('when the source is a linked work tree, whose refs are elsewhere', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const linked = await repo.addWorktree('linked');
    const { measure, source } = await watch(repo, { url: linked, branch: 'main' });
    expect(await measure(() => repo.commit({ 'webhooks/a.yaml': 'b' }))).toBeLessThan(NOTICED_MS);
    expect(await source.fetch()).toEqual({ ok: true, revision: await repo.git(['rev-parse', 'main']) });
  });

  it('when the source is named through a link', { tags: 'full' }, async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    symlinkSync(repo.path, join(repo.root, 'link'));
    const { measure } = await watch(repo, { url: join(repo.root, 'link') });
    expect(await measure(() => repo.commit({ 'webhooks/a.yaml': 'b' }))).toBeLessThan(NOTICED_MS);
  });

  it('when the repository has no commit yet, and no refs', async () => {
    const repo = await createRepo({ bare: true });
    rmSync(join(repo.path, 'refs', 'heads'), { recursive: true });
    const { measure } = await watch(repo);
    expect(await measure(() => repo.commit({ 'webhooks/a.yaml': 'a' }))).toBeLessThan(NOTICED_MS);
  });

  it('when the repository is removed and created again, also under folders that do not exist', {
    tags: 'full',
  }, async () => {
    const repo = await createRepo();
    const path = join(repo.root, 'some', 'where', 'else');
    const { measure, source } = await watch(repo, { url: path });
    for (let round = 0; round < 3; round++) {
      await measure(async () => {
        mkdirSync(path, { recursive: true });
        await runTestGit(path, ['init', '--quiet', '-b', 'main']);
      });
      const noticed = await measure(() => runTestGit(path, ['commit', '--quiet', '--allow-empty', '-m', 'x']));
      expect(noticed).toBeLessThan(NOTICED_MS);
      expect(await eventually(async () => (await source.fetch()).ok)).toBe(true);
      expect(await measure(() => rmSync(join(repo.root, 'some'), { recursive: true }))).toBeLessThan(NOTICED_MS);
      expect(await source.fetch()).toMatchObject({ reason: 'RepositoryMissing' });
    }
  });

  it('when another repository takes its place', { tags: 'full' }, async () => {
    const [repo, other] = [await createRepo({ bare: true }), await createRepo({ bare: true })];
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const revision = await other.commit({ 'webhooks/b.yaml': 'b' });
    const { measure, source } = await watch(repo);
    await measure(() => {
      renameSync(repo.path, `${repo.path}-old`);
      renameSync(other.path, repo.path);
    });
    expect(await eventually(async () => (await source.fetch()).ok)).toBe(true);
    expect(await source.fetch()).toEqual({ ok: true, revision });
  });
});

describe('What is watched', () => {
  it('reports a burst of pushes a few times, including the last', { tags: 'full' }, async () => {
    const repo = await createRepo({ bare: true });
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const commits: string[] = [];
    for (let index = 0; index < 40; index++) {
      commits.push(await repo.git(['commit-tree', '-m', `${index}`, 'main^{tree}']));
    }
    const { calls, source } = await watch(repo);
    const seen: string[] = [];
    source.watch(() => seen.push(readFileSync(join(repo.path, 'refs/heads/main'), 'utf8').trim()));
    await eventually(() => seen.length > 0);
    const updates = commits.map((commit) => `start\nupdate refs/heads/main ${commit}\ncommit\n`);
    await repo.git(['update-ref', '--stdin'], updates.join(''));
    await eventually(() => seen.at(-1) === commits.at(-1));
    expect(calls.length).toBeLessThan(commits.length);
  });

  it('does not tell of other branches, tags and objects', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const { calls, measure } = await watch(repo);
    const before = calls.length;
    for (let index = 0; index < 20; index++) await repo.createBranch(`other-${index}`);
    await repo.git(['tag', 'v1']);
    await repo.git(['hash-object', '-w', '--stdin'], 'x');
    await measure(() => repo.commit({ 'webhooks/a.yaml': 'b' }));
    expect(calls.length - before).toBe(1);
  });

  it('is also checked at intervals, if the file system reports no changes', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const timers: { callback: () => void; delayMs: number }[] = [];
    const clock = {
      schedule(delayMs: number, callback: () => void) {
        timers.push({ callback, delayMs });
        return () => {};
      },
      random: () => 0.5,
    };
    const mirrorDir = join(repo.root, 'mirror');
    const source = createGitSource({
      url: repo.path,
      branch: 'main',
      path: '.',
      mirrorDir,
      pollIntervalMs: 5000,
      clock,
    });
    endings.push(() => source.close());
    source.watch(() => {});
    expect(timers.map((timer) => timer.delayMs)).toEqual([5000]);
  });

  it('reports nothing after close', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const { calls, source } = await watch(repo);
    await source.close();
    const other = await watch(repo);
    const before = calls.length;
    await other.measure(() => repo.commit({ 'webhooks/a.yaml': 'b' }));
    expect(calls.length).toBe(before);
  });
});

describe('A remote repository', () => {
  it('is asked by the clock, ever less often while it fails, and at the usual pace when it answers again', async () => {
    const repo = await createRepo();
    const set: { callback: () => void; delayMs: number }[] = [];
    let cancelled = 0;
    const clock = {
      schedule(delayMs: number, callback: () => void) {
        set.push({ callback, delayMs });
        return () => void cancelled++;
      },
      random: () => 0.5,
    };
    const { source, calls } = await watchRemote(repo, clock);
    for (let failure = 0; failure < 2; failure++) {
      expect(await source.fetch()).toMatchObject({ reason: 'RepositoryUnreachable' });
      await expect.poll(() => set.length).toBe(failure + 1);
      set.at(-1)!.callback();
    }
    await expect.poll(() => set.map((timer) => timer.delayMs)).toEqual([30_000, 60_000, 120_000]);
    expect(calls()).toBe(2);
    await source.close();
    expect(cancelled).toBe(1);
  });
});

async function watchRemote(repo: TempGitRepo, clock: NonNullable<GitSourceOptions['clock']>) {
  const source = createGitSource({
    url: 'http://127.0.0.1:9/x',
    branch: 'main',
    path: '.',
    mirrorDir: join(repo.root, 'mirror'),
    pollIntervalMs: 30_000,
    clock,
  });
  endings.push(() => source.close());
  let count = 0;
  source.watch(() => void count++);
  return { source, calls: () => count };
}
