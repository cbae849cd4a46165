import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../../domain/errors.ts';
import type { KeyProof } from '../../../domain/ports/secret-store.ts';
import { type KeyProofRow, READ_KEY_PROOF, toKeyProof } from '../../sql/key-proof.ts';
import { MIGRATIONS } from '../migrations.ts';
import { readWriter } from './schema-writer.ts';
import { toStorageError } from './storage-error.ts';

/** The schema version that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** What a database says about itself, of any schema version. */
export interface DatabaseFacts {
  schemaVersion: number;
  /** The version of the program that wrote the schema; `null` if it is older than 0.2. */
  writtenBy: string | null;
  /** `null` if no daemon has used the database. */
  keyProof: KeyProof | null;
}

/** Reads facts of a database that nobody writes to. Throws `storage_damaged` if the file is not a database. */
export function readDatabaseFacts(file: string): DatabaseFacts {
  return readFrom(file, (db) => ({
    schemaVersion: db.pragma('user_version', { simple: true }) as number,
    writtenBy: readWriter(db),
    keyProof: readKeyProof(db),
  }));
}

/** The runs that could still be started or end: their start records belong to the state of the database. */
export function listUnfinishedRuns(file: string): Set<string> {
  return readFrom(file, (db) => {
    const rows = db.prepare("SELECT id FROM runs WHERE state IN ('queued', 'running')").pluck().all();
    return new Set(rows as string[]);
  });
}

/** The time between the first and the last stored delivery; `null` if there are none. */
export function readDeliverySpan(file: string): number | null {
  const sql =
    'SELECT (SELECT received_at FROM deliveries ORDER BY seq DESC LIMIT 1) - ' +
    '(SELECT received_at FROM deliveries ORDER BY seq LIMIT 1)';
  return readFrom(file, (db) => db.prepare(sql).pluck().get() as number | null);
}

/** Which runs exist? To be closed. */
export function openRunLookup(file: string): { has(id: string): boolean; close(): void } {
  const db = openReadOnly(file);
  const find = db.prepare<{ id: string }>('SELECT 1 FROM runs WHERE id = @id').pluck();
  return { has: (id) => find.get({ id }) !== undefined, close: () => db.close() };
}

function readKeyProof(db: Database.Database): KeyProof | null {
  return toKeyProof(db.prepare<[], KeyProofRow>(READ_KEY_PROOF).get()!);
}

/**
 * Reading a database in WAL mode creates files next to it. If they belonged to another user, even root, the daemon could no
 * longer open the database.
 */
function openReadOnly(file: string): Database.Database {
  const { uid } = statSync(file);
  if (process.getuid !== undefined && process.getuid() !== uid) {
    throw new AppError('forbidden', `${file} belongs to the user with ID ${uid}: run the command as that user`);
  }
  return new Database(file, { readonly: true, fileMustExist: true });
}

function readFrom<Result>(file: string, read: (db: Database.Database) => Result): Result {
  try {
    const db = openReadOnly(file);
    try {
      return read(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}
