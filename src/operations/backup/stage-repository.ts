import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { ArchiveEntry } from './archive/write-archive.ts';
import { describeBytes, describeFile, linkOrCopy, listSorted, readIfPresent } from './staged-files.ts';

const BRANCHES = 'refs/heads';
const PACKED_BRANCHES = 'packed-refs';
/** git packs objects only when the daemon opens a repository, so even a second attempt is rare. */
const MAX_ATTEMPTS = 5;

/**
 * Reads the branches of a bare repository that may be in use, then links all of its objects. Objects never change, and they
 * are written before the branch that needs them.
 *
 * @param target a folder for the links
 * @param prefix of the names in the archive
 */
export async function stageRepository(repository: string, target: string, prefix: string): Promise<ArchiveEntry[]> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const branches = await readBranches(repository, prefix);
    const objects = await linkObjects(join(repository, 'objects'), join(target, String(attempt)), `${prefix}/objects`);
    if (objects !== null) return [...branches, ...objects];
  }
  throw new AppError('storage_unavailable', `${repository} changes too fast to be copied`);
}

async function readBranches(repository: string, prefix: string): Promise<ArchiveEntry[]> {
  const loose = (await listSorted(join(repository, BRANCHES))).map((name) => `${BRANCHES}/${name}`);
  // A branch that is packed meanwhile is in the second file.
  const names = [...loose.filter((name) => !name.endsWith('.lock')), PACKED_BRANCHES];
  const entries: ArchiveEntry[] = [];
  for (const name of names) {
    const content = await readIfPresent(join(repository, name));
    if (content !== null) entries.push(describeBytes(`${prefix}/${name}`, content));
  }
  return entries;
}

/** Resolves with `null` if an object was moved to a pack meanwhile. */
async function linkObjects(objects: string, target: string, prefix: string): Promise<ArchiveEntry[] | null> {
  const folders = (await listSorted(objects)).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name));
  const entries: ArchiveEntry[] = [];
  for (const folder of folders) {
    await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
    // git gives an object its name when it is complete.
    const names = (await listSorted(join(objects, folder))).filter((name) => !/^tmp_|\.(?:lock|keep)$/.test(name));
    for (const name of names) {
      const path = join(target, folder, name);
      if (!(await linkOrCopy(join(objects, folder, name), path))) return null;
      entries.push(await describeFile(`${prefix}/${folder}/${name}`, path));
    }
  }
  return entries;
}
