import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitCommand } from './git-process.ts';
import type { RepositoryLocation } from './repository-url.ts';

/** In a complete mirror: `digestOrigin` of what it mirrors. */
export const STAMP_FILE = 'dockbell-origin';

/** Identifies the repository and branch of a mirror; a digest, because the file must not contain credentials of a URL. */
export function digestOrigin(location: RepositoryLocation, branch: string): string {
  const address = location.kind === 'local' ? location.path : location.gitUrl;
  return createHash('sha256')
    .update(JSON.stringify([address, branch]))
    .digest('hex');
}

/** Creates an empty bare repository in `dir`, for objects with IDs like `commit`. */
export function initialiseMirror(dir: string, commit: string): Pick<GitCommand, 'args'> {
  const format = commit.length === 64 ? 'sha256' : 'sha1';
  return { args: ['init', '--bare', '--quiet', '--template=', `--object-format=${format}`, '--', dir] };
}

/** Only one daemon uses the data directory, so a lock that exists before git starts belongs to a git that has ended. */
export async function removeStaleLocks(gitDir: string): Promise<void> {
  for (const dir of ['.', 'refs', 'refs/dockbell', 'refs/dockbell/heads', 'objects/pack']) {
    const names = await readdir(join(gitDir, dir)).catch(() => []);
    const stale = names.filter((name) => name.endsWith('.lock') || name.startsWith('tmp_'));
    for (const name of stale) await rm(join(gitDir, dir, name), { recursive: true, force: true });
  }
}

/** Removes what an ended fetch left behind. Returns whether it reached the limit of the file size. */
export async function removeFullPacks(gitDir: string, maxBytes: number): Promise<boolean> {
  const packDir = join(gitDir, 'objects', 'pack');
  const names = (await readdir(packDir).catch(() => [])).filter((name) => name.startsWith('tmp_'));
  let isFull = false;
  for (const name of names) {
    const size = (await stat(join(packDir, name)).catch(() => null))?.size ?? 0;
    // The shell counts the limit in blocks, so a file may end slightly below it.
    isFull ||= size >= maxBytes - 1024;
    await rm(join(packDir, name), { force: true });
  }
  return isFull;
}

/** Removes a mirror. */
export async function removeFolder(dir: string): Promise<void> {
  // A git that outlived a killed daemon may still write to the folder; the next attempt deletes the rest.
  await rm(dir, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}
