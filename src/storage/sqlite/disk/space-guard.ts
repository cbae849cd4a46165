import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../../core/errors.ts';
import type { DatabaseSpace, DatabaseUse } from './database-space.ts';
import { isDiskFull } from './storage-error.ts';

const MIB = 1024 * 1024;

/** How large the write-ahead log may grow before it is written back; read again at a start after a crash. */
export const WAL_BYTES = 64 * MIB;
/**
 * The same where the disk has little space: the log and the growth of the file that comes of it both have to fit. The
 * ballast is larger, so that deleting is always possible with it.
 */
const TIGHT_WAL_BYTES = 4 * MIB;
const TIGHT_BELOW_BYTES = 256 * MIB;
const TIGHT_UNTIL_BYTES = 320 * MIB;

/** Space for deleting and for a checkpoint: SQLite can do neither when no byte is free. */
const BALLAST_BYTES = 16 * MIB;
/** The file system itself must have this much for the write-ahead log, however many pages of the database are free. */
const WORKING_BYTES = 8 * MIB;

/** No delivery is accepted below this share of the disk, but at least and at most so much. */
const RESERVE_SHARE = 0.05;
const MIN_RESERVE_BYTES = 16 * MIB;
const MAX_RESERVE_BYTES = 200 * MIB;
/** Above the limit by a quarter of it, at most this much, deliveries are accepted again. */
const RESUME_SHARE = 0.25;
const MAX_RESUME_BYTES = 16 * MIB;
const CHECK_INTERVAL_MS = 1000;

/** Free pages that stay in the file for the deliveries to come: the larger of the two. */
const KEPT_PAGES_SHARE = 0.25;
const KEPT_PAGES_BYTES = 16 * MIB;
/** What the file system is given while it has less than this. */
const COMFORTABLE_BYTES = 64 * MIB;
/** A few milliseconds of the storage thread. */
const RELEASED_PAGES = 200;

/** Space of a file system, in bytes. `freeBytes` is what an ordinary user may still write. */
export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Stops accepting while there is still space to clean up in (threat model D4). */
export interface SpaceGuard {
  /**
   * From now on this database counts: its free pages as space, what its log has yet to write into the file as taken.
   */
  watch(database: DatabaseSpace): void;
  /** Throws `storage_unavailable` while too little is free. Looks at the disk at most once a second. */
  check(): void;
  /** The disk is full: gives up the ballast and empties the write-ahead log, so that expired rows can be removed. */
  releaseBallast(): void;
  /**
   * Gives a piece of the database's free pages back to the file system, as far as they are many or the disk is nearly
   * full. `more` where another piece is due.
   */
  reclaim(): { more: boolean };
}

interface SpaceGuardOptions {
  measureSpace?: (directory: string) => DiskSpace;
  monotonicMs?: () => number;
}

/** What can be written, in bytes. */
interface Room extends DatabaseUse {
  /** Of the file system, once the write-ahead log is written back. */
  spareBytes: number;
  reserveBytes: number;
}

/** Guards the file system of the database file, beside which it keeps the ballast. */
export function createSpaceGuard(databaseFile: string, options: SpaceGuardOptions = {}): SpaceGuard {
  const { measureSpace = measureDisk, monotonicMs = () => performance.now() } = options;
  return new DiskGuard(databaseFile, { measureSpace, monotonicMs });
}

class DiskGuard implements SpaceGuard {
  readonly #directory: string;
  readonly #ballast: string;
  readonly #options: Required<SpaceGuardOptions>;
  #database: DatabaseSpace | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #shortage: string | null = null;
  #hasBallast: boolean;
  #isTight = false;

  constructor(databaseFile: string, options: Required<SpaceGuardOptions>) {
    this.#directory = dirname(databaseFile);
    this.#ballast = `${databaseFile}.ballast`;
    this.#options = options;
    this.#hasBallast = isBallast(this.#ballast);
  }

  watch(database: DatabaseSpace): void {
    this.#database = database;
    this.#look();
  }

  check(): void {
    const now = this.#options.monotonicMs();
    if (now - this.#checkedAt >= CHECK_INTERVAL_MS) {
      this.#checkedAt = now;
      this.#look();
    }
    if (this.#shortage !== null) throw new AppError('storage_unavailable', this.#shortage);
  }

  releaseBallast(): void {
    rmSync(this.#ballast, { force: true });
    this.#hasBallast = false;
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#writeBack();
  }

  reclaim(): { more: boolean } {
    const room = this.#measure();
    if (this.#database === null || !this.#database.canShrink || room === null) return { more: false };
    const pages = Math.ceil(countReleasable(room) / this.#database.pageBytes);
    if (pages === 0) return { more: false };
    releasePages(this.#database, Math.min(pages, RELEASED_PAGES));
    const more = pages > RELEASED_PAGES;
    // The file gets smaller only here. While the disk has space enough, all pieces together are written back once.
    if (this.#isTight || !more) this.#writeBack();
    return { more };
  }

  #look(): void {
    const room = this.#measureAfterWritingBack();
    if (room === null) {
      this.#shortage = null;
      return;
    }
    this.#shortage = this.#isEnough(room) ? null : this.#describeShortage(room);
    this.#limitWal(room);
    this.#restoreBallast(room);
  }

  /** Whatever the log takes is not a reason to reject anything: it is written back first. */
  #measureAfterWritingBack(): Room | null {
    const room = this.#measure();
    if (room === null || this.#isEnough(room) || room.walBytes === 0) return room;
    this.#writeBack();
    return this.#measure();
  }

  /** Where the file system does not tell, SQLite will say when it is full. */
  #measure(): Room | null {
    const disk = tryMeasure(this.#options.measureSpace, this.#directory);
    if (disk === null) return null;
    const use = this.#database?.measure() ?? { fileBytes: 0, freePageBytes: 0, pendingBytes: 0, walBytes: 0 };
    const shareBytes = Math.max(MIN_RESERVE_BYTES, disk.totalBytes * RESERVE_SHARE);
    const reserveBytes = Math.min(MAX_RESERVE_BYTES, shareBytes);
    return { ...use, spareBytes: disk.freeBytes - use.pendingBytes, reserveBytes };
  }

  #isEnough(room: Room): boolean {
    return room.spareBytes >= WORKING_BYTES && room.spareBytes + room.freePageBytes >= this.#neededBytes(room);
  }

  /** More after a shortage, so that accepting does not flicker; and the ballast comes before deliveries. */
  #neededBytes({ reserveBytes }: Room): number {
    const resumeBytes = this.#shortage === null ? 0 : Math.min(reserveBytes * RESUME_SHARE, MAX_RESUME_BYTES);
    return reserveBytes + resumeBytes + (this.#hasBallast ? 0 : BALLAST_BYTES);
  }

  #limitWal({ spareBytes, walBytes }: Room): void {
    if (this.#database === null) return;
    const isTight = spareBytes + walBytes < (this.#isTight ? TIGHT_UNTIL_BYTES : TIGHT_BELOW_BYTES);
    if (isTight === this.#isTight) return;
    this.#isTight = isTight;
    this.#database.limitWal(isTight ? TIGHT_WAL_BYTES : WAL_BYTES);
    if (isTight) this.#writeBack();
  }

  #restoreBallast(room: Room): void {
    if (this.#hasBallast || this.#shortage !== null) return;
    // Writing it must not bring about the next shortage.
    if (room.spareBytes < BALLAST_BYTES + WORKING_BYTES) return;
    this.#hasBallast = writeBallast(this.#ballast);
  }

  #writeBack(): void {
    try {
      this.#database?.writeBack();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.releaseBallast();
    }
  }

  #describeShortage(room: Room): string {
    const inMib = (bytes: number) => `${Math.max(0, Math.floor(bytes / MIB))} MiB`;
    const neededBytes = this.#neededBytes(room);
    return (
      `${inMib(room.spareBytes)} are free on the file system of ${this.#directory} and ${inMib(room.freePageBytes)} ` +
      `inside the database, together ${inMib(neededBytes)} must be free, ${inMib(WORKING_BYTES)} of them on the file ` +
      'system: make space there, or shorten the retention'
    );
  }
}

/** What is kept in the file saves the file system the work of taking it back for the deliveries to come. */
function countReleasable({ fileBytes, freePageBytes, spareBytes }: Room): number {
  const surplusBytes = freePageBytes - Math.max(fileBytes * KEPT_PAGES_SHARE, KEPT_PAGES_BYTES);
  const missingBytes = Math.min(freePageBytes, COMFORTABLE_BYTES - spareBytes);
  return Math.max(0, surplusBytes, missingBytes);
}

/** Moving pages takes space in the log: where there is none for many, a few at a time get through. */
function releasePages(database: DatabaseSpace, count: number): void {
  try {
    database.releasePages(count);
  } catch (error) {
    if (!isDiskFull(error) || count === 1) throw error;
    releasePages(database, Math.ceil(count / 10));
  }
}

function tryMeasure(measureSpace: (directory: string) => DiskSpace, directory: string): DiskSpace | null {
  try {
    return measureSpace(directory);
  } catch {
    return null;
  }
}

function measureDisk(directory: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function isBallast(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === BALLAST_BYTES;
}

/** Random bytes, so that a file system which compresses or leaves out zeros keeps them all. `false` where it failed. */
function writeBallast(file: string): boolean {
  const unfinished = `${file}.unfinished`;
  try {
    writeRandom(unfinished, BALLAST_BYTES);
    renameSync(unfinished, file);
    return true;
  } catch {
    // Without ballast the daemon works as before; the next look tries again.
    rmSync(unfinished, { force: true });
    return false;
  }
}

function writeRandom(file: string, bytes: number): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    const piece = Buffer.alloc(MIB);
    for (let written = 0; written < bytes; written += writeSync(descriptor, randomFillSync(piece)));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
