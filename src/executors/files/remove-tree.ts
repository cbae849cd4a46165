import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../core/errors.ts';

/** Also removes what a command left in folders that nobody may write to, as the module caches of some tools are. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Makes every folder of a tree writable for its owner. */
export async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    // A symbolic link is not a directory to `Dirent`: nothing outside the run's own folder is touched.
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
  }
}
