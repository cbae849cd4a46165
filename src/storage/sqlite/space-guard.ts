import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../core/errors.ts';

const MIB = 1024 * 1024;
/** Room for deleting and for a checkpoint, which SQLite cannot do either when no byte is free. */
const BALLAST_BYTES = 16 * MIB;
/** Below the smaller of the two no delivery is accepted. */
const MIN_FREE_BYTES = 200 * MIB;
const MIN_FREE_SHARE = 0.05;
const CHECK_INTERVAL_MS = 1000;

/** Space of a file system, in bytes. `freeBytes` is what an ordinary user may still write. */
export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Stops accepting while there is still room to clean up in (threat model D4). */
export interface SpaceGuard {
  /** Throws `storage_unavailable` while too little is free. Looks at the disk at most once a second. */
  check(): void;
  /** The disk is full: gives up the ballast, so that what is too old can be removed. */
  releaseBallast(): void;
}

interface SpaceGuardOptions {
  measureSpace?: (directory: string) => DiskSpace;
  monotonicMs?: () => number;
}

/** Guards the file system of the database file, beside which it keeps the ballast. */
export function createSpaceGuard(databaseFile: string, options: SpaceGuardOptions = {}): SpaceGuard {
  const { measureSpace = measureDisk, monotonicMs = () => performance.now() } = options;
  const directory = dirname(databaseFile);
  const ballast = `${databaseFile}.ballast`;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let shortage: string | null = null;
  let hasBallast = isBallast(ballast);

  const look = () => {
    const space = tryMeasure(measureSpace, directory);
    shortage = null;
    if (space === null) return;
    const { freeBytes, totalBytes } = space;
    const neededBytes = Math.min(MIN_FREE_BYTES, totalBytes * MIN_FREE_SHARE);
    if (freeBytes < neededBytes) shortage = describeShortage(directory, freeBytes, neededBytes);
    // Twice its size, so that the ballast itself never brings the shortage about.
    if (!hasBallast && freeBytes >= neededBytes + 2 * BALLAST_BYTES) hasBallast = writeBallast(ballast);
  };
  const check = () => {
    const now = monotonicMs();
    if (now - checkedAt >= CHECK_INTERVAL_MS) {
      checkedAt = now;
      look();
    }
    if (shortage !== null) throw new AppError('storage_unavailable', shortage);
  };
  look();
  return {
    check,
    releaseBallast: () => {
      rmSync(ballast, { force: true });
      hasBallast = false;
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Where the file system does not tell, SQLite will say when it is full. */
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

function describeShortage(directory: string, freeBytes: number, neededBytes: number): string {
  const inMib = (bytes: number) => `${Math.floor(bytes / MIB)} MiB`;
  return (
    `${inMib(freeBytes)} are free on the file system of ${directory}, and ${inMib(neededBytes)} must stay free: ` +
    'make room there, or shorten the retention'
  );
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
