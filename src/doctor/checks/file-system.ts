import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FindingSeverity } from '../../core/ports/doctor.ts';
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
    const found = FILE_SYSTEMS[statfsSync(findExisting(dataDir)).type >>> 0];
    if (found === undefined) return [];
    const [name, severity, hint] = found;
    return [{ severity, message: `the data directory ${dataDir} is on a file system of type ${name}`, hint }];
  },
};

function findExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findExisting(dirname(path));
}
