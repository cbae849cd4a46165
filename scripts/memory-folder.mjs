import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** Excludes the 64 MB that containers have by default. */
const MIN_FREE_BYTES = 3_000_000_000;

/**
 * Sets TMPDIR to a new folder in memory until the work has ended, because the tests make and sync many databases. Leaves a TMPDIR that is set, and systems whose folder in memory is small or starts no programs.
 */
export async function withMemoryFolder(work) {
  if (process.env.TMPDIR !== undefined || !isUsable()) return work();
  const folder = mkdtempSync(`${FOLDER}/dockbell-`);
  // As /tmp, because tests start programs as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  try {
    return await work();
  } finally {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  }
}

function isUsable() {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, path]) => path === FOLDER);
    const { bavail, bsize } = statfsSync(FOLDER);
    return mount?.[2] === 'tmpfs' && !mount[3].split(',').includes('noexec') && bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
