import { execFile } from 'node:child_process';
import { lstat, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listNames } from './list-names.ts';
import { removeTree } from './remove-tree.ts';

const execute = promisify(execFile);

/** Removes the folder of a run with the directories of all its attempts. */
export async function removeRunFolder(folder: string): Promise<void> {
  for (const name of await listNames(folder)) await removeAttemptTree(join(folder, name));
  await removeTree(folder);
}

/**
 * Removes a directory that a run was given. That of a run with a user is removed as this user: a process that the run
 * left behind may swap folders for symbolic links meanwhile, and root would follow them to the files of others.
 */
export async function removeAttemptTree(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || !stats.isDirectory() || process.getuid?.() !== 0 || stats.uid === 0) return removeTree(path);
  const { uid, gid } = stats;
  // It cannot remove the directory itself, whose parent is ours; whether something is left shows the next line.
  const script = 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"';
  await execute('/bin/sh', ['-c', script, 'sh', path], { uid, gid, cwd: '/', env: { PATH: '/usr/bin:/bin' } }).catch(
    () => undefined,
  );
  await rmdir(path);
}
