import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { systemClock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { createIdSource } from '../core/ids.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import { openSqliteStorage } from '../storage/sqlite/sqlite-storage.ts';
import { replaceAdminToken } from './admin-token.ts';
import { resolveDataPaths } from './data-paths.ts';

/**
 * The way back in for an operator who has no owner token any more: replaces the first owner token in the data directory
 * of a daemon that is stopped. Whoever can write there could also edit the database. Returns the path of the token file.
 *
 * Throws `data_dir_locked` while a daemon runs, `not_found` if the folder holds no database, `forbidden` if the
 * database belongs to another user, and what opening the database throws.
 */
export async function resetAdminToken(dataDir: string): Promise<string> {
  const paths = resolveDataPaths(dataDir);
  requireDatabase(paths.database, dataDir);
  process.umask(0o077);
  const lock = lockDataDir(dataDir);
  try {
    const storage = openSqliteStorage(paths.database);
    try {
      const ids = createIdSource(randomBytes);
      const parts = { tokens: storage.tokens, clock: systemClock, ids, randomBytes };
      const { id } = await replaceAdminToken(parts, paths.adminToken);
      const at = systemClock.wallMs();
      await storage.auditLog.append({
        ...{
          id: ids.auditId(at),
          at,
          actor: null,
          method: 'CLI',
          route: 'dockbell token reset',
          object: `tokens/${id}`,
        },
        ...{ changes: { name: 'admin-token', role: 'owner' }, status: 201, clientAddress: 'local' },
      });
    } finally {
      storage.close();
    }
  } finally {
    lock.release();
  }
  return paths.adminToken;
}

/** Another user, even root, would leave files behind that the daemon cannot read. */
function requireDatabase(database: string, dataDir: string): void {
  if (!existsSync(database)) {
    throw new AppError(
      'not_found',
      `${dataDir} holds no database of Dockbell: name its data directory with --data-dir`,
    );
  }
  const { uid } = statSync(database);
  if (process.getuid === undefined || process.getuid() === uid) return;
  throw new AppError(
    'forbidden',
    `${database} belongs to the user with ID ${uid}: run the command as that user, for example with sudo -u '#${uid}'`,
  );
}
