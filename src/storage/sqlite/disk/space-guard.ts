import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../../domain/errors.ts';
import type { DatabaseSpace, DatabaseUse } from './database-space.ts';
import { isDiskFull, unmaskFullDisk } from './storage-error.ts';

const MIB = 1024 * 1024;

/**
 * Size of the write-ahead log at which a commit checkpoints it. Usually, `Checkpointer` does it earlier. A start after a
 * crash reads the log again.
 */
export const WAL_BYTES = 64 * MIB;
/**
 * The same on a disk with little free space, where both the log and the growth of the file must fit. The ballast is
 * larger, so that rows can always be removed after its release.
 */
const TIGHT_WAL_BYTES = 4 * MIB;
const TIGHT_BELOW_BYTES = 256 * MIB;
const TIGHT_UNTIL_BYTES = 320 * MIB;

/** Reserved space for deletions and a checkpoint. SQLite can do neither on a full disk. */
const BALLAST_BYTES = 16 * MIB;
/** The write-ahead log needs this space on the file system, even if the database has many free pages. */
const WORKING_BYTES = 8 * MIB;

/** Deliveries are rejected if less than this share of the disk is free, within these limits. */
const RESERVE_SHARE = 0.05;
const MIN_RESERVE_BYTES = 16 * MIB;
const MAX_RESERVE_BYTES = 200 * MIB;
/** Deliveries are accepted again if this share of the reserve is free in addition to the reserve. */
const RESUME_SHARE = 0.25;
const MAX_RESUME_BYTES = 16 * MIB;
const CHECK_INTERVAL_MS = 1000;

/** Free pages that remain in the file for new deliveries: the larger of both limits. */
const KEPT_PAGES_SHARE = 0.25;
const KEPT_PAGES_BYTES = 16 * MIB;
/** If the file system has less free space than this, it gets all free pages up to this limit. */
const COMFORTABLE_BYTES = 64 * MIB;
/** Number of pages of one piece: a few milliseconds of the storage thread. */
const RELEASED_PAGES = 200;

/** Space of a file system, in bytes. `freeBytes` is the space available to ordinary users. */
export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Rejects deliveries before the disk is full, so that space for removing rows remains (threat model D4). */
export interface SpaceGuard {
  /**
   * Sets the database to watch. Its free pages count as free space, and the pending part of its log as used space.
   */
  watch(database: DatabaseSpace): void;
  /** Throws `storage_unavailable` while too little space is free. Measures the disk at most once a second. */
  check(): void;
  /** For a full disk: deletes the ballast and empties the write-ahead log, so that expired rows can be removed. */
  releaseBallast(): void;
  /**
   * Returns a limited number of free pages to the file system, if the database has many or the disk is nearly full.
   * `more` means that another call is due.
   */
  reclaim(): { more: boolean };
}

interface SpaceGuardOptions {
  measureSpace?: (directory: string) => DiskSpace;
  monotonicMs?: () => number;
}

/** Free space, in bytes. */
interface Room extends DatabaseUse {
  /** Free space of the file system after the next checkpoint. */
  spareBytes: number;
  reserveBytes: number;
}

/** Guards the file system of the database. The ballast is a file next to the database. */
export function createSpaceGuard(databaseFile: string, options: SpaceGuardOptions = {}): SpaceGuard {
  const { measureSpace = measureDisk, monotonicMs = () => performance.now() } = options;
  return new DiskGuard(databaseFile, { measureSpace, monotonicMs });
}

class DiskGuard implements SpaceGuard {
  readonly #file: string;
  readonly #directory: string;
  readonly #ballast: string;
  readonly #options: Required<SpaceGuardOptions>;
  #database: DatabaseSpace | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #shortage: string | null = null;
  #hasBallast: boolean;
  #isTight = false;

  constructor(databaseFile: string, options: Required<SpaceGuardOptions>) {
    this.#file = databaseFile;
    this.#directory = dirname(databaseFile);
    this.#ballast = `${databaseFile}.ballast`;
    this.#options = options;
    this.#hasBallast = isBallast(this.#ballast);
  }

  watch(database: DatabaseSpace): void {
    this.#database = database;
    this.#measureDisk();
  }

  check(): void {
    const now = this.#options.monotonicMs();
    if (now - this.#checkedAt >= CHECK_INTERVAL_MS) {
      this.#checkedAt = now;
      this.#measureDisk();
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
    this.#releasePages(this.#database, Math.min(pages, RELEASED_PAGES));
    const more = pages > RELEASED_PAGES;
    // Only this shrinks the file. If the disk has enough space, one checkpoint after the last piece is sufficient.
    if (this.#isTight || !more) this.#writeBack();
    return { more };
  }

  /** Moving pages needs space in the log. If the disk is full, the log is emptied, and fewer pages may still fit. */
  #releasePages(database: DatabaseSpace, count: number): void {
    try {
      database.releasePages(count);
    } catch (error) {
      if (!this.#isDiskFull(error) || count === 1) throw error;
      this.#writeBack();
      this.#releasePages(database, Math.ceil(count / 10));
    }
  }

  #measureDisk(): void {
    const room = this.#measureAfterWritingBack();
    if (room === null) {
      this.#shortage = null;
      return;
    }
    this.#shortage = this.#isEnough(room) ? null : this.#describeShortage(room);
    this.#limitWal(room);
    this.#restoreBallast(room);
  }

  /** The size of the log alone must not reject deliveries, so it is checkpointed first. */
  #measureAfterWritingBack(): Room | null {
    const room = this.#measure();
    if (room === null || this.#isEnough(room) || room.walBytes === 0) return room;
    this.#writeBack();
    return this.#measure();
  }

  /** `null` if the file system cannot be measured. SQLite then still reports a full disk. */
  #measure(): Room | null {
    const disk = tryMeasure(this.#options.measureSpace, this.#directory);
    if (disk === null) return null;
    const use = this.#database?.measure() ?? { fileBytes: 0, freePageBytes: 0, pendingBytes: 0, walBytes: 0 };
    return { ...use, spareBytes: disk.freeBytes - use.pendingBytes, reserveBytes: computeReserve(disk) };
  }

  #isEnough(room: Room): boolean {
    return room.spareBytes >= WORKING_BYTES && room.spareBytes + room.freePageBytes >= this.#neededBytes(room);
  }

  /** Requires more after a shortage, so that the state does not flap, and without ballast, which is restored first. */
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
    // Writing the ballast must not cause the next shortage.
    if (room.spareBytes < BALLAST_BYTES + WORKING_BYTES) return;
    this.#hasBallast = writeBallast(this.#ballast);
  }

  #writeBack(): void {
    try {
      this.#database?.writeBack();
    } catch (error) {
      if (!this.#isDiskFull(error)) throw error;
      this.releaseBallast();
    }
  }

  #isDiskFull(error: unknown): boolean {
    return isDiskFull(unmaskFullDisk(error, this.#file));
  }

  #describeShortage(room: Room): string {
    const inMib = (bytes: number) => `${Math.max(0, Math.floor(bytes / MIB))} MiB`;
    const neededBytes = this.#neededBytes(room);
    return (
      `not enough free space: ${inMib(room.spareBytes)} on the file system of ${this.#directory} and ` +
      `${inMib(room.freePageBytes)} inside the database, but ${inMib(neededBytes)} are required in total and ` +
      `${inMib(WORKING_BYTES)} on the file system: free space there, or shorten the retention`
    );
  }
}

/** Deliveries are rejected if less than this is free. */
export function computeReserve({ totalBytes }: DiskSpace): number {
  return Math.min(MAX_RESERVE_BYTES, Math.max(MIN_RESERVE_BYTES, totalBytes * RESERVE_SHARE));
}

/** Some free pages remain, because new deliveries would only allocate them again. */
function countReleasable({ fileBytes, freePageBytes, spareBytes }: Room): number {
  const surplusBytes = freePageBytes - Math.max(fileBytes * KEPT_PAGES_SHARE, KEPT_PAGES_BYTES);
  const missingBytes = Math.min(freePageBytes, COMFORTABLE_BYTES - spareBytes);
  return Math.max(0, surplusBytes, missingBytes);
}

function tryMeasure(measureSpace: (directory: string) => DiskSpace, directory: string): DiskSpace | null {
  try {
    return measureSpace(directory);
  } catch {
    return null;
  }
}

/** Measures the file system of a folder. */
export function measureDisk(directory: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function isBallast(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === BALLAST_BYTES;
}

/** Writes random bytes, because a file system may compress zeros or omit them. Returns `false` if it failed. */
function writeBallast(file: string): boolean {
  const unfinished = `${file}.unfinished`;
  try {
    writeRandom(unfinished, BALLAST_BYTES);
    renameSync(unfinished, file);
    return true;
  } catch {
    // The daemon works without ballast too. The next measurement tries again.
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
