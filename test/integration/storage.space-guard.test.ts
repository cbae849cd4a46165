import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { watchDatabaseSpace } from '../../src/storage/sqlite/disk/database-space.ts';
import { openDatabase, UNREPORTED } from '../../src/storage/sqlite/disk/open-database.ts';
import { createSpaceGuard, type DiskSpace } from '../../src/storage/sqlite/disk/space-guard.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { useFolder } from '../helpers/with-storage.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const ROOMY: DiskSpace = { freeBytes: 50 * GIB, totalBytes: 100 * GIB };
const SHORT = expect.objectContaining({ code: 'storage_unavailable' });

describe('the guard of free space', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  const ballast = () => `${file()}.ballast`;
  const keepBallast = () => createSpaceGuard(file(), { measureSpace: () => ROOMY }).check();

  /** A guard with a disk and a clock that the test controls. */
  function guard(space: DiskSpace) {
    const disk = { ...space, looks: 0, nowMs: 0 };
    const measureSpace = () => {
      disk.looks += 1;
      return disk;
    };
    return { disk, guard: createSpaceGuard(file(), { measureSpace, monotonicMs: () => disk.nowMs }) };
  }

  it.each([
    ['just under 200 MiB of a large disk', 200 * MIB - 1, 100 * GIB, false],
    ['200 MiB of a large disk', 200 * MIB, 100 * GIB, true],
    ['just under 5 % of a small disk', 50 * MIB - 1, 1000 * MIB, false],
    ['5 % of a small disk', 50 * MIB, 1000 * MIB, true],
    ['just under 16 MiB of a tiny disk', 16 * MIB - 1, 100 * MIB, false],
    ['16 MiB of a tiny disk', 16 * MIB, 100 * MIB, true],
    ['nothing', 0, 100 * GIB, false],
  ])('decides about %s', (_, freeBytes, totalBytes, accepts) => {
    keepBallast();
    const { guard: space } = guard({ freeBytes, totalBytes });
    if (accepts) expect(() => space.check()).not.toThrow();
    else expect(() => space.check()).toThrow(SHORT);
  });

  it('measures the disk at most once a second, and then detects changes', () => {
    const { disk, guard: space } = guard(ROOMY);
    space.check();
    const { looks } = disk;
    disk.freeBytes = 0;
    disk.nowMs = 999;
    for (let batch = 0; batch < 1000; batch += 1) space.check();
    expect(disk.looks).toBe(looks);
    disk.nowMs = 1000;
    expect(() => space.check()).toThrow(SHORT);
    disk.freeBytes = ROOMY.freeBytes;
    disk.nowMs = 2000;
    expect(() => space.check()).not.toThrow();
  });

  it('accepts deliveries again only above the limit, so that the state does not flap', () => {
    keepBallast();
    const { disk, guard: space } = guard({ freeBytes: 200 * MIB - 1, totalBytes: 100 * GIB });
    expect(() => space.check()).toThrow(SHORT);
    disk.freeBytes = 216 * MIB - 1;
    disk.nowMs += 1000;
    expect(() => space.check()).toThrow(SHORT);
    disk.freeBytes = 216 * MIB;
    disk.nowMs += 1000;
    expect(() => space.check()).not.toThrow();
    disk.freeBytes = 200 * MIB;
    disk.nowMs += 1000;
    expect(() => space.check()).not.toThrow();
  });

  it('keeps a ballast of 16 MiB that really uses disk space', () => {
    keepBallast();
    const { size, blocks } = statSync(ballast());
    expect(size).toBe(16 * MIB);
    expect(blocks * 512).toBeGreaterThanOrEqual(16 * MIB);
    expect(readdirSync(folder.path)).toEqual(['dockbell.db.ballast']);
  });

  it('keeps an existing ballast, and replaces an incomplete one', () => {
    keepBallast();
    const { ino } = statSync(ballast());
    keepBallast();
    expect(statSync(ballast()).ino).toBe(ino);
    writeFileSync(ballast(), 'cut short');
    keepBallast();
    expect(statSync(ballast()).size).toBe(16 * MIB);
  });

  it('rejects deliveries after it released the ballast, until there is space for both', () => {
    const { disk, guard: space } = guard({ freeBytes: 60 * MIB, totalBytes: 110 * MIB });
    space.check();
    expect(existsSync(ballast())).toBe(true);
    disk.freeBytes = 0;
    space.releaseBallast();
    expect(existsSync(ballast())).toBe(false);
    disk.freeBytes = 16 * MIB;
    expect(() => space.check()).toThrow(SHORT);
    expect(existsSync(ballast())).toBe(false);
    disk.freeBytes = 36 * MIB;
    disk.nowMs += 1000;
    expect(() => space.check()).not.toThrow();
    expect(existsSync(ballast())).toBe(true);
  });

  it('rejects nothing if the disk cannot be measured', () => {
    const measureSpace = () => {
      throw new Error('ENOSYS');
    };
    expect(() => createSpaceGuard(file(), { measureSpace }).check()).not.toThrow();
  });

  it('measures the real disk', () => {
    expect(() => createSpaceGuard(file()).check()).not.toThrow();
  });

  describe('over a database', () => {
    /** A guarded database with at least 4 MiB of rows, on a disk that the test controls. */
    function openGuarded(space: DiskSpace) {
      keepBallast();
      const db = openDatabase(file());
      db.exec('CREATE TABLE filling (body BLOB)');
      const { disk, guard: guarded } = guard(space);
      const fill = () => db.exec('INSERT INTO filling SELECT zeroblob(4096 * 1024)');
      const storage = createSqliteStorage(db, guarded);
      const recheck = () => {
        disk.nowMs += 1000;
        guarded.check();
      };
      return { db, disk, guarded, fill, storage, recheck, space: watchDatabaseSpace(db) };
    }

    it('counts free pages inside the file as space', { tags: 'full' }, () => {
      const { db, disk, fill, recheck, space } = openGuarded(ROOMY);
      for (let row = 0; row < 10; row += 1) fill();
      space.writeBack();
      disk.totalBytes = 500 * MIB;
      disk.freeBytes = 12 * MIB;
      expect(recheck).toThrow(SHORT);
      db.exec('DELETE FROM filling');
      expect(recheck).not.toThrow();
      db.close();
    });

    it('needs space for the write-ahead log, even with many free pages', { tags: 'full' }, () => {
      const { db, disk, fill, recheck, space } = openGuarded(ROOMY);
      for (let row = 0; row < 10; row += 1) fill();
      db.exec('DELETE FROM filling');
      space.writeBack();
      disk.totalBytes = 500 * MIB;
      disk.freeBytes = 8 * MIB - 1;
      expect(recheck).toThrow(SHORT);
      db.close();
    });

    it('counts the pending part of the log as used, and checkpoints it before rejecting deliveries', () => {
      const { db, disk, fill, recheck, space } = openGuarded(ROOMY);
      for (let row = 0; row < 5; row += 1) fill();
      const { pendingBytes, walBytes } = space.measure();
      expect(pendingBytes).toBeGreaterThan(20 * MIB);
      disk.freeBytes = 200 * MIB + pendingBytes - 1;
      // After the checkpoint, the log is empty and the file has grown.
      Object.defineProperty(disk, 'freeBytes', {
        get: () => 200 * MIB + pendingBytes - 1 + (space.measure().walBytes === 0 ? walBytes - pendingBytes : 0),
      });
      expect(recheck).not.toThrow();
      expect(space.measure()).toMatchObject({ pendingBytes: 0, walBytes: 0 });
      db.close();
    });

    it('keeps the log small while the disk is nearly full', () => {
      const { db, disk, fill, recheck } = openGuarded(ROOMY);
      const limit = () => db.pragma('journal_size_limit', { simple: true });
      expect(limit()).toBe(64 * MIB);
      disk.freeBytes = 250 * MIB;
      recheck();
      expect(limit()).toBe(4 * MIB);
      for (let row = 0; row < 10; row += 1) fill();
      expect(statSync(`${file()}-wal`).size).toBeLessThan(10 * MIB);
      disk.freeBytes = ROOMY.freeBytes;
      recheck();
      expect(limit()).toBe(64 * MIB);
      db.close();
    });

    it('returns pages that retention freed to the file system, and keeps some for new rows', async () => {
      const { db, fill, storage, space } = openGuarded(ROOMY);
      for (let row = 0; row < 20; row += 1) fill();
      db.exec('DELETE FROM filling');
      space.writeBack();
      const before = statSync(file()).size;
      let pieces = 1;
      while ((await storage.retention.reclaim()).more) pieces += 1;
      expect(pieces).toBeGreaterThan(10);
      expect(statSync(file()).size).toBeLessThan(before / 2);
      expect(space.measure().freePageBytes).toBeGreaterThanOrEqual(15 * MIB);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(await storage.retention.reclaim()).toEqual({ more: false });
      db.close();
    });

    it('returns all missing space to the file system when the disk is nearly full', { tags: 'full' }, async () => {
      const { db, disk, fill, storage, space, recheck } = openGuarded(ROOMY);
      for (let row = 0; row < 10; row += 1) fill();
      db.exec('DELETE FROM filling');
      space.writeBack();
      disk.freeBytes = 1 * MIB;
      expect(recheck).toThrow(SHORT);
      while ((await storage.retention.reclaim()).more);
      expect(statSync(file()).size).toBeLessThan(1 * MIB);
      db.close();
    });
  });
});

describe('a database of Dockbell 0.1, whose file cannot shrink', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');

  function makeOld(): void {
    const whole = `${file()}.new`;
    openDatabase(whole).close();
    const db = new Database(whole);
    db.prepare("INSERT INTO factories (name, created_at) VALUES ('kept', 1)").run();
    db.pragma('auto_vacuum = NONE');
    db.prepare('VACUUM INTO ?').run(file());
    db.close();
    const old = new Database(file());
    expect(old.pragma('auto_vacuum', { simple: true })).toBe(0);
    old.close();
  }

  it('is rebuilt at startup with its complete content', () => {
    makeOld();
    writeFileSync(`${file()}.rebuilt`, 'from an interrupted start');
    const warnings: string[] = [];
    const db = openDatabase(file(), undefined, { ...UNREPORTED, warn: (message) => warnings.push(message) });
    expect(db.pragma('auto_vacuum', { simple: true })).toBe(2);
    expect(db.prepare('SELECT name FROM factories').pluck().all()).toEqual(['kept']);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(warnings).toEqual([]);
    expect(readdirSync(folder.path).filter((name) => name.includes('rebuilt'))).toEqual([]);
    db.close();
  });

  it('is not changed, with a warning, while another connection has it open', () => {
    makeOld();
    const other = new Database(file());
    other.pragma('journal_mode = WAL');
    other.exec('BEGIN; SELECT * FROM factories');
    const warnings: string[] = [];
    const db = openDatabase(file(), undefined, { ...UNREPORTED, warn: (message) => warnings.push(message) });
    expect(warnings).toEqual([expect.stringContaining('cannot shrink')]);
    expect(db.prepare('SELECT name FROM factories').pluck().all()).toEqual(['kept']);
    db.close();
    other.close();
  });
});
