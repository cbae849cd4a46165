import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { DataPaths } from './data-paths.ts';

/**
 * A missing or empty database in a folder that was in use is a loss and no first start: a new database would answer
 * every webhook with `404`, which senders take as final. The master key proves nothing, it may be put there before the
 * first start. Throws `storage_damaged`.
 */
export function requireDatabase(paths: DataPaths): void {
  if (sizeOf(paths.database) > 0) return;
  const traces = findTraces(paths);
  if (traces.length === 0) return;
  const state = existsSync(paths.database) ? 'is empty' : 'is missing';
  throw new AppError(
    'storage_damaged',
    `${paths.database} ${state}, but ${traces.join(', ')} in the same folder show that it was in use. Restore your copy ` +
      'of dockbell.db. To start with nothing instead, move the data directory away',
  );
}

function findTraces({ database, startRecords, runLogs, managed, adminToken }: DataPaths): string[] {
  const made = [adminToken, startRecords, runLogs, managed].filter(isMadeHere).map((path) => basename(path));
  const wal = `${database}-wal`;
  const backups = readdirSync(dirname(database)).filter((name) => name.startsWith(`${basename(database)}.before-v`));
  return [...made, ...(sizeOf(wal) > 0 ? [basename(wal)] : []), ...backups];
}

/** A daemon makes files and folders. A link was put there by somebody else and proves no earlier start. */
function isMadeHere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * For a command that works in the data directory. Another user, even root, would leave files behind that the daemon cannot
 * read. Throws `bad_request` if there is no database, and `forbidden` if it belongs to another user.
 */
export function requireOwnDatabase(database: string, dataDir: string): void {
  if (!existsSync(database)) {
    throw new AppError(
      'bad_request',
      `${dataDir} holds no database of Dockbell: name its data directory with --data-dir`,
    );
  }
  requireOwner(database);
}

/** As `requireOwnDatabase`, if the database is not in the data directory. */
export function requireOwnDataDir(dataDir: string): void {
  if (!existsSync(dataDir)) {
    throw new AppError(
      'bad_request',
      `the data directory ${dataDir} does not exist: name the one of the daemon with --data-dir`,
    );
  }
  requireOwner(dataDir);
}

function requireOwner(path: string): void {
  const { uid } = statSync(path);
  if (process.getuid === undefined || process.getuid() === uid) return;
  throw new AppError(
    'forbidden',
    `${path} belongs to the user with ID ${uid}: run the command as that user, for example with sudo -u '#${uid}'`,
  );
}
