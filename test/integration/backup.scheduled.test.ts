import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/domain/ports/logger.ts';
import type { OpenBackup } from '../../src/domain/ports/operations.ts';
import { describeSource } from '../../src/operations/backup/describe-source.ts';
import { OnlineBackups } from '../../src/operations/backup/online-backups.ts';
import { ScheduledBackups } from '../../src/operations/backup/scheduled-backups.ts';
import { verifyBackup } from '../../src/operations/backup/store-backup.ts';
import { describeBackups } from '../../src/operations/health/live-conditions.ts';
import { openSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { eventually } from '../helpers/eventually.ts';
import { createDatabaseFile } from '../helpers/new-database.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 23, 5, 0, 0);

let now: number;
let monotonic: number;
let dataDir: string;
let dir: string;
let storage: SqliteStorage;
let logged: { message: string; problem?: string; file?: string }[];
/** What the timer of the current schedule calls. */
let tick: (() => void) | null;
let onLog: (message: string) => void;
const started: ScheduledBackups[] = [];

beforeEach(() => {
  [now, monotonic, logged, tick, onLog] = [START, 0, [], null, () => {}];
  dataDir = createTempDir('scheduled');
  dir = join(createTempDir('backups'), 'a/b');
  const file = join(dataDir, 'dockbell.db');
  createDatabaseFile(file);
  storage = openSqliteStorage(file);
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  storage.close();
});

const clock = { wallMs: () => now, monotonicMs: () => monotonic };
const log = (fields: object, message: string) => {
  logged.push({ ...fields, message });
  onLog(message);
};
const logger: Logger = { info: log, warn: log, error: log, child: () => logger };

/** A daemon starts. `change` can look at the content of a backup while it is read. */
function start(keep = 2, change: (backup: OpenBackup) => Promise<OpenBackup> = async (same) => same): ScheduledBackups {
  const source = describeSource({ dataDir, masterKeyFile: join(dataDir, 'master.key'), environmentValue: undefined });
  const backups = new OnlineBackups(source, clock);
  const scheduled = new ScheduledBackups({
    policy: { everyMs: HOUR_MS, keep, dir },
    backups: { open: async (request, signal) => change(await backups.open(request, signal)) },
    idFile: source.paths.backupId,
    clock,
    logger,
    schedule: (_delayMs, callback) => {
      tick = callback;
      return () => {};
    },
  });
  started.push(scheduled);
  scheduled.start();
  return scheduled;
}

/** Time passes, and the timer fires. */
async function pass(ms: number): Promise<void> {
  now += ms;
  monotonic += ms;
  await look();
}

async function look(): Promise<void> {
  const call = await eventually(() => tick);
  tick = null;
  call();
  await eventually(() => tick);
}

const list = () => readdirSync(dir).sort();
const at = (name: string) => /T(\d{6})Z/.exec(name)?.[1];

describe('scheduled backups', () => {
  it('are stored at the start and at the interval, also after a restart, and the oldest are removed', async () => {
    const first = start();
    await eventually(() => tick);
    expect(list().map(at)).toEqual(['050000']);
    await expect(verifyBackup(join(dir, list()[0]!), () => {})).resolves.toMatchObject({ files: 1 });
    await pass(HOUR_MS / 2);
    expect(list()).toHaveLength(1);
    await first.stop();
    // The new process has another monotonic clock.
    [monotonic, tick] = [5, null];
    const second = start();
    await eventually(() => tick);
    expect(list()).toHaveLength(1);
    expect(second.status()).toMatchObject({ lastSuccess: { at: START }, nextAt: START + HOUR_MS });
    await pass(HOUR_MS / 2);
    expect(list().map(at)).toEqual(['050000', '060000']);
    await pass(HOUR_MS);
    expect(list().map(at)).toEqual(['060000', '070000']);
    expect(logged.map(({ message }) => message)).toEqual([
      'backup stored',
      'backup stored',
      'backup stored',
      'old backup removed',
    ]);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('are aborted by a stop, also while the file is written', { tags: 'full' }, async () => {
    let stopping: { ended: Promise<void> } | null = null;
    const scheduled: ScheduledBackups = start(2, async (backup) => {
      const content = async function* () {
        for await (const piece of backup.content) {
          stopping ??= { ended: scheduled.stop() };
          yield piece;
        }
      };
      return { ...backup, content: content() };
    });
    await (await eventually(() => stopping)).ended;
    expect([list(), readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))]).toEqual([[], []]);
    expect([logged, describeBackups(scheduled)]).toEqual([[], null]);
  });

  it('are stored also if an earlier file cannot be removed, and the other old files are removed', {
    tags: 'full',
  }, async () => {
    start(1);
    await eventually(() => tick);
    const first = list()[0]!;
    // `rm` without `recursive` rejects a folder.
    mkdirSync(join(dir, first.replace(/T.*/, 'T000000Z.tar.0123456789abcdef.tmp')));
    const second = first.replace(/T.*/, 'T010000Z.tar');
    writeFileSync(join(dir, second), '');
    onLog = (message) => {
      if (message !== 'backup stored') return;
      rmSync(join(dir, first));
      mkdirSync(join(dir, first));
      onLog = () => {};
    };
    await pass(HOUR_MS);
    expect(
      list()
        .filter((name) => name.endsWith('.tar'))
        .map(at),
    ).toEqual(['050000', '060000']);
    expect(logged.map(({ message }) => message)).toEqual([
      'backup stored',
      'old backup not removed',
      'backup stored',
      'old backup not removed',
      'old backup removed',
    ]);
  });

  it('never delete files of another daemon or of anybody else', { tags: 'full' }, async () => {
    const others = ['dockbell-00000000-20200101T000000Z.tar', 'dockbell-20200101T000000Z.tar', 'notes.txt'];
    mkdirSync(dir, { recursive: true });
    for (const name of others) writeFileSync(join(dir, name), '');
    start(1);
    await eventually(() => tick);
    const id = readFileSync(join(dataDir, 'backup-id'), 'utf8').trim();
    const folder = `dockbell-${id}-20200101T000000Z.tar`;
    mkdirSync(join(dir, folder));
    const unfinished = `dockbell-${id}-20200101T000000Z.tar.0123456789abcdef.tmp`;
    for (const name of [unfinished, others[0]!.concat('.0123456789abcdef.tmp')]) writeFileSync(join(dir, name), '');
    await pass(HOUR_MS);
    expect(list()).toEqual(
      [...others, folder, others[0]!.concat('.0123456789abcdef.tmp'), `dockbell-${id}-20261123T060000Z.tar`].sort(),
    );
  });

  it('are tried again after a failure, which is a condition until one is stored', async () => {
    writeFileSync(join(dir, '../../file'), '');
    dir = join(dir, '../../file/backups');
    const scheduled = start();
    await eventually(() => tick);
    expect(describeBackups(scheduled)).toMatchObject({
      type: 'BackupOverdue',
      reason: 'BackupFailed',
      message: expect.stringMatching(/no backup was stored yet: The folder .* cannot be created/),
    });
    expect(logged).toEqual([
      { message: 'scheduled backup failed', problem: expect.stringContaining('cannot be created') },
    ]);
    await pass(60_000);
    expect(logged).toHaveLength(1);
    rmSync(join(dir, '..'));
    await pass(15 * 60_000);
    expect([list().length, describeBackups(scheduled)]).toEqual([1, null]);
  });

  it('are overdue if the last one is older than the interval and an hour', { tags: 'full' }, async () => {
    const scheduled = start();
    await eventually(() => tick);
    now += 2 * HOUR_MS;
    expect(describeBackups(scheduled)).toBeNull();
    now += 1;
    expect(describeBackups(scheduled)).toMatchObject({
      reason: 'NoRecentBackup',
      message: expect.stringContaining('the last backup is of 2026-11-23T05:00:00.000Z'),
    });
  });

  it('are not made again and again after the clock was set back', { tags: 'full' }, async () => {
    start();
    await eventually(() => tick);
    now -= 24 * HOUR_MS;
    await pass(60_000);
    expect(list()).toHaveLength(1);
    await pass(HOUR_MS);
    expect(list().map(at)).toEqual(['060100', '050000']);
    await pass(60_000);
    expect(list()).toHaveLength(2);
  });
});

describe('backups on request', () => {
  it('are opened as soon as the last byte of the backup before was read', async () => {
    const source = describeSource({ dataDir, masterKeyFile: join(dataDir, 'master.key'), environmentValue: undefined });
    const backups = new OnlineBackups(source, clock);
    const open = () => backups.open({ logs: false, includeKey: false }, new AbortController().signal);
    const first = await open();
    const content = first.content[Symbol.asyncIterator]();
    for (let read = 0; read < first.bytes; ) read += (await content.next()).value!.length;
    expect(backups.running).toBeNull();
    const second = open();
    await first.discard();
    await (await second).discard();
  });
});
