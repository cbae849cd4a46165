import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DeliveryId } from '../../src/domain/ids.ts';
import { startStorage } from '../../src/storage/thread/start-storage.ts';
import { findBrokenPromises } from '../helpers/check-promises.ts';
import {
  applyCiFactory,
  CI_AUTOMATIONS,
  CI_TOKEN,
  configureCiFactory,
  createCiRepository,
  settleCiFactory,
} from '../helpers/ci-factory.ts';
import { type Ledger, sendUntilBroken } from '../helpers/delivery-load.ts';
import { eventually } from '../helpers/eventually.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import {
  type DaemonProcess,
  launchTestDaemon,
  runBuiltCli,
  startTestDaemon,
  type TestDaemonOptions,
} from '../helpers/test-daemon.ts';

// Up to three daemons are started in a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

const STORAGE_WORKER = new URL('../../dist/storage/sqlite/thread/worker.js', import.meta.url);
const LIMITED_DATABASE = pathToFileURL(join(import.meta.dirname, '../helpers/limited-database.mjs')).href;

/** Writes a mark and runs until SIGTERM. If the folder contains a file `quick`, it exits immediately. */
const COMMAND = `#!/bin/sh
echo "$DOCKBELL_RUN_ID \${PWD##*/}" >> "$1/marks"
[ -e "$1/quick" ] && exit 0
trap 'echo "$DOCKBELL_RUN_ID" >> "$1/terminated"; exit 3' TERM
sleep 60 &
wait
`;

let repo: TempGitRepo;
let prepared: Prepared;
const running: DaemonProcess[] = [];

beforeAll(async () => {
  repo = await createCiRepository();
  prepared = await prepareDataDir();
});

afterAll(() => repo.remove());

afterEach(async () => {
  await Promise.all(running.splice(0).map((daemon) => daemon.end('SIGKILL')));
});

interface Scene {
  /** The folder in which the command writes its marks. */
  folder: string;
  options: TestDaemonOptions & { dataDir: string };
}

/** A data directory after a clean stop of a daemon. Each test gets a copy. */
interface Prepared {
  dataDir: string;
  webhookUid: string;
  /** The only delivery. Its body has many pages and its runs have ended. */
  delivery: DeliveryId;
}

/** Creates a copy of the prepared data directory. */
function createScene(folder = createTempDir('faults')): Scene {
  // A small file system has no space for the ballast.
  cpSync(prepared.dataDir, folder, { recursive: true, filter: (file) => !file.endsWith('.ballast') });
  return createSceneIn(folder);
}

function createSceneIn(dataDir: string): Scene {
  const folder = createTempDir('faults-command');
  const script = join(folder, 'command.sh');
  writeFileSync(script, COMMAND);
  writeFileSync(join(folder, 'quick'), '');
  return { folder, options: { dataDir, config: configureCiFactory(repo, ['/bin/sh', script, folder]) } };
}

async function serve(options: TestDaemonOptions): Promise<DaemonProcess> {
  const daemon = await startTestDaemon(options);
  running.push(daemon);
  return daemon;
}

async function prepareDataDir(): Promise<Prepared> {
  const { options } = createSceneIn(createTempDir('faults'));
  const daemon = await serve(options);
  const webhookUid = await applyCiFactory(daemon);
  expect((await post(daemon, 'prepared', { webhookUid, sizeBytes: 200_000 })).status).toBe(202);
  const { body } = await daemon.api(`/factories/payments/webhooks/${webhookUid}/deliveries`);
  await settleCiFactory(daemon, await repo.git(['rev-parse', 'HEAD']));
  expect(await daemon.end('SIGTERM')).toBe(0);
  return { dataDir: options.dataDir, webhookUid, delivery: body.data[0].id };
}

/** Sends a body that needs new pages. */
function post(
  daemon: DaemonProcess,
  name: string,
  { webhookUid = prepared?.webhookUid, sizeBytes = 50_000 } = {},
): Promise<Response> {
  return fetch(`${daemon.ingressUrl}/webhooks/w/${webhookUid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}`, 'x-service-delivery-id': name },
    body: JSON.stringify({ start: true, filling: 'x'.repeat(sizeBytes) }),
  });
}

async function askReady(daemon: DaemonProcess): Promise<{ status: number; problems: string }> {
  const response = await fetch(`${daemon.adminUrl}/readyz`);
  const body = (await response.json()) as { problems: string[] };
  return { status: response.status, problems: body.problems.join(' ') };
}

/** Counts deliveries, bodies and runs, which must match. */
function countRows(dataDir: string): { accepted: number; bodies: number; runs: number; check: unknown } {
  const db = new Database(join(dataDir, 'dockbell.db'), { readonly: true });
  const count = (sql: string) => db.prepare<[], number>(sql).pluck().get()!;
  const rows = {
    accepted: count('SELECT count(*) FROM deliveries WHERE label = 0'),
    bodies: count('SELECT count(*) FROM delivery_contents'),
    runs: count('SELECT count(*) FROM runs'),
    check: db.pragma('integrity_check', { simple: true }),
  };
  db.close();
  return rows;
}

/** Starts a daemon that must fail to start. Returns its exit code and output. */
async function startFailing(options: TestDaemonOptions): Promise<{ code: number | null; output: string }> {
  const launched = launchTestDaemon(options);
  const serving = await launched.serving;
  if (serving !== null) running.push(serving);
  expect(serving, 'it serves').toBeNull();
  return { code: await launched.exited, output: launched.output() };
}

describe('a full disk (threat model D4)', () => {
  /** Fills the disk under a running daemon, frees it again, and checks that every delivery is stored completely. */
  async function expectRejectionAndRecovery(scene: Scene, fill: () => void, makeRoom: () => void): Promise<void> {
    const daemon = await serve(scene.options);
    expect((await post(daemon, 'before')).status).toBe(202);
    expect(await askReady(daemon)).toMatchObject({ status: 200 });

    fill();
    let accepted = 2;
    const rejected = await eventually(async () => {
      const response = await post(daemon, `filling-${accepted}`);
      if (response.status !== 202) return response;
      accepted += 1;
      return null;
    });
    expect(rejected.status).toBe(503);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await askReady(daemon)).toMatchObject({ status: 503, problems: expect.stringMatching(/full|free/) });

    makeRoom();
    // The sender retries the same delivery.
    await eventually(async () => (await post(daemon, `filling-${accepted}`)).status === 202);
    accepted += 1;
    expect(await eventually(async () => (await askReady(daemon)).status === 200)).toBe(true);
    await settleCiFactory(daemon, await repo.git(['rev-parse', 'HEAD']));
    expect(await daemon.end('SIGTERM')).toBe(0);
    const runs = accepted * CI_AUTOMATIONS.length;
    expect(countRows(scene.options.dataDir)).toEqual({ accepted, bodies: accepted, runs, check: 'ok' });
  }

  it('answers 503 with Retry-After on a full disk, is not ready, and recovers when there is space', async () => {
    const scene = createScene();
    const limit = join(scene.folder, 'limit');
    scene.options.env = { NODE_OPTIONS: `--import=${LIMITED_DATABASE}`, LIMITED_DATABASE: limit };
    await expectRejectionAndRecovery(
      scene,
      () => writeFileSync(limit, ''),
      () => rmSync(limit),
    );
  });

  const mayMount = tryOnSmallDisk(async () => {}) !== null;
  if (!mayMount) console.warn('Skipped: a test on a full file system, because mounting one needs root.');

  it.skipIf(!mayMount)(
    'does the same on a file system without a free byte, where a start fails with exit code 1',
    async () => {
      await tryOnSmallDisk(async (folder) => {
        const filler = join(folder, 'filler');
        const scene = createScene(folder);
        fillDisk(filler);
        const { code, output } = await startFailing(scene.options);
        // A transient error: a service manager restarts the daemon.
        expect(output).toContain('start Dockbell again');
        expect(code).toBe(1);
        rmSync(filler);

        await expectRejectionAndRecovery(
          scene,
          () => fillDisk(filler),
          () => rmSync(filler),
        );
      });
    },
  );
});

/** Runs `work` in a small separate file system. Returns `null` if this user cannot mount one. */
function tryOnSmallDisk(work: (folder: string) => Promise<void>): Promise<void> | null {
  const folder = createTempDir('small-disk');
  try {
    // Too small for the ballast, whose release would hide the full disk.
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=0700', 'dockbell-test', folder], { stdio: 'pipe' });
  } catch {
    return null;
  }
  // Lazy, because a daemon may still use the folder after a failed test.
  return work(folder).finally(() => execFileSync('umount', ['--lazy', folder]));
}

function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w');
  for (let bytes = 1024 * 1024; bytes >= 1; ) {
    try {
      writeSync(descriptor, Buffer.alloc(bytes));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(descriptor);
}

describe('a broken storage (threat model D3)', () => {
  it('stops the daemon with exit code 1, accepts nothing more, and works again after the repair', async () => {
    const scene = createScene();
    const database = join(scene.options.dataDir, 'dockbell.db');
    const payloadPath = `/deliveries/${prepared.delivery}/payload`;
    const { damage, repair } = findBody(database);
    await expectNoWrites(database, damage);
    repair();

    const daemon = await serve(scene.options);
    damage();
    const answers: number[] = [];
    const sending = keepPosting(daemon, answers);
    await eventually(() => answers.length >= 3);
    expect(await daemon.api(payloadPath)).toMatchObject({ status: 503, body: { code: 'storage_damaged' } });
    // One answer may have been in transit.
    const answered = answers.length + 1;
    await sending;
    expect(await daemon.exited).toBe(1);
    expect(answers.slice(0, 3)).toEqual([202, 202, 202]);
    expect(answers.slice(answered)).not.toContain(202);
    expect(daemon.output()).toMatch(/storage broken.*start it again/);
    expect(existsSync(join(scene.options.dataDir, 'daemon.json'))).toBe(false);

    const failed = await startFailing(scene.options);
    expect(failed.code).toBe(2);
    expect(failed.output).toMatch(/is damaged.*restore a backup with "dockbell restore/);

    repair();
    const repaired = await serve(scene.options);
    expect((await repaired.api(payloadPath)).status).toBe(200);
    expect((await post(repaired, 'after the repair')).status).toBe(202);
    expect(await repaired.end('SIGTERM')).toBe(0);
    const accepted = answers.filter((status) => status === 202).length + 2;
    expect(countRows(scene.options.dataDir)).toMatchObject({ accepted, bodies: accepted, check: 'ok' });
  });
});

/** Sends deliveries sequentially until the daemon does not answer. */
async function keepPosting(daemon: DaemonProcess, answers: number[]): Promise<void> {
  for (;;) {
    try {
      answers.push((await post(daemon, `delivery-${answers.length}`, { sizeBytes: 10 })).status);
    } catch {
      return;
    }
  }
}

/** After it has found damage, the storage rejects every operation. */
async function expectNoWrites(database: string, damage: () => void): Promise<void> {
  const thread = await startStorage(STORAGE_WORKER, { file: database });
  const { deliveryLog, deliveryReader } = thread.storage;
  const broken = expect.objectContaining({ code: 'storage_damaged' });
  expect(await deliveryLog.record([])).toEqual([]);
  damage();
  await expect(deliveryReader.payload(prepared.delivery)).rejects.toEqual(broken);
  await expect(deliveryLog.record([])).rejects.toEqual(broken);
  expect(await thread.broken).toEqual(broken);
  await thread.close();
}

/** Finds a page of the long body, to break and repair the list of its pages. */
function findBody(database: string): { damage(): void; repair(): void } {
  const pageBytes = 4096;
  const content = readFileSync(database);
  // An overflow page begins with the number of the next page and contains only the body.
  const inner = Buffer.alloc(pageBytes - 4, 'x');
  let at = pageBytes;
  while (!content.subarray(at + 4, at + pageBytes).equals(inner)) at += pageBytes;
  return {
    damage: () => overwrite(database, at, Buffer.alloc(4, 0xff)),
    repair: () => overwrite(database, at, content.subarray(at, at + 4)),
  };
}

function overwrite(file: string, position: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

function hashFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

describe('a data directory that cannot be used', () => {
  // All tests share a folder: each one restores it, and the last one checks that the daemon starts again.
  let scene: Scene;
  let database: string;
  beforeAll(() => {
    scene = createScene();
    database = join(scene.options.dataDir, 'dockbell.db');
  });

  it('is rejected if the file is not a database, and the file is not changed (threat model D3)', async () => {
    const whole = readFileSync(database);
    writeFileSync(database, Buffer.from(whole).fill('garbage ', 0, 4096));
    const damaged = hashFile(database);
    const { code, output } = await startFailing(scene.options);
    expect(code).toBe(2);
    expect(output).toContain(database);
    expect(output).toContain('not a database');
    expect(output).toContain('restore a backup with "dockbell restore');
    expect(hashFile(database)).toBe(damaged);
    writeFileSync(database, whole);
  });

  it.each([
    ['is missing', (file: string) => rmSync(file)],
    ['is empty', (file: string) => writeFileSync(file, '')],
  ])('is rejected with exit code 2 if the database %s but other files exist', async (state, lose) => {
    const whole = readFileSync(database);
    lose(database);
    const { code, output } = await startFailing(scene.options);
    expect(code).toBe(2);
    expect(output).toContain(`${database} ${state}, but admin-token`);
    expect(output).toContain('Restore your copy of dockbell.db');
    expect(existsSync(`${database}-wal`)).toBe(false);
    writeFileSync(database, whole);
  });

  it('is rejected with a database of a newer version, and nothing changes (threat model D14)', async () => {
    const version = changeVersion(database, 99);
    const before = hashFile(database);
    const { code, output } = await startFailing(scene.options);
    expect(code).toBe(2);
    expect(output).toMatch(/schema version 99/);
    expect(hashFile(database)).toBe(before);
    expect(readdirSync(scene.options.dataDir).filter((name) => name.includes('before-v'))).toEqual([]);
    changeVersion(database, version);
  });

  it('is rejected with a wrong master key, and nothing is written (threat model S1)', async () => {
    const { dataDir } = scene.options;
    const before = dumpDatabase(dataDir);
    const key = readFileSync(join(dataDir, 'master.key'), 'utf8');
    const wrongKey = Buffer.alloc(32, 9).toString('base64');
    const { code, output } = await startFailing({ ...scene.options, env: { DOCKBELL_MASTER_KEY: wrongKey } });
    expect(code).toBe(2);
    expect(output).toContain('master key is not the one');
    expect(output).not.toContain(wrongKey);
    expect(dumpDatabase(dataDir)).toEqual(before);
    expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toBe(key);
  });

  it('can be used after everything is restored, and a second daemon is rejected (threat model D15)', async () => {
    const first = await serve(scene.options);
    // A second configuration with the same data directory, as a second service would have.
    const file = join(scene.folder, 'second.yaml');
    const { dataDir } = scene.options;
    writeFileSync(file, JSON.stringify({ ...scene.options.config, dataDir, ingress: { port: 0 }, admin: { port: 0 } }));
    const second = await runBuiltCli(['serve', '--config', file]);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining(`process ${first.pid}`) });
    expect(second.stderr).toContain(dataDir);
    expect((await first.api('/factories/payments')).status).toBe(200);
    expect(await first.end('SIGTERM')).toBe(0);
  });
});

/** Returns the previous version. */
function changeVersion(database: string, version: number): number {
  const db = new Database(database);
  const before = db.pragma('user_version', { simple: true }) as number;
  db.pragma(`user_version = ${version}`);
  db.close();
  return before;
}

/** Every row of every table. */
function dumpDatabase(dataDir: string): Record<string, unknown[]> {
  const db = new Database(join(dataDir, 'dockbell.db'), { readonly: true });
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const rows = tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()] as const);
  db.close();
  return Object.fromEntries(rows);
}

describe('a clean stop', () => {
  it('under load stores every delivery with a 202, ends the runs, and the next daemon continues', async () => {
    const scene = createSceneIn(createTempDir('faults'));
    const { dataDir } = scene.options;
    rmSync(join(scene.folder, 'quick'));
    const daemon = await serve(scene.options);
    const uid = await applyCiFactory(daemon);
    const ledger: Ledger = [];
    const target = { url: `${daemon.ingressUrl}/webhooks/w/${uid}`, token: CI_TOKEN };
    const load = { senders: 5, startsRunsPercent: 10, random: createSeededRandom(1), ledger };
    const sending = sendUntilBroken(target, load, new AbortController().signal);
    const marksFile = join(scene.folder, 'marks');
    await eventually(() => ledger.length > 100 && countLines(marksFile) === 4);
    expect(await daemon.end('SIGTERM')).toBe(0);
    await sending;
    expect(existsSync(join(dataDir, 'daemon.json'))).toBe(false);
    expect(countLines(join(scene.folder, 'terminated'))).toBe(4);
    expect(listEnds(dataDir)).toEqual([{ state: 'failed', error: 'interrupted', runs: 4 }]);

    writeFileSync(join(scene.folder, 'quick'), '');
    const next = await serve(scene.options);
    await settleCiFactory(next, await repo.git(['rev-parse', 'HEAD']));
    expect(await next.end('SIGTERM')).toBe(0);
    expect(findBrokenPromises({ dataDir, ledger, marksFile, automations: CI_AUTOMATIONS })).toEqual([]);
    expect(listEnds(dataDir)).toContainEqual({ state: 'failed', error: 'interrupted', runs: 4 });
  });
});

function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** The results of the ended runs. */
function listEnds(dataDir: string): unknown[] {
  const db = new Database(join(dataDir, 'dockbell.db'), { readonly: true });
  const ended = db
    .prepare("SELECT state, error, count(*) AS runs FROM runs WHERE state NOT IN ('queued', 'running') GROUP BY 1, 2")
    .all();
  db.close();
  return ended;
}
