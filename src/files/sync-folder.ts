import { open } from 'node:fs/promises';

/** Makes the names in a folder survive a loss of power: a file is on disk only once its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
