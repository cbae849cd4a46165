import { open } from 'node:fs/promises';

/** Syncs the names in a folder to disk: a file survives a power failure only if its folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
