import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './write-durably.ts';

/** Settings of a new folder. */
interface FolderOptions {
  /** Mode of each new folder. Default: 0777 reduced by the umask. */
  mode?: number;
  /** Are the names of new folders on disk before this resolves? */
  isDurable?: boolean;
}

/**
 * Creates a folder and every missing folder above it. An existing folder stays unchanged. Replaces `mkdir` with `recursive`,
 * which never ends if a file system reports an existing parent as missing, like /proc.
 *
 * Throws a system error with its `code` and one sentence as message.
 */
export async function makeFolder(path: string, options: FolderOptions = {}): Promise<void> {
  try {
    await makeMissing(path, options);
  } catch (cause) {
    const { errno } = cause as NodeJS.ErrnoException;
    const code = codeOf(cause as NodeJS.ErrnoException);
    const message = `The folder ${path} cannot be created (${code}): ${REASONS[code] ?? 'choose another folder'}.`;
    throw Object.assign(new Error(message, { cause }), { code, errno });
  }
}

/** Node.js has no name for EDQUOT of Linux. */
function codeOf({ code = 'unknown error', errno }: NodeJS.ErrnoException): string {
  return errno === -122 ? 'EDQUOT' : code;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no folders can be created there; choose another folder',
  EEXIST: 'a file is in its place; remove the file, or choose another folder',
  ENOTDIR: 'a part of the path is a file; choose another folder',
  EACCES: 'this user has no write permission; change the permissions, or choose another folder',
  EPERM: 'this user has no write permission; change the permissions, or choose another folder',
  EROFS: 'the file system is read-only; choose another folder',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the quota of this user is exhausted; free some space',
};

async function makeMissing(path: string, options: FolderOptions): Promise<void> {
  if (await makeOne(path, options)) return;
  const parent = dirname(path);
  if (parent !== path && !(await isFolder(parent))) await makeMissing(parent, options);
  // Only once: some file systems always report a missing parent.
  if (!(await makeOne(path, options))) throw missingFolder(path);
}

/** Resolves with `false` if the system reports that the parent is missing. */
async function makeOne(path: string, { mode, isDurable = false }: FolderOptions): Promise<boolean> {
  try {
    await mkdir(path, mode === undefined ? {} : { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await isFolder(path))) return true;
    throw error;
  }
  if (isDurable) await syncFolder(dirname(path));
  return true;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function missingFolder(path: string): Error {
  return Object.assign(new Error(`mkdir ${path}`), { code: 'ENOENT' });
}
