import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { eventually } from '../helpers/eventually.ts';
import { createOnCallWorld, type OnCallWorld } from '../helpers/on-call-world.ts';
import { startPostgres, type TestPostgres, withClient } from '../helpers/start-postgres.ts';
import { launchTestDaemon, runBuiltCli, startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const OPENAPI = new URL('../../schemas/openapi.json', import.meta.url);
const FACTORY = 'pay';
const TOKEN = 'the-token-of-the-ci-server';

// A daemon with all kinds of rows, which moves from SQLite to PostgreSQL. The tests are its steps.
let server: TestPostgres;
let world: OnCallWorld;
let dataDir: string;
let config: Record<string, unknown>;
let url: string;
let before: Record<string, unknown>;
beforeAll(async () => {
  [server, world] = await Promise.all([startPostgres(), createOnCallWorld()]);
  dataDir = world.daemon.dataDir;
  config = {
    ...parse(readFileSync(join(dataDir, 'dockbell.yaml'), 'utf8')),
    alerts: { interval: '1s', rules: { probe: 'off', disk: 'off' } },
  };
});
afterAll(async () => {
  await world?.end();
  await server?.remove();
});

const startOnSqlite = () => startTestDaemon({ config, dataDir });
const onPostgres = () => ({ config: { ...config, storage: { type: 'postgres', url } }, dataDir });

async function post(daemon: TestDaemon, path: string, body: object): Promise<void> {
  const { status, body: answer } = await daemon.api(path, { method: 'POST', body });
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
}

function deliver(daemon: TestDaemon, id: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-service-delivery-id': id, 'content-type': 'application/json' };
  return fetch(`${daemon.ingressUrl}/webhooks/w/${world.uids.ci}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
}

/** What the situations of the world do not contain. */
async function addRest(daemon: TestDaemon): Promise<void> {
  await post(daemon, '/users', { name: 'alice', role: 'viewer', password: 'correct horse battery staple' });
  await post(daemon, `/factories/${FACTORY}/automations/build/pause`, { reason: 'maintenance' });
  await post(daemon, `/factories/${FACTORY}/replays`, { as_of: 'then', rate: 200 });
  expect((await deliver(daemon, 'with-nul', { text: 'a NUL: \0, and \u{10FFFF}', mode: 'echo' })).status).toBe(202);
  await eventually(async () => (await daemon.api(`/factories/${FACTORY}/replays`)).body.data[0].finished_at !== null);
}

/** The state of the process or of the machine, streams, and pages for browsers. */
const NOT_STORED = [
  '/backup',
  '/doctor',
  '/replicas',
  '/drain',
  '/events',
  '/openapi.json',
  '/replicas',
  '/session',
  '/sign-in',
  '/workers',
  '/ids',
];

/** The routes whose answers come from the storage. */
function listRoutes(): string[] {
  const { paths } = JSON.parse(readFileSync(OPENAPI, 'utf8')) as { paths: Record<string, { get?: object }> };
  return Object.entries(paths)
    .filter(([path, { get }]) => get !== undefined && path.startsWith('/api/v1/'))
    .map(([path]) => path.slice('/api/v1'.length).replace('{factory}', FACTORY))
    .filter((path) => !path.includes('{') && !NOT_STORED.includes(path));
}

/** Times at which the daemon last did or noticed something, which it does again after a start. */
const LAST_TIMES = /"(attempted_at|last_used_at|last_seen_at|since)":"[^"]*"/g;

/** Each daemon has other ports. */
const PORT = /(http:\/\/127\.0\.0\.1):\d+/g;

/** The answers of all lists, and of every webhook, automation, delivery and run. */
async function readEverything(daemon: TestDaemon): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const read = async (path: string) => {
    const { status, body } = await daemon.api(path);
    const text = JSON.stringify(body).replace(LAST_TIMES, '"$1":"…"').replace(PORT, '$1');
    answers[path] = { status, body: JSON.parse(text) };
    return body?.data ?? [];
  };
  for (const route of listRoutes()) await read(route);
  const base = `/factories/${FACTORY}`;
  for (const { uid } of await read(`${base}/webhooks?deleted=true`)) await read(`${base}/webhooks/${uid}`);
  for (const { uid } of await read(`${base}/webhooks`)) {
    for (const part of ['', '/deliveries?limit=200', '/handshakes', '/payload-keys'])
      await read(`${base}/webhooks/${uid}${part}`);
  }
  for (const { name } of await read(`${base}/automations`)) await read(`${base}/automations/${name}`);
  for (const { id, label } of await read(`${base}/deliveries?limit=200`)) {
    await read(`/deliveries/${id}`);
    if (label === 'Accepted') for (const part of ['payload', 'explain']) await read(`/deliveries/${id}/${part}`);
  }
  for (const { id } of await read(`${base}/runs?limit=200`)) {
    for (const part of ['', '/input', '/log', '/artifacts', '/attachments/event-payload.json'])
      await read(`/runs/${id}${part}`);
  }
  for (const { id } of await read(`${base}/replays`)) await read(`/replays/${id}`);
  for (const { id } of await read(`${base}/reconciliations`)) await read(`${base}/reconciliations/${id}`);
  return answers;
}

it('a daemon on SQLite has all kinds of rows, and is killed', async () => {
  await addRest(world.daemon);
  await world.daemon.end('SIGTERM');
  const daemon = await startOnSqlite();
  await eventually(async () => (await daemon.api(`/factories/${FACTORY}/runs?state=running`)).body.data.length === 0);
  await eventually(async () => (await daemon.api('/alerts')).body.data.length > 0);
  before = await readEverything(daemon);
  expect(Object.keys(before).length).toBeGreaterThan(100);
  const states = new Set(
    (await daemon.api(`/factories/${FACTORY}/runs`)).body.data.map((run: { state: string }) => run.state),
  );
  expect(states).toEqual(new Set(['queued', 'succeeded', 'failed', 'cancelled']));
  const running = await runBuiltCli(['storage', 'copy', '--from', `sqlite:${dataDir}`, '--to', `${server.url}/none`]);
  expect([running.code, running.stderr]).toEqual([2, expect.stringContaining('is in use by another Dockbell')]);
  await daemon.end('SIGKILL');
});

/** Starts the copy, and kills it when it waits for a lock that this function holds on a table. */
async function killCopyBefore(table: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  const copy: ChildProcess = spawn(process.execPath, [
    MAIN,
    'storage',
    'copy',
    '--from',
    `sqlite:${dataDir}`,
    '--to',
    url,
  ]);
  const exited = new Promise((resolve) => copy.once('exit', resolve));
  await eventually(async () => {
    const { rows } = await withClient(url, (other) => other.query('SELECT 1 FROM pg_locks WHERE NOT granted'));
    return rows.length > 0;
  });
  copy.kill('SIGKILL');
  await exited;
  await client.end();
}

it('a copy that is killed has a part of the tables, and no daemon starts with it', async () => {
  url = await server.createDatabase('moved');
  await (await openPostgresStorage({ url, pool: 2 })).close();
  await killCopyBefore('runs');
  const copied = await withClient(url, (client) => client.query('SELECT name FROM dockbell_copied_tables'));
  expect(copied.rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['deliveries', 'delivery_contents']));
  expect(copied.rows.map(({ name }) => name)).not.toContain('runs');
  const daemon = launchTestDaemon(onPostgres());
  expect(await daemon.serving).toBeNull();
  expect(await daemon.exited).toBe(2);
  expect(daemon.output()).toContain("Finish it with 'dockbell storage copy'");
});

it('the next copy continues, verifies every table, and says what to do', async () => {
  const { stdout, stderr, code } = await runBuiltCli([
    'storage',
    'copy',
    '--from',
    `sqlite:${join(dataDir, 'dockbell.db')}`,
    '--to',
    url,
  ]);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^TABLE +SOURCE +TARGET +SOURCE DIGEST +TARGET DIGEST +RESULT$/m);
  expect(stdout).toMatch(/^Copied and verified \d+ rows of 47 tables\.$/m);
  expect(stderr).not.toContain('Verifying');
  expect(stderr).toContain('Keep the data directory and the master key');
  const again = await runBuiltCli(['storage', 'copy', '--from', `sqlite:${dataDir}`, '--to', url, '--json']);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('the target is not empty')]);
});

it('a daemon on PostgreSQL gives the same answers', async () => {
  const daemon = await startTestDaemon(onPostgres());
  await eventually(async () => (await daemon.api(`/factories/${FACTORY}`)).body.attempted_at !== null);
  expect(await readEverything(daemon)).toEqual(before);
  expect((await deliver(daemon, 'with-nul', { text: 'another body' })).status).toBe(202);
  const newest = async () => (await daemon.api(`/factories/${FACTORY}/deliveries?limit=1`)).body.data[0];
  expect(await newest()).toMatchObject({ label: 'Duplicate', reason: 'same_identity_other_body' });
  expect((await deliver(daemon, 'after the copy', { mode: 'echo' })).status).toBe(202);
  const accepted = await newest();
  expect(accepted).toMatchObject({ label: 'Accepted', delivery_id: 'after the copy' });
  // Some of the runs that the world left behind never end.
  for (const { id } of (await daemon.api(`/factories/${FACTORY}/runs?state=queued`)).body.data) {
    if (id !== accepted.runs[0]) await post(daemon, `/runs/${id}/cancel`, {});
  }
  await daemon.api(`/factories/${FACTORY}/automations/build/pause`, { method: 'DELETE' });
  await eventually(async () => (await daemon.api(`/runs/${accepted.runs[0]}`)).body.state === 'succeeded');
  const { body: user } = await daemon.api('/users');
  expect(user.data.map(({ name }: { name: string }) => name)).toEqual(['alice']);
  expect(await daemon.end('SIGTERM')).toBe(0);
});
