import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

const MIB = 1024 * 1024;
/** Writing this much takes some ten seconds on a slow disk, and a start must not take minutes. */
const MAX_CONTENT_BYTES = 1024 * MIB;
/** Besides the copy, for what is written while it is made. */
const SPARE_BYTES = 32 * MIB;

/**
 * A file made by Dockbell 0.1 cannot give free pages back to the file system: SQLite decides that with the first page.
 * This replaces it by a copy that can, if the content is not too large and the copy fits on the disk. The old file is
 * whole until the copy is.
 *
 * @returns why the file was left as it is; `null` if it was rebuilt or needed no rebuild
 */
export function rebuildShrinkable(file: string): string | null {
  const copy = `${file}.rebuilt`;
  // Left by a start that was interrupted.
  rmSync(copy, { force: true });
  const db = new Database(file);
  try {
    const read = (name: string) => db.pragma(name, { simple: true }) as number;
    if (read('auto_vacuum') !== 0) return null;
    const contentBytes = (read('page_count') - read('freelist_count')) * read('page_size');
    const problem = describeObstacle(file, contentBytes);
    if (problem !== null) return problem;
    db.pragma('auto_vacuum = INCREMENTAL');
    db.prepare('VACUUM INTO ?').run(copy);
    syncPath(copy);
  } finally {
    db.close();
  }
  return replaceFile(file, copy);
}

/** The last connection has written the log back and removed it. If it is there, the copy would get it too. */
function replaceFile(file: string, copy: string): string | null {
  if (existsSync(`${file}-wal`)) {
    rmSync(copy, { force: true });
    return `${file} cannot shrink: another process has it open`;
  }
  renameSync(copy, file);
  syncPath(dirname(file));
  return null;
}

function describeObstacle(file: string, contentBytes: number): string | null {
  const inMib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
  const consequence =
    `${file} was made by an older version and cannot shrink: space that retention frees inside the file is used ` +
    'again, but not given back to the file system.';
  if (contentBytes > MAX_CONTENT_BYTES) {
    return `${consequence} Its content (${inMib(contentBytes)}) is too large to rebuild the file at a start; the documentation ("Disk space") has the command for it`;
  }
  const { bavail, bsize } = statfsSync(dirname(file));
  const neededBytes = contentBytes + SPARE_BYTES;
  if (bavail * bsize >= neededBytes) return null;
  return `${consequence} The next start rebuilds the file if ${inMib(neededBytes)} are free on its file system`;
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
