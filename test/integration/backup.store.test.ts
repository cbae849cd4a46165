import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  type WatchEventType,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BackupRequest, OpenBackup } from '../../src/domain/ports/operations.ts';
import { describeSource } from '../../src/operations/backup/describe-source.ts';
import { openOfflineBackup } from '../../src/operations/backup/offline-backup.ts';
import { restoreBackup } from '../../src/operations/backup/restore-backup.ts';
import { storeBackup } from '../../src/operations/backup/store-backup.ts';
import { lockDataDir } from '../../src/storage/data-dir-lock.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

let dataDir: string;
/** A whole backup of it. */
let archive: Buffer;
let folder: string;
let path: string;

/** A stopped daemon with a managed repository and the start records of two runs. */
function createDataDir(): string {
  const created = createTempDir('data');
  openSqliteStorage(join(created, 'dockbell.db')).close();
  mkdirSync(join(created, 'managed/ours.git/refs/heads'), { recursive: true });
  writeFileSync(join(created, 'managed/ours.git/refs/heads/main'), `${'0'.repeat(40)}\n`);
  return created;
}

const openBackup = (request: Partial<BackupRequest> = {}, of = dataDir): Promise<OpenBackup> => {
  const source = describeSource({
    dataDir: of,
    masterKeyFile: join(of, 'master.key'),
    environmentValue: undefined,
  });
  const parts = { signal: new AbortController().signal, onProgress: () => {} };
  return openOfflineBackup(source, { logs: false, includeKey: false, ...request }, parts);
};

async function read({ content, discard }: OpenBackup): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  await discard();
  return Buffer.concat(pieces);
}

/** In pieces, so that the test can look at the folder between two of them. */
async function* cut(bytes: Uint8Array, onHalf: () => void = () => {}): AsyncGenerator<Uint8Array> {
  const half = Math.floor(bytes.length / 2);
  yield bytes.subarray(0, half);
  onHalf();
  yield bytes.subarray(half);
}

const store = (content: AsyncIterable<Uint8Array>, force = false, onProgress = () => {}) =>
  storeBackup(path, content, { force, onProgress });

beforeAll(async () => {
  dataDir = createDataDir();
  archive = await read(await openBackup());
});
beforeEach(() => {
  folder = createTempDir('stored');
  path = join(folder, 'backup.tar');
});

describe('a stored backup', () => {
  it('has its name only when it is complete and verified', async () => {
    const isThere: boolean[] = [];
    const look = () => void isThere.push(existsSync(path));
    await expect(store(cut(archive, look), false, look)).resolves.toMatchObject({ files: 2, bytes: archive.length });
    expect(isThere.length).toBeGreaterThan(3);
    expect(new Set(isThere)).toEqual(new Set([false]));
    expect(readdirSync(folder)).toEqual(['backup.tar']);
    expect(readFileSync(path).equals(archive)).toBe(true);
  });

  const damage = (at: number) => {
    const damaged = Buffer.from(archive);
    damaged[at]! ^= 1;
    return damaged;
  };
  it.each<[problem: string, content: () => Buffer]>([
    ['cut off', () => archive.subarray(0, archive.length - 1024 * 4)],
    ['damaged in transit', () => damage(Math.floor(archive.length / 2))],
    ['empty', () => Buffer.alloc(0)],
  ])('is not stored if it is %s, and replaces nothing', async (_problem, content) => {
    await expect(store(cut(content()))).rejects.toMatchObject({ code: 'bad_request' });
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(path, 'the last backup');
    await expect(store(cut(content()), true)).rejects.toMatchObject({ code: 'bad_request' });
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['backup.tar'], 'the last backup']);
  });

  it('is not stored if its content fails', async () => {
    const content = cut(archive, () => {
      throw new Error('the connection was lost');
    });
    await expect(store(content)).rejects.toThrow('the connection was lost');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never replaces a file without force, also one that was created meanwhile', async () => {
    await expect(store(cut(archive, () => writeFileSync(path, 'of somebody else')))).rejects.toMatchObject({
      code: 'conflict',
      message: `${path} was created meanwhile`,
    });
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['backup.tar'], 'of somebody else']);
    await expect(store(cut(archive))).rejects.toMatchObject({ code: 'conflict' });
    await store(
      cut(archive, () => expect(readFileSync(path, 'utf8')).toBe('of somebody else')),
      true,
    );
    expect(readFileSync(path).equals(archive)).toBe(true);
  });

  it('never replaces a symbolic link', async () => {
    const elsewhere = join(createTempDir('elsewhere'), 'file');
    writeFileSync(elsewhere, 'kept');
    symlinkSync(elsewhere, path);
    await expect(store(cut(archive), true)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(elsewhere, 'utf8')).toBe('kept');
  });

  it('removes what a killed command left an hour ago, and not the file of one that works', async () => {
    const [old, young] = [`${path}.0123456789abcdef.tmp`, `${path}.fedcba9876543210.tmp`];
    for (const file of [old, young]) writeFileSync(file, '');
    const hourAgo = Date.now() / 1000 - 3601;
    utimesSync(old, hourAgo, hourAgo);
    await store(cut(archive));
    expect(readdirSync(folder).sort()).toEqual(['backup.tar', 'backup.tar.fedcba9876543210.tmp']);
  });
});

describe('a backup of a stopped daemon', () => {
  it('holds the lock of the data directory until it is discarded', async () => {
    const backup = await openBackup();
    expect(() => lockDataDir(dataDir)).toThrow('is in use by another Dockbell');
    await store(backup.content);
    expect(() => lockDataDir(dataDir)).toThrow('is in use by another Dockbell');
    await backup.discard();
    lockDataDir(dataDir).release();
  });

  it('fails while another process uses the data directory', async () => {
    const lock = lockDataDir(dataDir);
    await expect(openBackup()).rejects.toMatchObject({ code: 'data_dir_locked' });
    lock.release();
  });

  it('fails with a damaged database, and leaves nothing behind', async () => {
    const damaged = createDataDir();
    const file = join(damaged, 'dockbell.db');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4096 * 4, 4096 * 6));
    const { code, stderr } = await runCli(['backup', path, '--data-dir', damaged]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} is damaged`)]);
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(damaged).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('has start records only of runs that have not ended', async () => {
    const of = createDataDir();
    const db = new Database(join(of, 'dockbell.db'));
    db.pragma('foreign_keys = OFF');
    const runs = { run_queued: 'queued', run_running: 'running', run_ended: 'succeeded' };
    const columns = db.prepare(
      'SELECT name FROM pragma_table_info(\'runs\') WHERE "notnull" AND dflt_value IS NULL AND NOT pk',
    );
    const others = (columns.pluck().all() as string[]).filter((name) => !['id', 'state'].includes(name));
    const names = ['id', 'state', ...others];
    const insert = db.prepare(`INSERT INTO runs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`);
    for (const [id, state] of Object.entries(runs)) {
      insert.run(id, state, ...others.map((name) => (name === 'automation' ? id : 1)));
      mkdirSync(join(of, 'tickets', id), { recursive: true });
      writeFileSync(join(of, 'tickets', id, '1'), '');
    }
    db.close();
    const { content, discard } = await openBackup({}, of);
    await store(content);
    await discard();
    const target = join(createTempDir('target'), 'data');
    await restoreBackup({ file: path, dataDir: target, onProgress: () => {} });
    expect(readdirSync(join(target, 'tickets')).sort()).toEqual(['run_queued', 'run_running']);
  });
});

describe('a restore', () => {
  const restore = (target: string, onProgress = () => {}) => restoreBackup({ file: path, dataDir: target, onProgress });
  beforeEach(() => writeFileSync(path, archive));

  it('gives a new data directory its name only when it is complete', async () => {
    const target = join(createTempDir('target'), 'data');
    const isThere: boolean[] = [];
    await restore(target, () => void isThere.push(existsSync(target)));
    expect(isThere.length).toBeGreaterThan(1);
    expect(new Set(isThere)).toEqual(new Set([false]));
    expect(readdirSync(target).sort()).toEqual(['dockbell.db', 'managed']);
    expect(readdirSync(dirname(target))).toEqual(['data']);
  });

  it('rejects an empty directory that another process uses', async () => {
    const target = createTempDir('target');
    const lock = lockDataDir(target);
    await expect(restore(target)).rejects.toMatchObject({ code: 'data_dir_locked' });
    lock.release();
    expect(readdirSync(target)).toEqual(['daemon.lock']);
    await restore(target);
    expect(readdirSync(target)).toContain('dockbell.db');
  });

  it('moves the database last, because no daemon starts without it', async () => {
    const target = createTempDir('target');
    const moved: (string | null)[] = [];
    const watcher = watch(target, (_event: WatchEventType, name) => void moved.push(name));
    await restore(target);
    await eventually(() => moved.includes('dockbell.db') && moved.includes('managed'));
    watcher.close();
    expect(moved.indexOf('managed')).toBeLessThan(moved.indexOf('dockbell.db'));
  });
});
