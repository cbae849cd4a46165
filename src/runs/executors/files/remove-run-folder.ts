import { execFile } from 'node:child_process';
import { chmod, lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../../domain/errors.ts';
import { listNames } from './run-paths.ts';

const execute = promisify(execFile);

/** Removes the folder of a run with the directories of all its attempts. */
export async function removeRunFolder(folder: string): Promise<void> {
  for (const name of await listNames(folder)) await removeAttemptTree(join(folder, name));
  await removeTree(folder);
}

/**
 * Removes a directory that a run owned. If the run had another user, this user removes it: a process that the run left
 * could replace folders with symbolic links meanwhile, and root would follow them to other files.
 */
export async function removeAttemptTree(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || !stats.isDirectory() || process.getuid?.() !== 0 || stats.uid === 0) return removeTree(path);
  // The user cannot remove the directory itself, whose parent is ours. The `rmdir` below fails if anything is left.
  await removeByCommand(path, stats).catch(() => undefined);
  await rmdir(path);
}

/** Commands descend folder by folder, so a path that is too long for the system is none for them. */
async function removeByCommand(path: string, user: { uid?: number; gid?: number } = {}): Promise<void> {
  const script = 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"';
  const { uid, gid } = user;
  await execute('/bin/sh', ['-c', script, 'sh', path], { uid, gid, cwd: '/', env: { PATH: '/usr/bin:/bin' } });
}

/** Removes a tree, also one with read-only folders, which the module caches of some tools contain, and one of any depth. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENAMETOOLONG') return removeByCommand(path);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Makes every folder of a tree writable for its owner. */
export async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    // `Dirent` does not report a symbolic link as a directory: nothing outside the run's folder changes.
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
  }
}
