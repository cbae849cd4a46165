import Database from 'better-sqlite3';
import { requireDurability } from '../disk/require-durability.ts';

/**
 * A second connection, which only copies pages from the write-ahead log to the file. It needs no cache. Throws
 * `storage_broken` if its checkpoints would not be durable.
 */
export function openForCheckpoints(file: string): Database.Database {
  const db = new Database(file, { fileMustExist: true });
  db.pragma('synchronous = FULL');
  db.pragma('busy_timeout = 0');
  db.pragma('cache_size = 0');
  requireDurability(db, file);
  return db;
}
