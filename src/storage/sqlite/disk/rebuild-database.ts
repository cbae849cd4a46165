import { existsSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncPath } from './sync-path.ts';

const MIB = 1024 * 1024;
/** Writing this content takes about ten seconds on a slow disk. A start must not take minutes. */
const MAX_CONTENT_BYTES = 1024 * MIB;
/** Free space in addition to the copy, for other writes to the disk. */
const SPARE_BYTES = 32 * MIB;

/**
 * Replaces a file of Dockbell 0.1 with a copy that can return free pages to the file system. The old file cannot,
 * because SQLite sets this mode when it creates a file. The old file remains until the copy is complete.
 *
 * @returns why the file was not rebuilt; `null` if it was rebuilt or needs no rebuild
 */
export function rebuildShrinkable(file: string): string | null {
  const copy = `${file}.rebuilt`;
  // An interrupted start may have left a copy.
  rmSync(copy, { force: true });
  const db = new Database(file);
  try {
    const read = (name: string) => db.pragma(name, { simple: true }) as number;
    if (read('auto_vacuum') !== 0) return null;
    const contentBytes = (read('page_count') - read('freelist_count')) * read('page_size');
    const problem = describeObstacle(file, contentBytes);
    if (problem !== null) return problem;
    db.pragma('auto_vacuum = INCREMENTAL');
    db.prepare<{ copy: string }>('VACUUM INTO @copy').run({ copy });
    syncPath(copy);
  } finally {
    db.close();
  }
  return replaceFile(file, copy);
}

/**
 * The last connection removes the write-ahead log. If the log exists, another process uses it, and it would apply to
 * the copy.
 */
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
    `${file} was created by an older version and cannot shrink: new rows use the space that retention frees, ` +
    'but the file system does not get it back.';
  if (contentBytes > MAX_CONTENT_BYTES) {
    return `${consequence} Its content (${inMib(contentBytes)}) is too large to rebuild the file at startup: run the command in the documentation, "Disk space"`;
  }
  const { bavail, bsize } = statfsSync(dirname(file));
  const neededBytes = contentBytes + SPARE_BYTES;
  if (bavail * bsize >= neededBytes) return null;
  return `${consequence} To rebuild the file, free ${inMib(neededBytes)} on its file system and restart Dockbell`;
}
