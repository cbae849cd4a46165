import { statSync } from 'node:fs';
import { AppError } from '../../domain/errors.ts';

const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;

/**
 * Anyone who can write to the data directory can replace files of the daemon, and read or replace the owner
 * token. Throws `config_invalid` if every user can. Returns a warning if more than the daemon's user can: volumes of
 * containers are often writable by their group.
 */
export function checkDataDir(dataDir: string): string | null {
  const { mode, uid } = statSync(dataDir);
  const remedy = `Run: chmod 700 ${dataDir}`;
  if (process.getuid === undefined) return null;
  if ((mode & OTHERS_WRITE) !== 0) {
    throw new AppError(
      'config_invalid',
      `dataDir ${dataDir} is writable by every user of this machine (mode ${formatMode(mode)}). ${remedy}`,
    );
  }
  if ((mode & GROUP_WRITE) !== 0)
    return `dataDir ${dataDir} is writable by its group (mode ${formatMode(mode)}). ${remedy}`;
  if (uid !== process.getuid() && uid !== 0)
    return `dataDir ${dataDir} belongs to another user (ID ${uid}). Give it to the user of the daemon with chown.`;
  return null;
}

function formatMode(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
