import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import { createGitSource, type GitSourceOptions } from '../../src/reconcile/source/git-source.ts';
import { eventually } from '../helpers/eventually.ts';
import { type GitHttpServerOptions, startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function createRepo(): Promise<TempGitRepo> {
  const repo = await createTempGitRepo({ bare: true });
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

async function serve(repo: TempGitRepo, options: Partial<GitHttpServerOptions> = {}) {
  const server = await startGitHttpServer({ root: repo.root, ...options });
  endings.push(() => server.close());
  return server;
}

/** Processes whose command line or working place names the folder of a test. */
function findProcesses(needle: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.map(Number).filter((pid) => readCommandLine(pid).includes(needle));
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const canLookAtProcesses = process.platform === 'linux';

describe('A fetch', () => {
  it('larger than its limit is aborted and reported, and the next one within the limit succeeds', async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a', 'big.bin': randomBytes(3_000_000) });
    const source = openSource(repo, { limits: { maxFetchBytes: 1_000_000 } });
    expect(await source.fetch()).toEqual({
      ok: false,
      reason: 'FetchTooLarge',
      revision: await repo.git(['rev-parse', 'main']),
      message: `The branch of ${repo.path} is larger than 1 MB; remove large files from it.`,
    });
    expect(readdirSync(join(repo.root, 'mirror'))).toEqual(['gitconfig']);
    const revision = await repo.commit({ 'big.bin': null });
    expect(await source.fetch()).toEqual({ ok: true, revision });
  });

  it('larger than its limit leaves the mirror as it was', { tags: 'full' }, async () => {
    const repo = await createRepo();
    const before = await repo.commit({ 'webhooks/a.yaml': 'a' });
    const source = openSource(repo, { limits: { maxFetchBytes: 1_000_000 } });
    await source.fetch();
    await repo.commit({ 'big.bin': randomBytes(3_000_000) });
    expect(await source.fetch()).toMatchObject({ reason: 'FetchTooLarge' });
    expect(await source.readTree(before)).toMatchObject({ ok: true });
    const packs = readdirSync(join(repo.root, 'mirror', 'mirror.git', 'objects', 'pack'));
    expect(packs.filter((name) => name.startsWith('tmp_'))).toEqual([]);
  });

  it('within its limit may hold a large blob, which is listed without bytes', { tags: 'full' }, async () => {
    const repo = await createRepo();
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a', 'webhooks/big.yaml': randomBytes(262_145) });
    const source = openSource(repo);
    await source.fetch();
    const read = await source.readTree(revision);
    expect(read.ok && read.tree.entries.map(({ path, size, bytes }) => [path, size, bytes?.length ?? null])).toEqual([
      ['webhooks/a.yaml', 1, 1],
      ['webhooks/big.yaml', 262_145, null],
    ]);
  });

  it.runIf(canLookAtProcesses)(
    'from a server that never answers ends in time, with every process it started',
    { tags: 'full' },
    async () => {
      const repo = await createRepo();
      const server = await serve(repo, { silent: true });
      const source = openSource(repo, { url: `${server.url}/origin.git`, limits: { fetchTimeoutMs: 700 } });
      const startedAt = performance.now();
      const answer = source.fetch();
      await eventually(() => findProcesses(server.url).length > 0);
      expect(await answer).toEqual({
        ok: false,
        reason: 'FetchTimeout',
        message: `The repository ${server.url}/origin.git did not respond completely within 0.7 seconds.`,
      });
      expect(performance.now() - startedAt).toBeLessThan(5000);
      await eventually(() => findProcesses(server.url).length === 0);
    },
  );

  it('from a server that accepts the connection and sends nothing ends in time', { tags: 'full' }, async () => {
    const repo = await createRepo();
    const sockets = createServer(() => {});
    sockets.listen(0, '127.0.0.1');
    await once(sockets, 'listening');
    endings.push(() => void sockets.close());
    const { port } = sockets.address() as { port: number };
    const source = openSource(repo, { url: `http://127.0.0.1:${port}/x`, limits: { fetchTimeoutMs: 500 } });
    expect(await source.fetch()).toMatchObject({ reason: 'FetchTimeout' });
  });

  it('from a server that stops in the middle of a pack ends in time, and succeeds when the server does', {
    tags: 'full',
  }, async () => {
    const repo = await createRepo();
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a', 'other.bin': randomBytes(500_000) });
    const slow = await serve(repo, { stallPack: true });
    const stuck = openSource(repo, { url: `${slow.url}/origin.git`, limits: { fetchTimeoutMs: 1500 } });
    expect(await stuck.fetch()).toMatchObject({ reason: 'FetchTimeout' });
    const good = await serve(repo);
    expect(await openSource(repo, { url: `${good.url}/origin.git` }).fetch()).toEqual({ ok: true, revision });
  });

  it.runIf(canLookAtProcesses)('is ended by close, and what is asked afterwards is answered', async () => {
    const repo = await createRepo();
    const server = await serve(repo, { silent: true });
    const source = openSource(repo, { url: `${server.url}/origin.git` });
    const answer = source.fetch();
    await eventually(() => server.requests.length > 0);
    await source.close();
    expect(await answer).toMatchObject({ ok: false, reason: 'RepositoryUnreachable' });
    expect(await source.fetch()).toMatchObject({ ok: false, message: 'The source is closed.' });
    await eventually(() => findProcesses(server.url).length === 0);
  });

  it('whose daemon is killed in the middle of a pack is repeated from the start by the next', {
    tags: 'full',
  }, async () => {
    const repo = await createRepo();
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a', 'other.bin': randomBytes(500_000) });
    const server = await serve(repo, { stallPack: true });
    const mirrorDir = join(repo.root, 'mirror');
    const options = { url: `${server.url}/origin.git`, branch: 'main', path: '.', mirrorDir, pollIntervalMs: 60_000 };
    const script = join(repo.root, 'fetch.mts');
    const modulePath = join(import.meta.dirname, '../../src/reconcile/source/git-source.ts');
    writeFileSync(
      script,
      `import { createGitSource } from ${JSON.stringify(modulePath)};\nawait createGitSource(${JSON.stringify(options)}).fetch();\n`,
    );
    const daemon = spawn(process.execPath, ['--import', 'tsx', script], { cwd: import.meta.dirname, stdio: 'ignore' });
    await server.stalled;
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    expect(readdirSync(mirrorDir).some((name) => name.startsWith('fresh-'))).toBe(true);
    const source = openSource(repo);
    expect(await source.fetch()).toEqual({ ok: true, revision });
    expect(await source.readTree(revision)).toMatchObject({ ok: true });
    await server.close();
    expect(await source.fetch()).toEqual({ ok: true, revision });
    expect(readdirSync(mirrorDir).sort()).toEqual(['gitconfig', 'mirror.git']);
  });
});

describe('A tree', () => {
  it('with more entries than allowed is rejected', async () => {
    const repo = await createRepo();
    const files = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`webhooks/${index}.yaml`, 'x']));
    const revision = await repo.commit(files);
    const source = openSource(repo, { limits: { maxEntries: 10 } });
    await source.fetch();
    expect(await source.readTree(revision)).toEqual({
      ok: false,
      reason: 'TreeTooLarge',
      message: 'The definition paths contain more than 10 entries; remove files that are not definitions.',
    });
  });

  it('that lists one blob under more names than its bytes allow is rejected', async () => {
    const repo = await createRepo();
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`webhooks/${index}`, 'x'.repeat(1000)]));
    const revision = await repo.commit(files);
    const source = openSource(repo, { limits: { maxTreeBytes: 10_000 } });
    await source.fetch();
    expect(await source.readTree(revision)).toMatchObject({ ok: false, reason: 'TreeTooLarge' });
  });

  it('that multiplies itself in folders of folders is cut', { tags: 'full' }, async () => {
    const repo = await createRepo();
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    let tree = await repo.git(['mktree'], `100644 blob ${await repo.git(['hash-object', '-w', '--stdin'], 'x')}\ta\n`);
    for (let level = 0; level < 12; level++) {
      const lines = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\td${index}\n`);
      tree = await repo.git(['mktree'], lines.join(''));
    }
    const root = await repo.git(['mktree'], `040000 tree ${tree}\twebhooks\n`);
    const revision = await repo.git(['commit-tree', '-m', 'bomb', root]);
    await repo.git(['update-ref', 'refs/heads/main', revision]);
    const source = openSource(repo);
    expect(await source.fetch()).toEqual({ ok: true, revision });
    expect(await source.readTree(revision)).toMatchObject({ ok: false, reason: 'TreeTooLarge' });
  });
});
