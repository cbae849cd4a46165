import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import { CHECKS, examine } from '../../src/operations/doctor/examine.ts';
import type { RunningDaemon } from '../../src/operations/doctor/patient.ts';
import { resolveDataPaths } from '../../src/platform/data-dir/data-paths.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { beginKeyChange } from '../helpers/begin-key-change.ts';
import { createDatabaseFile } from '../helpers/new-database.ts';
import { runCli } from '../helpers/run-cli.ts';
import { mountExt4 } from '../helpers/small-disk.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const NOW_MS = Date.now();
const TMPFS = 0x01021994;

const PATH = process.env.PATH ?? '';

let root: string;
let dataDir: string;
let repo: TempGitRepo;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI\n' });
});
afterAll(() => repo.remove());

/** A healthy installation: the key is outside of the data directory. */
beforeEach(async () => {
  root = createTempDir('doctor');
  dataDir = join(root, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const file = join(dataDir, 'dockbell.db');
  createDatabaseFile(file);
  const storage = openSqliteStorage(file);
  await storage.sealedSecrets.setKeyCheck(createVault(Buffer.alloc(32, 1)).keyCheck());
  storage.close();
  writeKey(1);
});

const writeKey = (fill: number, file = join(root, 'keys/master.key')) => {
  mkdirSync(join(root, 'keys'), { recursive: true });
  writeFileSync(file, `${Buffer.alloc(32, fill).toString('base64')}\n`, { mode: 0o600 });
};

interface Given {
  config?: string;
  env?: Record<string, string>;
  nowMs?: number;
  running?: Partial<RunningDaemon>;
}

async function findSymptoms({ config = '', env = {}, nowMs = NOW_MS, running }: Given = {}) {
  const file = join(root, 'dockbell.yaml');
  const base = { dataDir, masterKeyFile: join(root, 'keys/master.key') };
  writeFileSync(file, stringify({ ...base, ...parse(config) }));
  const loaded = await loadConfig({ file, env: {} });
  const daemon: RunningDaemon | null =
    running === undefined
      ? null
      : {
          baseUrl: 'http://127.0.0.1:1',
          conditions: () => [],
          unreadHops: () => ({ count: 0, last: null }),
          expectProbe: () => ({ uid: 'wh_probe', wasSeen: async () => true, end: () => {} }),
          ...running,
        };
  const patient = { config: loaded, paths: resolveDataPaths(dataDir), env: { PATH, ...env }, nowMs, running: daemon };
  const report = await examine(patient);
  return report.findings.map(({ severity, check, message }) => `${severity} ${check}: ${message}`);
}

/** Symptoms of one check. The machine of a test may be full, or its folder for temporary files in memory. */
const only = async (check: string, given?: Given) =>
  (await findSymptoms(given)).filter((symptom) => symptom.includes(` ${check}: `));

function isMemory(folder: string): boolean {
  try {
    return statfsSync(folder).type === TMPFS;
  } catch {
    return false;
  }
}

it('finds nothing in a healthy installation', async () => {
  const factory = `factories: [{ name: payments, source: { type: repository, url: "${repo.path}" } }]\n`;
  const found = await findSymptoms({ config: `backup: { dir: /proc/backups }\n${factory}` });
  expect(found.filter((symptom) => !/ (?:file-system|free-space|retention): /.test(symptom))).toEqual([]);
});

describe('a check finds', () => {
  it('a data directory that others can write to, and files that they can read', async () => {
    chmodSync(join(dataDir, 'dockbell.db'), 0o644);
    expect(await only('permissions')).toEqual([]);
    chmodSync(dataDir, 0o777);
    writeFileSync(join(dataDir, 'admin-token'), 'dbk_x', { mode: 0o640 });
    expect(await only('permissions')).toEqual([
      expect.stringMatching(/^error permissions: dataDir .* is writable by every user/),
      expect.stringMatching(/^warning permissions: .*dockbell\.db can be read by other users/),
      expect.stringMatching(/^warning permissions: .*admin-token can be read by other users/),
    ]);
    chmodSync(dataDir, 0o770);
    expect((await only('permissions'))[0]).toMatch(/^warning permissions: dataDir .* is writable by its group/);
    rmSync(dataDir, { recursive: true });
    expect(await only('permissions')).toEqual([expect.stringMatching(/^warning permissions: .* does not exist/)]);
  });

  it('a write-ahead log that another program does not let shrink', { tags: 'full' }, async () => {
    const [reader, writer] = [1, 2].map(() => new Database(join(dataDir, 'dockbell.db'))) as [
      Database.Database,
      Database.Database,
    ];
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM runs').get();
    writer.exec('CREATE TABLE filling (bytes BLOB)');
    const fill = writer.prepare('INSERT INTO filling VALUES (zeroblob(1048576))');
    for (let mib = 0; mib < 130; mib += 1) fill.run();
    expect(await only('wal-size')).toEqual([
      expect.stringMatching(
        /^warning wal-size: the write-ahead log .*dockbell\.db-wal has 13\d\.\d MiB, usually at most 64/,
      ),
    ]);
    reader.close();
    writer.close();
    expect(await only('wal-size')).toEqual([]);
  });

  it.skipIf(!isMemory('/dev/shm'))('a data directory in memory', async () => {
    const inMemory = mkdtempSync('/dev/shm/dockbell-doctor-');
    try {
      expect(await only('file-system', { config: `dataDir: ${inMemory}\n` })).toEqual([
        `warning file-system: the data directory ${inMemory} is on a file system of type tmpfs`,
      ]);
      // Created by the first start.
      expect(await only('file-system', { config: `dataDir: ${inMemory}/a/b\n` })).toHaveLength(1);
    } finally {
      rmSync(inMemory, { recursive: true });
    }
  });

  it('a file system on which a sync writes nothing to the disk', async ({ skip }) => {
    const disk = mountExt4(16, ['barrier=0']) ?? skip();
    try {
      expect(await only('file-system', { config: `dataDir: ${disk.path}/a\n` })).toEqual([
        `error file-system: the file system of ${disk.path}/a is mounted at ${disk.path} with the option nobarrier: synced data is not on the disk`,
      ]);
    } finally {
      disk.remove();
    }
  });

  it('a master key that is missing, wrong, open to others, or next to the database', async () => {
    writeKey(2);
    expect(await only('master-key')).toEqual([expect.stringContaining('is not the key that encrypted the secrets')]);
    rmSync(join(root, 'keys/master.key'));
    expect(await only('master-key')).toEqual([expect.stringMatching(/^error master-key: .*keys\/master\.key/)]);
    writeKey(1);
    chmodSync(join(root, 'keys/master.key'), 0o644);
    expect(await only('master-key')).toEqual([expect.stringContaining('is open to other users')]);
    writeKey(1, join(dataDir, 'master.key'));
    const beside = `masterKeyFile: ${join(dataDir, 'master.key')}\n`;
    const { findings } = await examineWith(beside);
    expect(findings).toMatchObject([{ severity: 'warning', check: 'master-key' }]);
    const key = Buffer.alloc(32, 1).toString('base64');
    expect(await only('master-key', { env: { DOCKBELL_MASTER_KEY: key } })).toEqual([]);
  });

  it('no wrong master key while it is being changed, with either of both keys', async () => {
    const storage = openSqliteStorage(join(dataDir, 'dockbell.db'));
    await beginKeyChange(storage.sealedSecrets, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
    storage.close();
    const symptoms = [1, 2, 3].map(async (fill) => {
      const env = { DOCKBELL_MASTER_KEY: Buffer.alloc(32, fill).toString('base64') };
      return (await only('master-key', { env })).length;
    });
    expect(await Promise.all(symptoms)).toEqual([0, 0, 1]);
  });

  async function examineWith(text: string) {
    const file = join(root, 'other.yaml');
    writeFileSync(file, `dataDir: ${dataDir}\n${text}`);
    const config = await loadConfig({ file, env: {} });
    const patient = { config, paths: resolveDataPaths(dataDir), env: { PATH }, nowMs: NOW_MS, running: null };
    const { findings } = await examine(patient);
    return { findings: findings.filter(({ check }) => check === 'master-key') };
  }

  it('a database of a newer version, and one that is missing', async () => {
    const db = new Database(join(dataDir, 'dockbell.db'));
    db.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    db.close();
    expect(await only('schema')).toEqual([expect.stringMatching(/^error schema: .* supports versions up to/)]);
    mkdirSync(join(dataDir, 'tickets'));
    writeFileSync(join(dataDir, 'dockbell.db'), '');
    expect(await only('schema')).toEqual([expect.stringMatching(/^error schema: .*dockbell\.db is empty/)]);
  });

  it('a clock behind the files of the daemon, and the conditions of a running one', async () => {
    const later = NOW_MS / 1000 + 3600;
    utimesSync(join(dataDir, 'dockbell.db'), later, later);
    expect(await only('clock')).toEqual([expect.stringContaining('error clock: the system clock is at ')]);
    expect(await only('clock', { nowMs: NOW_MS + 3_600_000 })).toEqual([]);
    const running = { conditions: () => [{ type: 'ClockStepped', message: 'the clock was set' }] };
    expect(await only('clock', { nowMs: NOW_MS + 3_600_000, running })).toEqual(['warning clock: the clock was set']);
  });

  it('git that is missing, or too old', async () => {
    const old = join(createTempDir('old-git'), 'git');
    writeFileSync(old, '#!/bin/sh\necho git version 2.31.8\n', { mode: 0o755 });
    const managed = 'factories: [{ name: a, source: { type: managed } }]\n';
    expect(await only('git', { config: managed, env: { PATH: dirname(old) } })).toEqual([
      expect.stringContaining('error git: git version 2.31.8 is too old'),
    ]);
    const config = 'factories: [{ name: a, source: { type: managed } }]\n';
    expect(await only('git', { config, env: { PATH: root } })).toEqual([expect.stringMatching(/^error git: .*git/)]);
    const live = 'factories: [{ name: a, source: { type: live } }]\n';
    expect(await only('git', { config: live, env: { PATH: root } })).toEqual([]);
  });

  it('a source that cannot be reached, and a branch that does not exist', async () => {
    const source = (name: string, url: string, branch: string) =>
      `  - { name: ${name}, source: { type: repository, url: "${url}", branch: ${branch} } }\n`;
    const config = `factories:\n${source('lost', '/nonexistent/x', 'main')}${source('other', repo.path, 'missing')}`;
    expect(await only('sources', { config })).toEqual([
      expect.stringContaining('error sources: factory lost: No git repository exists'),
      expect.stringContaining('error sources: factory other: The repository'),
    ]);
  });

  it.each([
    ['admin: { host: 0.0.0.0 }', 'all addresses of this machine without TLS'],
    ['admin: { host: 10.1.2.3 }', 'on 10.1.2.3 without TLS: tokens and passwords can be read'],
    ['admin: { host: 203.0.113.7, url: "https://x.example" }', 'connections on 203.0.113.7'],
    ['admin: { host: 10.1.2.3, url: "https://x.example", openMetrics: true }', '/metrics needs no token'],
  ])('an exposed admin listener: %s', async (config, message) => {
    expect(await only('admin-listener', { config })).toEqual([expect.stringContaining(message)]);
  });

  it.each(['admin: { host: 127.0.0.1 }', 'admin: { host: 10.1.2.3, url: "https://x.example" }'])(
    'nothing wrong with %s',
    async (config) => expect(await only('admin-listener', { config })).toEqual([]),
  );

  it('receivers on other machines that get no URL for their reports', async () => {
    const declare = (url: string, more = '', mode = 'async') => {
      const executor = `{ type: http, url: "${url}", secretName: S, mode: ${mode}, allowPrivateAddresses: true }`;
      return `${more}factories: [{ name: a, source: { type: live }, runs: { executor: ${executor} } }]\n`;
    };
    expect(await only('report-url', { config: declare('https://x.example/runs') })).toEqual([
      expect.stringContaining('the receiver of factory a reports to the address of the admin listener'),
    ]);
    for (const config of [
      declare('https://x.example/runs', 'admin: { url: "https://dockbell.example.com" }\n'),
      declare('https://x.example/runs', '', 'sync'),
      declare('http://127.0.0.1:9000/runs'),
      declare('http://[::1]:9000/runs'),
    ]) {
      expect(await only('report-url', { config })).toEqual([]);
    }
  });

  it('targets whose address is not allowed, so that nothing is ever posted there', async () => {
    const source = `source: { type: repository, url: "${repo.path}" }`;
    const host =
      'type: github, url: "https://10.0.0.1/api/v3", secretName: S, repository: a/b, allowPrivateAddresses: false';
    const config = `factories:
  - { name: a, ${source}, notify: [{ ${host} }], pullRequests: { ${host} } }
  - { name: b, ${source}, runs: { results: [{ type: webhook, secretName: A, url: "https://127.0.0.1/" }] } }
alerts: { targets: [{ name: x, type: webhook, secretName: A, url: "https://[::1]/" }] }
`;
    const private_ = (key: string, address: string) =>
      `error targets: ${key} cannot be used: the address ${address} is private or reserved. If this address is meant, set allowPrivateAddresses to true.`;
    expect(await only('targets', { config })).toEqual([
      private_('factories[0].notify[0].url', '10.0.0.1'),
      private_('factories[0].pullRequests.url', '10.0.0.1'),
      private_('factories[1].runs.results[0].url', '127.0.0.1'),
      private_('alerts.targets[0].url', '::1'),
    ]);
    expect(await only('targets', { config: config.replaceAll('10.0.0.1', 'git.example') })).toHaveLength(2);
  });

  it('proxy headers that are trusted from nowhere, or from everywhere', async () => {
    const https = 'baseUrl: https://hooks.example.com\n';
    expect(await only('trusted-proxies', { config: https })).toEqual([
      expect.stringContaining('trustedProxies is empty'),
    ]);
    expect(await only('trusted-proxies', { config: `${https}trustedProxies: [127.0.0.1]\n` })).toEqual([]);
    expect(await only('trusted-proxies', { config: `${https}trustedProxies: ["0.0.0.0/0"]\n` })).toEqual([
      expect.stringContaining('every client can choose its address'),
    ]);
    expect(await only('trusted-proxies', { config: 'baseUrl: http://127.0.0.1:8787\n' })).toEqual([]);
    const running = { unreadHops: () => ({ count: 3, last: 'a"b' }) };
    expect(await only('trusted-proxies', { running })).toEqual([
      expect.stringContaining('3 hops were not understood in X-Forwarded-For since the start, the last one "a\\"b"'),
    ]);
  });

  it('retention that does not fit on the disk, and files of runs that do not exist', async () => {
    const db = new Database(join(dataDir, 'dockbell.db'));
    const insert = db.prepare(
      "INSERT INTO deliveries (id, webhook, label, size, count, received_at, client_address) VALUES (?, 1, 0, 1, 1, ?, '')",
    );
    for (const hours of [0, 2]) insert.run(`dlv_${hours}`, hours * 3_600_000);
    db.close();
    expect(await only('retention', { config: 'retention: { deliveries: 36500d, identities: 36500d }\n' })).toEqual([
      expect.stringContaining('warning retention: at the present rate, the database grows to about'),
    ]);
    expect(await only('retention', { config: 'retention: { runBytes: 9007199254740991 }\n' })).toEqual([]);
    mkdirSync(join(dataDir, 'runs'));
    expect(await only('retention', { config: 'retention: { runBytes: 9007199254740991 }\n' })).toHaveLength(1);
    for (let n = 100; n < 200; n += 1) mkdirSync(join(dataDir, `runs/run_01kdy5zabcdefghjkmnpqrs${n}`));
    expect(await only('orphaned-runs')).toEqual([expect.stringContaining('100 runs have directories')]);
  });

  it('scheduled backups on the same disk, and late ones', async () => {
    const conditions = () => [{ type: 'BackupOverdue', message: 'the scheduled backup failed' }];
    mkdirSync(join(root, 'backups'));
    const given = { config: `backup: { dir: ${join(root, 'backups')} }\n`, running: { conditions } };
    expect(await only('backup', given)).toEqual([
      'error backup: the scheduled backup failed',
      expect.stringContaining('is on the same file system'),
    ]);
  });
});

describe('the public URL', () => {
  const servers: Server[] = [];
  afterAll(() => servers.map((server) => server.close()));

  /** Another server than the daemon. */
  async function answer(status: number, headers: Record<string, string> = {}): Promise<string> {
    const server = createServer((_request, response) => response.writeHead(status, headers).end('{"status":"ok"}'));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const probe = (baseUrl: string, wasSeen: boolean) => {
    const expectProbe = () => ({ uid: 'wh_probe', wasSeen: async () => wasSeen, end: () => {} });
    return only('base-url', { running: { baseUrl, expectProbe } });
  };

  it('is right if this daemon has seen the probe, and wrong if another server answers, redirects or does not answer', async () => {
    expect(await probe(await answer(404), true)).toEqual([]);
    expect(await probe(await answer(200), false)).toEqual([expect.stringContaining('do not reach this daemon')]);
    expect(await probe(await answer(301, { location: 'https://x.example' }), false)).toEqual([
      expect.stringContaining('redirects deliveries (status 301)'),
    ]);
    expect(await probe('http://127.0.0.1:1', false)).toEqual([
      expect.stringContaining('cannot be reached from this machine'),
    ]);
    expect(await only('base-url')).toEqual([]);
  });
});

describe('dockbell doctor', () => {
  let daemon: TestDaemon;
  let other: TestDaemon;
  beforeAll(async () => {
    other = await startTestDaemon({ config: { factories: [] } });
    daemon = await startTestDaemon({
      config: { factories: [{ name: 'rows', source: { type: 'live' } }], baseUrl: other.ingressUrl },
    });
  });
  afterAll(async () => void (await Promise.all([daemon, other].map((one) => one.end('SIGTERM')))));

  it('shows a target that never works in a daemon that runs with it, and that logged it at its start', {
    tags: 'full',
  }, async () => {
    const target = { name: 'x', type: 'webhook', secretName: 'A', url: 'https://127.0.0.1/' };
    const started = await startTestDaemon({ config: { factories: [], alerts: { targets: [target] } } });
    const message = 'alerts.targets[0].url cannot be used: the address 127.0.0.1 is private or reserved.';
    expect(started.output()).toContain(message);
    expect((await started.cli('doctor')).stdout).toContain(`✗ targets: ${message}`);
    expect(await started.end('SIGTERM')).toBe(0);
  });

  it('probes the public URL through a running daemon, and tells daemons apart', async () => {
    const found = await daemon.cli('doctor', '--json');
    expect(found.code).toBe(1);
    const { running, checks, findings } = JSON.parse(found.stdout);
    const applied = CHECKS.filter(({ storage }) => storage !== 'postgres');
    expect([running, checks]).toEqual([true, applied.map(({ name }) => name)]);
    expect(findings).toContainEqual({
      severity: 'error',
      check: 'base-url',
      message: `baseUrl ${other.ingressUrl} is answered (status 404), but deliveries to it do not reach this daemon`,
      hint: expect.stringContaining('/webhooks/w/'),
    });
    const right = JSON.parse((await other.cli('doctor', '--json')).stdout);
    expect(right.findings.filter(({ check }: { check: string }) => check === 'base-url')).toEqual([]);
  });

  it('is for owners, and examines a stopped daemon by its configuration', async () => {
    const token = JSON.parse((await daemon.cli('token', 'create', 'm', '--role', 'manager', '--json')).stdout).token;
    expect((await daemon.api('/doctor', { token })).status).toBe(403);
    const file = join(root, 'dockbell.yaml');
    writeFileSync(file, `dataDir: ${dataDir}\nmasterKeyFile: ${join(root, 'keys/master.key')}\n`);
    const stopped = await runCli(['doctor', '--config', file], { cwd: root, env: { PATH } });
    expect(stopped.stdout).toContain('✓ schema\n');
    expect(stopped.stdout).toContain('its public URL was not checked.');
    chmodSync(dataDir, 0o777);
    const open = await runCli(['doctor', '--config', file], { cwd: root, env: { PATH } });
    expect([open.code, open.stdout]).toEqual([1, expect.stringContaining('✗ permissions: dataDir')]);
    const unknown = await runCli(['doctor', '--config', join(root, 'missing.yaml')], { cwd: root, env: { PATH } });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('does not exist')]);
  });
});
