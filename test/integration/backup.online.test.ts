import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const COMMAND = ['/bin/sh', '-c', 'echo output of the run'];
const factories = [
  { name: 'ours', source: { type: 'managed' }, runs: { executor: { type: 'command', command: COMMAND } } },
  { name: 'queued', source: { type: 'live' } },
];
const config = { factories, limits: { deliveriesPerMinute: 100_000 } };
/** A body of this size makes the database large enough that its copy takes a while. */
const FILLING = 'x'.repeat(200_000);

let daemon: TestDaemon;
let folder: string;
let hook: Hook;
/** Its runs stay queued. */
let quiet: Hook;
const restored: TestDaemon[] = [];

interface Hook {
  secret: string;
  uid: string;
}

async function post({ ingressUrl }: { ingressUrl: string }, body: object, { uid, secret } = hook): Promise<number> {
  const response = await fetch(`${ingressUrl}/webhooks/w/${uid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

beforeAll(async () => {
  folder = createTempDir('backups');
  daemon = await startTestDaemon({ config });
  hook = await addWebhook('ours');
  quiet = await addWebhook('queued');
  expect(await post(daemon, { start: true, n: 1 })).toBe(202);
  await eventually(async () => (await listRuns(daemon))[0]?.state === 'succeeded');
});

async function addWebhook(factory: string): Promise<Hook> {
  const created = await daemon.cli('webhook', 'create', 'ci', '--factory', factory, '--json');
  const filter = { webhooks: ['ci'], payload: { start: [true] } };
  const triggers = [{ provider: 'webhook', event: 'received', filter }];
  const body = { name: 'triage', triggers, prompt: 'Look at it.' };
  expect((await daemon.api(`/factories/${factory}/automations`, { method: 'POST', body })).status).toBe(201);
  return JSON.parse(created.stdout);
}

afterAll(async () => {
  await Promise.all([daemon, ...restored].map((one) => one.end('SIGTERM')));
});

async function listRuns({ api }: TestDaemon): Promise<{ id: string; state: string }[]> {
  return (await api('/factories/ours/runs')).body.data;
}

/** What backups leave in the data directory while they work. */
const listStaging = () => readdirSync(daemon.dataDir).filter((name) => name.endsWith('.tmp'));

describe('dockbell backup, while the daemon runs', () => {
  it('stores a verified file of mode 0600, without the master key and without logs', async () => {
    const file = join(folder, 'plain.tar');
    const { code, stdout, stderr } = await daemon.cli('backup', file, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file, bytes: statSync(file).size, master_key: false, run_logs: false });
    expect(stderr).toContain('The master key is not included.');
    // Progress is for a terminal only.
    expect(stderr).not.toContain('Verifying the file');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(join(daemon.dataDir, 'master.key'), 'utf8').trim();
    expect(readFileSync(file).includes(key)).toBe(false);
    expect(readdirSync(folder)).toEqual(['plain.tar']);
    // The daemon removes it after the last byte of the answer.
    await eventually(() => listStaging().length === 0);
  });

  it('replaces a file only with --force, and never anything that is not a regular file', {
    tags: ['full', 'continues'],
  }, async () => {
    const file = join(folder, 'plain.tar');
    const before = readFileSync(file);
    const refused = await daemon.cli('backup', file);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('exists: use another name, or --force'),
    ]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await daemon.cli('backup', file, '--force')).code).toBe(0);
    expect(readFileSync(file).equals(before)).toBe(false);
    expect((await daemon.cli('backup', folder, '--force')).stderr).toContain('is not a regular file');
    expect((await daemon.cli('backup', join(folder, 'missing/x.tar'))).stderr).toContain('create it first');
  });

  it('restores to a daemon with the same URLs, secrets, definitions, runs and logs', async () => {
    const file = join(folder, 'all.tar');
    expect((await daemon.cli('backup', file, '--logs', '--include-key')).code).toBe(0);
    const [run] = await listRuns(daemon);
    const dataDir = join(createTempDir('restored'), 'data');
    const outcome = await runCli(['restore', file, '--data-dir', dataDir]);
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.stringContaining(join(dataDir, 'master.key'))]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const reset = await runCli(['token', 'reset', '--data-dir', dataDir]);
    expect(reset.code).toBe(0);
    const copy = await startTestDaemon({ config, dataDir });
    restored.push(copy);
    expect(await post(copy, { start: false, n: 2 })).toBe(202);
    expect((await listRuns(copy)).map(({ id, state }) => [id, state])).toEqual([[run!.id, 'succeeded']]);
    expect((await copy.api(`/runs/${run!.id}/log`)).body).toBe('output of the run\n');
    const revisions = (await copy.api('/factories/ours/history')).body.data;
    expect(revisions).toEqual((await daemon.api('/factories/ours/history')).body.data);
    expect((await copy.cli('webhook', 'create', 'later', '--factory', 'ours')).code).toBe(0);
  });

  it('is a route for owners only, is audited, and makes one backup at a time', async () => {
    const manager = JSON.parse((await daemon.cli('token', 'create', 'm', '--role', 'manager', '--json')).stdout).token;
    const viewer = JSON.parse((await daemon.cli('token', 'create', 'v', '--json')).stdout).token;
    const ask = (token: string) => daemon.api('/backup', { method: 'POST', body: {}, token });
    expect((await ask(manager)).status).toBe(403);
    expect((await daemon.api('/backup', { token: viewer })).body).toEqual({ schedule: null, running: null });
    const { body: audited } = await daemon.api('/audit');
    expect(audited.data).toContainEqual(
      expect.objectContaining({ action: 'Make backup', status: 200, changes: { logs: true, include_key: true } }),
    );
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    const answers = await Promise.all([1, 2, 3].map(() => ask(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await eventually(() => listStaging().length === 0);
  });

  it('can be repeated as soon as its client has it', { tags: 'full' }, async () => {
    for (let made = 0; made < 20; made++) {
      expect((await daemon.api('/backup', { method: 'POST', body: {} })).status).toBe(200);
    }
  });

  it('can be repeated as soon as the daemon has noticed that its client left', { tags: 'full' }, async () => {
    for (let n = 0; n < 40; n += 1) expect(await post(daemon, { n, FILLING }, quiet)).toBe(202);
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    for (const delayMs of [5, 10, 20, 40, 80]) {
      const abort = new AbortController();
      const request = fetch(`${daemon.adminUrl}/api/v1/backup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
        signal: abort.signal,
      });
      setTimeout(() => abort.abort(), delayMs);
      await request.then((response) => response.arrayBuffer()).catch(() => {});
      await eventually(async () => (await daemon.api('/backup')).body.running === null);
      expect((await daemon.api('/backup', { method: 'POST', body: {} })).status).toBe(200);
    }
  });

  it('removes its files when the client disconnects, and can then be repeated', { tags: 'full' }, async () => {
    for (let n = 0; n < 40; n += 1) expect(await post(daemon, { n, FILLING }, quiet)).toBe(202);
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    for (const delayMs of [0, 50, 150]) {
      const abort = new AbortController();
      const request = fetch(`${daemon.adminUrl}/api/v1/backup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
        signal: abort.signal,
      });
      setTimeout(() => abort.abort(), delayMs);
      await request.then((response) => response.arrayBuffer()).catch(() => {});
      await eventually(async () => (await daemon.api('/backup')).body.running === null);
      await eventually(() => listStaging().length === 0);
    }
    expect((await daemon.cli('backup', join(folder, 'after.tar'))).code).toBe(0);
  });

  it('stores nothing if it is interrupted', { tags: 'full' }, async () => {
    const file = join(folder, 'cut.tar');
    const interrupt = AbortSignal.timeout(30);
    const outcome = await runCli(['backup', file, '--data-dir', daemon.dataDir], { interrupt });
    // The backup may have been faster.
    if (outcome.code !== 0) {
      expect([outcome.code, outcome.stderr]).toEqual([130, expect.stringContaining('No file was stored.')]);
      expect(existsSync(file)).toBe(false);
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('accepts deliveries all the time, and stores a state in which each run has its delivery', {
    tags: 'full',
  }, async () => {
    const counts = { sent: 0, accepted: 0, slowestMs: 0 };
    let isDone = false;
    const send = async () => {
      while (!isDone) {
        const startedMs = performance.now();
        counts.sent += 1;
        if ((await post(daemon, { start: true, n: `load-${counts.sent}`, FILLING }, quiet)) === 202)
          counts.accepted += 1;
        counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedMs);
      }
    };
    const senders = [send(), send()];
    const file = join(folder, 'load.tar');
    const backup = await daemon.cli('backup', file).finally(() => {
      isDone = true;
    });
    await Promise.all(senders);
    expect(backup.code).toBe(0);
    expect(counts.accepted).toBe(counts.sent);
    expect(counts.sent).toBeGreaterThan(5);
    // A copy that blocks the storage thread takes as long as the whole backup. A delivery takes milliseconds.
    expect(counts.slowestMs).toBeLessThan(5_000);
    const dataDir = join(createTempDir('restored'), 'data');
    expect((await runCli(['restore', file, '--data-dir', dataDir])).code).toBe(0);
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(join(dataDir, 'dockbell.db'), { readonly: true });
    const orphans = db.prepare('SELECT count(*) FROM runs WHERE delivery NOT IN (SELECT seq FROM deliveries)').pluck();
    expect(orphans.get()).toBe(0);
    db.close();
  });
});

describe('dockbell backup, while the daemon is stopped', () => {
  it('reads the data directory under its lock, and includes the key that --key-file names', async () => {
    const dataDir = join(createTempDir('offline'), 'data');
    expect((await runCli(['restore', join(folder, 'all.tar'), '--data-dir', dataDir])).code).toBe(0);
    mkdirSync(join(dataDir, 'backup-0123456789abcdef.tmp'));
    const key = join(createTempDir('key'), 'other.key');
    writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
    const file = join(folder, 'offline.tar');
    const made = await runCli(['backup', file, '--data-dir', dataDir, '--json']);
    expect([made.code, JSON.parse(made.stdout).master_key]).toEqual([0, false]);
    expect((await runCli(['restore', file, '--verify-only'])).code).toBe(0);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.tmp') || name === 'daemon.pid')).toEqual([]);
    const wrong = await runCli(['backup', file, '--force', '--include-key', '--key-file', key, '--data-dir', dataDir]);
    expect(wrong.code).toBe(0);
    const checked = await runCli(['restore', file, '--verify-only']);
    expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining('is not the key of its database')]);
  });

  it('says what is missing', async () => {
    const missing = await runCli(['backup', join(folder, 'none.tar'), '--data-dir', join(folder, 'nothing')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('holds no database of Dockbell')]);
    const named = await runCli(['backup', join(folder, 'none.tar'), '--url', 'http://127.0.0.1:1', '--token', 'dbk_x']);
    expect([named.code, named.stderr]).toEqual([3, expect.stringContaining('cannot be reached')]);
  });
});
