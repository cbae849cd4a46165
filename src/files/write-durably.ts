import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/**
 * Writes a whole file so that a loss of power leaves either the old content or the new one, and the new one once this
 * has resolved. Replaces an existing file. Throws the system's errors and leaves no draft behind.
 */
export async function writeDurably(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeSynced(draft, content, mode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a new file and its content to disk; the name is on disk only after `syncFolder`. Throws `EEXIST`. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
