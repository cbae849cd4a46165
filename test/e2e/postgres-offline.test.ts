import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { holdDaemonLock } from '../../src/storage/postgres/daemon-lock.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations.ts';
import { createPool } from '../../src/storage/postgres/open-database.ts';
import { KEY_CHECK } from '../../src/storage/sql/key-proof.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { type CliRun, runCli } from '../helpers/run-cli.ts';
import { startPostgres, type TestPostgres, withClient } from '../helpers/start-postgres.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { launchTestDaemon, startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

// A daemon on PostgreSQL, with a SQLite file in its data directory that it no longer uses.
const umask = process.umask();
let server: TestPostgres;
let repo: TempGitRepo;
let url: string;
let dataDir: string;
let uid: string;
let config: Record<string, unknown>;
beforeAll(async () => {
  [server, repo] = await Promise.all([startPostgres(['fsync=off']), createCiRepository()]);
  url = (await server.createDatabase('offline')).replace('postgres@', 'postgres:a-password@');
  config = { ...configureCiFactory(repo, ['/bin/true']), storage: { type: 'postgres', url } };
  const daemon = await startTestDaemon({ config });
  dataDir = daemon.dataDir;
  uid = await applyCiFactory(daemon);
  await daemon.end('SIGTERM');
  openSqliteStorage(join(dataDir, 'dockbell.db')).close();
});
afterAll(async () => {
  process.umask(umask);
  repo?.remove();
  await server?.remove();
});

const start = () => startTestDaemon({ config, dataDir });
const configFile = () => join(dataDir, 'dockbell.yaml');
const readToken = () => readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
const send = (daemon: TestDaemon) =>
  fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}` },
    body: JSON.stringify({ start: false, at: performance.now() }),
  });

/** With the configuration of the daemon. */
function run(...args: string[]): Promise<CliRun> {
  return runCli([...args, '--config', configFile()], { env: { PATH: process.env.PATH ?? '' } });
}

it('no command works on the SQLite file that the daemon no longer uses', { tags: 'full' }, async () => {
  const commands = [
    ['token', 'reset'],
    ['key', 'rotate', '--new-key-file', 'new.key'],
    ['backup', 'out.tar'],
    ['doctor'],
  ];
  const before = readFileSync(join(dataDir, 'dockbell.db'));
  for (const command of commands) {
    const { code, stderr } = await runCli([...command, '--data-dir', dataDir], { cwd: createTempDir('elsewhere') });
    expect([code, stderr], command.join(' ')).toEqual([2, expect.stringContaining('stores in PostgreSQL')]);
    expect(stderr).toContain('--config');
  }
  expect(readFileSync(join(dataDir, 'dockbell.db')).equals(before)).toBe(true);
});

it('token reset replaces the owner token in PostgreSQL, but not while a daemon runs', { tags: 'full' }, async () => {
  const lost = readToken();
  const daemon = await start();
  expect((await run('token', 'reset')).stderr).toContain('is in use by another Dockbell');
  await daemon.end('SIGTERM');
  const reset = await run('token', 'reset');
  expect([reset.code, reset.stderr]).toEqual([0, expect.stringContaining('Start the daemon')]);
  const again = await start();
  expect((await again.api('/tokens', { token: lost })).status).toBe(401);
  expect((await again.api('/tokens', { token: readToken() })).status).toBe(200);
  const { body: audit } = await again.api('/audit');
  expect(audit.data).toContainEqual(
    expect.objectContaining({ route: 'dockbell token reset', client_address: 'local' }),
  );
  await again.end('SIGTERM');
});

it('token reset finds the configuration in the working directory, and the URL in the environment', {
  tags: 'full',
}, async () => {
  const here = await runCli(['token', 'reset', '--data-dir', dataDir], { cwd: dataDir });
  expect(here.code, here.stderr).toBe(0);
  const env = { DOCKBELL_STORAGE_TYPE: 'postgres', DOCKBELL_STORAGE_URL: url };
  const named = await runCli(['token', 'reset', '--data-dir', dataDir], { cwd: createTempDir('elsewhere'), env });
  expect(named.code, named.stderr).toBe(0);
  const wrong = await runCli(['token', 'reset', '--data-dir', dataDir], {
    cwd: createTempDir('elsewhere'),
    env: { ...env, DOCKBELL_STORAGE_URL: `${server.url}/postgres` },
  });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('has no data of Dockbell')]);
});

it('token reset does not work while a daemon with another data directory uses the database', {
  tags: 'full',
}, async () => {
  const elsewhere = createTempDir('other-daemon');
  writeFileSync(join(elsewhere, 'master.key'), readFileSync(join(dataDir, 'master.key')), { mode: 0o600 });
  const daemon = await startTestDaemon({ config, dataDir: elsewhere });
  const { code, stderr } = await run('token', 'reset');
  expect([code, stderr]).toEqual([2, expect.stringContaining('a daemon uses this database')]);
  await daemon.end('SIGTERM');
});

it('token reset does not work between two leaders, when only the sessions of a daemon exist', {
  tags: 'full',
}, async () => {
  const session = new Client({ connectionString: url, application_name: `dockbell ${randomUUID()}` });
  await session.connect();
  const { code, stderr } = await run('token', 'reset');
  expect([code, stderr]).toEqual([2, expect.stringContaining('a daemon uses this database')]);
  await session.end();
});

it('no daemon starts while a command works on the database, or takes the lock from it', { tags: 'full' }, async () => {
  let isTaken = false;
  const lock = await holdDaemonLock(url, () => {
    isTaken = true;
  });
  const daemon = launchTestDaemon({ config, dataDir });
  expect(await daemon.serving).toBeNull();
  expect(daemon.output()).toContain('a command for stopped daemons works on this database');
  const isHeld = await withClient(url, (client) => client.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"));
  expect([isTaken, isHeld.rows.length]).toEqual([false, 1]);
  await lock.release();
});

it('key rotate encrypts the secrets in PostgreSQL with the new key', { tags: 'full' }, async () => {
  const newKeyFile = join(createTempDir('new-key'), 'new.key');
  const newKey = `${Buffer.alloc(32, 9).toString('base64')}\n`;
  writeFileSync(newKeyFile, newKey, { mode: 0o600 });
  const rotated = await run('key', 'rotate', '--new-key-file', newKeyFile);
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringMatching(/^Encrypted [1-9]\d* stored values? with/)]);
  expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toBe(newKey);
  const daemon = await start();
  expect((await send(daemon)).status).toBe(202);
  // The command does not know the database, but the daemon does.
  writeFileSync(newKeyFile, `${Buffer.alloc(32, 10).toString('base64')}\n`, { mode: 0o600 });
  const online = await daemon.cli('key', 'rotate', '--new-key-file', newKeyFile);
  expect([online.code, online.stdout], online.stderr).toEqual([0, expect.stringMatching(/^Encrypted [1-9]/)]);
  await daemon.end('SIGTERM');
});

describe.each([
  ['of the present version', MIGRATIONS],
  ['one migration older', MIGRATIONS.slice(0, -1)],
])('with another master key, on a database %s', (version, steps) => {
  let databases = steps.length * 10;
  let database: string;
  let folder: string;
  beforeEach(async () => {
    databases += 1;
    database = await server.createDatabase(`other_key_${databases}`);
    const pool = createPool({ url: database, pool: 1 }, version);
    await migrate(pool, steps);
    const check = createVault(Buffer.alloc(32, 1)).keyCheck();
    await pool.query('INSERT INTO settings (key, value) VALUES ($1, $2)', [KEY_CHECK, check]);
    await pool.end();
    folder = createTempDir('other-key');
    writeFileSync(join(folder, 'master.key'), `${Buffer.alloc(32, 2).toString('base64')}\n`, { mode: 0o600 });
  });
  const storage = () => ({ type: 'postgres', url: database });

  it('a start changes no row and no table', { tags: 'full' }, async () => {
    const before = await dump(database);
    const launched = launchTestDaemon({ config: { ...config, storage: storage() }, dataDir: folder });
    expect(await launched.exited).toBe(2);
    await launched.serving;
    expect(launched.output()).toContain('Nothing was changed.');
    expect(await dump(database)).toEqual(before);
  });

  it('key rotate changes no row and no table', { tags: 'full' }, async () => {
    const before = await dump(database);
    const newKeyFile = join(folder, 'new.key');
    writeFileSync(newKeyFile, `${Buffer.alloc(32, 3).toString('base64')}\n`, { mode: 0o600 });
    const env = { DOCKBELL_STORAGE_TYPE: 'postgres', DOCKBELL_STORAGE_URL: database };
    const rotated = await runCli(['key', 'rotate', '--new-key-file', newKeyFile, '--data-dir', folder], { env });
    expect([rotated.code, rotated.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    expect(await dump(database)).toEqual(before);
  });
});

/** All rows, and all columns. */
function dump(database: string): Promise<Record<string, unknown[]>> {
  return withClient(database, async (client) => {
    const columns = await client.query(
      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
    );
    const dumped: Record<string, unknown[]> = { columns: columns.rows };
    for (const table of new Set(columns.rows.map(({ table_name }) => table_name as string))) {
      dumped[table] = (await client.query(`SELECT to_jsonb(one) AS row FROM ${table} one ORDER BY 1`)).rows;
    }
    return dumped;
  });
}

it('backup makes no file and prints the commands to run, with a daemon and without', { tags: 'full' }, async () => {
  const target = join(createTempDir('backup'), 'dockbell.tar');
  const expectAdvice = ({ code, stderr }: { code: number; stderr: string }) => {
    expect(code).toBe(1);
    expect(stderr).toContain(`pg_dump --format=custom --file=dockbell.dump '${url.replace(':a-password', '')}'`);
    expect(stderr).toContain(join(dataDir, 'managed'));
    expect(stderr).toContain(join(dataDir, 'tickets'));
    expect(stderr).toContain(join(dataDir, 'master.key'));
    expect(stderr).not.toContain('a-password');
    expect(existsSync(target)).toBe(false);
  };
  expectAdvice(await run('backup', target));
  const daemon = await start();
  expectAdvice(await daemon.cli('backup', target));
  await daemon.end('SIGTERM');
});

it('restore says that the restored file must be copied to PostgreSQL', { tags: 'full' }, async () => {
  const folder = createTempDir('restored');
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  const sqlite = await startTestDaemon({ config: configureCiFactory(repo, ['/bin/true']) });
  expect((await sqlite.cli('backup', source)).code).toBe(0);
  await sqlite.end('SIGTERM');
  writeFileSync(join(folder, 'dockbell.yaml'), `dataDir: ./target\nstorage: { type: postgres, url: "${url}" }\n`);
  const { code, stderr } = await runCli(['restore', source], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining(`dockbell storage copy --data-dir ${target}`)]);
});

it('doctor examines PostgreSQL, and no SQLite file', { tags: 'full' }, async () => {
  const findings = async () => {
    const { stdout, stderr } = await run('doctor', '--json');
    const { checks, findings: found } = JSON.parse(stdout || '{}') as {
      checks: string[];
      findings: { check: string; severity: string; message: string }[];
    };
    expect(stderr).not.toContain('a-password');
    return { checks, found: found.map(({ severity, check, message }) => `${severity} ${check}: ${message}`) };
  };
  const healthy = await findings();
  expect(healthy.checks).toContain('postgresql');
  expect(healthy.checks).not.toContain('schema');
  expect(healthy.checks).not.toContain('wal-size');
  // The server of this test has fsync=off. The machine may be full, and its folder for temporary files in memory.
  const about = (found: string[]) => found.filter((text) => / (postgresql|orphaned-runs|clock): /.test(text));
  const noSync = 'error postgresql: fsync is off, so PostgreSQL can lose deliveries that were confirmed';
  expect(about(healthy.found)).toEqual([noSync]);
  expect(healthy.found.filter((text) => text.startsWith('error master-key'))).toEqual([]);

  const key = readFileSync(join(dataDir, 'master.key'));
  writeFileSync(join(dataDir, 'master.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
  await withClient(url, (client) => client.query('ALTER DATABASE offline SET synchronous_commit = off'));
  const broken = await findings();
  expect(broken.found).toContainEqual(expect.stringMatching(/^error master-key: the master key is not the key/));
  expect(about(broken.found)).toContainEqual(expect.stringMatching(/^error postgresql: synchronous_commit is off/));
  writeFileSync(join(dataDir, 'master.key'), key, { mode: 0o600 });
  await withClient(url, (client) => client.query('ALTER DATABASE offline RESET synchronous_commit'));

  const daemon = await start();
  const { body } = await daemon.api('/doctor');
  expect(body.checks).toContain('postgresql');
  await daemon.end('SIGTERM');

  await server.kill();
  expect(about((await findings()).found)).toContainEqual(
    expect.stringMatching(/^error postgresql: PostgreSQL: .*ECONNREFUSED/),
  );
  await server.start();
});

it('storage copy moves a daemon from SQLite to PostgreSQL, which then knows its deliveries and runs', {
  tags: 'full',
}, async () => {
  const target = await server.createDatabase('moved');
  const ci = configureCiFactory(repo, ['/bin/true']);
  const daemon = await startTestDaemon({ config: ci });
  const hook = await applyCiFactory(daemon);
  const deliver = ({ ingressUrl }: TestDaemon, n: number) =>
    fetch(`${ingressUrl}/webhooks/w/${hook}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CI_TOKEN}` },
      body: JSON.stringify({ start: true, n }),
    });
  expect((await deliver(daemon, 1)).status).toBe(202);
  const readRuns = async (from: TestDaemon) => (await from.api('/factories/payments/runs')).body.data;
  await eventually(async () => (await readRuns(daemon)).every(({ state }: { state: string }) => state === 'succeeded'));
  const runs = await readRuns(daemon);
  await daemon.end('SIGTERM');

  const from = `sqlite:${daemon.dataDir}`;
  const wrong = await runCli(['storage', 'copy', '--from', daemon.dataDir, '--to', target]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Use sqlite: and the path')]);
  const copied = await runCli(['storage', 'copy', '--from', from, '--to', target, '--json']);
  expect(copied.code, copied.stderr).toBe(0);
  const report = JSON.parse(copied.stdout);
  expect(report).toMatchObject({ source: join(daemon.dataDir, 'dockbell.db'), target, verified: true });
  const { rows, digest } = report.tables.find(({ name }: { name: string }) => name === 'runs').target;
  expect([rows, digest]).toEqual([runs.length, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(copied.stderr).toContain('Keep the data directory and the master key');

  const storage = { type: 'postgres', url: target };
  const moved = await startTestDaemon({ config: { ...ci, storage }, dataDir: daemon.dataDir });
  expect(await readRuns(moved)).toEqual(runs);
  for (const n of [1, 2]) expect((await deliver(moved, n)).status).toBe(202);
  const { body } = await moved.api('/factories/payments/deliveries');
  expect(body.data.map(({ label }: { label: string }) => label)).toEqual(['Accepted', 'Duplicate', 'Accepted']);
  await moved.end('SIGTERM');
});
