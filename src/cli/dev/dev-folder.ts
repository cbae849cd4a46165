import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DEFAULT_DATA_DIR } from '../connection.ts';
import { CliError } from '../exit-codes.ts';
import { findDevDataDir, locateDevFile, readDevFile } from './dev-file.ts';

/** The data directory of a `dockbell dev`, and the file by which other commands in the folder find it. */
export interface DevFolder {
  dataDir: string;
  /** Deletes what was created. */
  remove(): Promise<void>;
}

const TEMPORARY = 'dockbell-dev-';

/**
 * Creates the data directory of a throwaway daemon and the file that names it in the folder of the factory.
 *
 * @param kept the data directory to use and to keep; `null` for a temporary one
 * @param isServed does a daemon run in this folder already? Then its commands stay with it, and no file is written
 */
export async function createDevFolder(dir: string, kept: string | null, isServed: boolean): Promise<DevFolder> {
  await removeStale(dir);
  const dataDir = kept ?? (await mkdtemp(join(await realpath(tmpdir()), TEMPORARY)));
  const removeFile = isServed ? async () => {} : await writeDevFile(dir, dataDir);
  return {
    dataDir,
    remove: async () => {
      await removeFile();
      if (kept === null) await removeTemporary(dataDir);
    },
  };
}

/** A `dockbell dev` that was killed leaves its file and its data behind. Throws if one is running. */
async function removeStale(dir: string): Promise<void> {
  const earlier = await readDevFile(dir);
  if (earlier === null) return;
  if ((await findDevDataDir(dir)) !== null && isAlive(earlier.pid)) {
    throw new CliError(`'dockbell dev' already runs in ${dir} (process ${earlier.pid}).`, {
      hint: 'Stop it with Ctrl-C in its terminal, or use it: commands in this folder find it.',
    });
  }
  await rm(locateDevFile(dir), { force: true });
  if (await isTemporary(earlier.data_dir)) await removeTemporary(earlier.data_dir);
}

/** Anyone who can write to the folder can write the file, so only what `dockbell dev` creates is ever deleted. */
async function isTemporary(dataDir: string): Promise<boolean> {
  const isInPlace = dirname(dataDir) === (await realpath(tmpdir()));
  return isInPlace && /^dockbell-dev-[A-Za-z0-9]{6}$/.test(basename(dataDir));
}

function removeTemporary(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns what deletes the file, and its folder if the folder was created for it. */
async function writeDevFile(dir: string, dataDir: string): Promise<() => Promise<void>> {
  const folder = join(dir, DEFAULT_DATA_DIR);
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, '.gitignore');
  // The folder must not appear as a change of the repository, also if the repository does not ignore it.
  if (created !== undefined) await writeFile(ignore, '*\n');
  const file = locateDevFile(dir);
  await writeFile(file, `${JSON.stringify({ pid: process.pid, data_dir: dataDir })}\n`, { mode: 0o600 });
  return async () => {
    await rm(file, { force: true });
    const isOurs = created !== undefined && (await readdir(folder)).join() === basename(ignore);
    if (isOurs) await rm(folder, { recursive: true, force: true });
  };
}
