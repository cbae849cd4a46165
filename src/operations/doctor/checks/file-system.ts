import { existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { FindingSeverity } from '../../../domain/ports/operations.ts';
import type { Check, Symptom } from '../patient.ts';

const NETWORK = 'SQLite in WAL mode does not work on a network file system. Move dataDir to a local disk.';
const TEMPORARY = 'Its content is lost at the next restart of the machine. Move dataDir to a disk.';
const CONTAINER = 'Its content is lost with the container. Mount a volume for dataDir.';
const USER_SPACE = 'Make sure that its driver makes synced writes durable, or move dataDir to a local disk.';

/** The magic numbers of statfs(2). */
const FILE_SYSTEMS: Readonly<Record<number, readonly [name: string, severity: FindingSeverity, hint: string]>> = {
  26985: ['NFS', 'error', NETWORK],
  4283649346: ['CIFS', 'error', NETWORK],
  4266872130: ['SMB', 'error', NETWORK],
  20859: ['SMB', 'error', NETWORK],
  16914839: ['9P', 'error', NETWORK],
  12805120: ['Ceph', 'error', NETWORK],
  1397113167: ['AFS', 'error', NETWORK],
  16914836: ['tmpfs', 'warning', TEMPORARY],
  2240043254: ['ramfs', 'warning', TEMPORARY],
  2035054128: ['overlayfs', 'warning', CONTAINER],
  1702057286: ['FUSE', 'warning', USER_SPACE],
};

/** Can the file system of the database keep the promise that a stored delivery survives? */
export const fileSystemCheck: Check = {
  name: 'file-system',
  run: ({ config: { dataDir } }): Symptom[] => {
    // The numbers are those of Linux.
    if (process.platform !== 'linux') return [];
    return [...examineType(dataDir), ...examineMount(dataDir)];
  },
};

function examineType(dataDir: string): Symptom[] {
  const found = FILE_SYSTEMS[statfsSync(findExisting(dataDir)).type >>> 0];
  if (found === undefined) return [];
  const [name, severity, hint] = found;
  return [{ severity, message: `the data directory ${dataDir} is on a file system of type ${name}`, hint }];
}

/** Options of a mount with which a sync succeeds although the data is not on the disk yet. */
const LYING_OPTIONS = ['nobarrier', 'barrier=0', 'volatile', 'fsync=volatile'];

function examineMount(dataDir: string): Symptom[] {
  const mount = findMount(readFileSync('/proc/self/mounts', 'utf8'), realpathSync(findExisting(dataDir)));
  return LYING_OPTIONS.filter((option) => mount?.options.includes(option)).map((option) => ({
    severity: 'error',
    message: `the file system of ${dataDir} is mounted at ${mount?.folder} with the option ${option}: synced data is not on the disk`,
    hint: 'Mount it without this option. A loss of power can lose accepted deliveries and damage the database.',
  }));
}

/** The mount that holds a folder: the longest one, and the last of several at the same folder. */
function findMount(mounts: string, path: string): { folder: string; options: string[] } | null {
  const holding = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, folder = '', , options = '']) => ({ folder: unescapeMount(folder), options: options.split(',') }))
    .filter(({ folder }) => folder !== '' && `${path}${sep}`.startsWith(folder === sep ? sep : `${folder}${sep}`));
  return holding.reduce<(typeof holding)[number] | null>(
    (found, mount) => (found === null || mount.folder.length >= found.folder.length ? mount : found),
    null,
  );
}

/** The system writes blanks and backslashes in octal. */
function unescapeMount(folder: string): string {
  return folder.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function findExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findExisting(dirname(path));
}
