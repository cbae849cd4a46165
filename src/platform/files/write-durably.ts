import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a whole file. After a power failure the file has either the old or the new content, and the new content once this
 * has resolved. Replaces an existing file. Throws system errors and removes its temporary file.
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

const DRAFT = /\.[0-9a-f]{16}\.tmp$/;

/** Removes the temporary files of calls that were killed. For a folder in which no other process writes. */
export function removeDrafts(folder: string): Promise<void> {
  return removeMatching(folder, (name) => DRAFT.test(name));
}

/** Removes the temporary files of killed calls for one file. No other process may write this file. */
export function removeDraftsOf(path: string): Promise<void> {
  const name = basename(path);
  return removeMatching(dirname(path), (each) => each.replace(DRAFT, '') === name && each !== name);
}

async function removeMatching(folder: string, isDraft: (name: string) => boolean): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const drafts = entries.filter((entry) => entry.isFile() && isDraft(entry.name));
  for (const { name } of drafts) await rm(join(folder, name), { force: true });
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

/** Syncs the names in a folder to disk: a file survives a power failure only if its folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
