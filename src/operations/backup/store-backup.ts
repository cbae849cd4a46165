import { randomBytes } from 'node:crypto';
import { link, lstat, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, messageOf, systemErrorCode } from '../../domain/errors.ts';
import { syncFolder } from '../../platform/files/write-durably.ts';
import { type ArchiveContent, readArchive } from './archive/read-archive.ts';
import { explainWriting } from './explain-writing.ts';

/** Synced piece by piece: one sync of the whole file would delay each delivery, which is synced to the same disk. */
const SYNC_BYTES = 16 * 1024 * 1024;
/** An unfinished file without a write for this long belongs to a program that was killed. */
const STALE_MS = 60 * 60 * 1000;

export interface StoreOptions {
  /** Replaces an existing file. */
  force: boolean;
  onProgress(phase: 'writing' | 'verifying', doneBytes: number): void;
}

/**
 * Stores a backup in a file of mode 0600. The file gets its name only after it is complete, verified and on disk. Throws
 * `conflict` if the file exists, `storage_unavailable` if it cannot be written, and what `content` and `readArchive` throw.
 */
export async function storeBackup(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { force, onProgress }: StoreOptions,
): Promise<ArchiveContent> {
  await requireTarget(path, force);
  await removeStale(path);
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writePieces(draft, content, (bytes) => onProgress('writing', bytes));
    const verified = await verifyBackup(draft, (bytes) => onProgress('verifying', bytes));
    await publish(draft, path, force);
    return verified;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Reads a backup and compares all digests. Throws what `readArchive` throws. */
export function verifyBackup(path: string, onProgress: (doneBytes: number) => void): Promise<ArchiveContent> {
  return readArchive(path, { onManifest: () => {}, openSink: async () => null, onProgress });
}

/** Throws `conflict` if a backup may not be stored under this name. Call it before the backup is made. */
export async function requireTarget(path: string, force: boolean): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory())
    throw new AppError('bad_request', `the folder ${dirname(path)} does not exist: create it first`);
  const found = await lstat(path).catch((error) => {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isFile()) throw new AppError('conflict', `${path} exists and is not a regular file: use another name`);
  if (!force) throw new AppError('conflict', `${path} exists: use another name, or --force to replace the file`);
}

async function writePieces(
  path: string,
  content: AsyncIterable<Uint8Array>,
  onWritten: (bytes: number) => void,
): Promise<void> {
  const file = await explainWriting(path, open(path, 'wx', 0o600));
  try {
    let bytes = 0;
    let unsynced = 0;
    for await (const piece of content) {
      await explainWriting(path, file.writeFile(piece));
      bytes += piece.length;
      unsynced += piece.length;
      if (unsynced >= SYNC_BYTES) {
        await explainWriting(path, file.datasync());
        unsynced = 0;
      }
      onWritten(bytes);
    }
    await explainWriting(path, file.sync());
  } finally {
    await file.close();
  }
}

/** A link fails if a file of this name was created meanwhile, which a rename would replace. */
async function publish(draft: string, path: string, force: boolean): Promise<void> {
  if (force) await rename(draft, path);
  else {
    await link(draft, path).catch((cause) => {
      if (systemErrorCode(cause) === 'EEXIST')
        throw new AppError('conflict', `${path} was created meanwhile`, { cause });
      // The file system has no links.
      return rename(draft, path);
    });
  }
  await syncFolder(dirname(path)).catch((cause) => {
    throw new AppError('storage_unavailable', `${dirname(path)} cannot be synced: ${messageOf(cause)}`, { cause });
  });
}

async function removeStale(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length))) continue;
    const draft = join(dirname(path), name);
    const age = Date.now() - ((await stat(draft).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY);
    if (age > STALE_MS) await rm(draft, { force: true });
  }
}
