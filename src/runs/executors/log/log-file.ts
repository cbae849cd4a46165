import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { systemErrorCode } from '../../../domain/errors.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Errors of `open` for a symbolic link, a folder, a pipe without a reader, and a socket or device. */
const NOT_A_FILE: ReadonlySet<string | null> = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'ENODEV']);

/**
 * Opens the log of a run, or its times, for reading; `null` if the file does not exist. A run with the user of the daemon can replace it. Only
 * a regular file with one name is read: a link would show files of the daemon without masking, and a pipe would block the
 * reader.
 */
export async function openLogToRead(path: string): Promise<FileHandle | null> {
  try {
    return await openOwnFile(path, O_RDONLY);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Opens the log of a run for appending, or creates it. Anything but a regular file with one name is deleted first. */
export async function openLogToAppend(path: string): Promise<FileHandle> {
  return openOrReplace(path, O_WRONLY | O_APPEND);
}

/** Opens the times of a log for reading and writing at any position; otherwise like `openLogToAppend`. */
export async function openTimesToWrite(path: string): Promise<FileHandle> {
  return openOrReplace(path, O_RDWR);
}

async function openOrReplace(path: string, flags: number): Promise<FileHandle> {
  const file = await openOwnFile(path, flags | O_CREAT);
  if (file !== null) return file;
  await rm(path, { recursive: true, force: true });
  return open(path, flags | O_CREAT | O_EXCL, 0o600);
}

/** Resolves with `null` if the path is not a regular file, or has a second name. */
async function openOwnFile(path: string, flags: number): Promise<FileHandle | null> {
  let file: FileHandle;
  try {
    file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    if (NOT_A_FILE.has(systemErrorCode(error))) return null;
    throw error;
  }
  const stats = await file.stat();
  if (stats.isFile() && stats.nlink === 1) return file;
  await file.close();
  return null;
}
