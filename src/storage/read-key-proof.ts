import { existsSync } from 'node:fs';
import type { KeyProof } from '../domain/ports/secret-store.ts';
import { readDatabaseFacts } from './sqlite/disk/inspect-copy.ts';

/** Where a daemon stores. */
export interface StoragePlace {
  type: 'sqlite' | 'postgres';
  /** Of the database of PostgreSQL. */
  url: string | null;
}

/**
 * The proof of the master key in a database that may be of an earlier schema version. Changes nothing. `null` if no daemon has used
 * the database. Throws `storage_unavailable` or `storage_damaged` if the database cannot be read.
 *
 * @param file of SQLite
 */
export async function readKeyProof({ type, url }: StoragePlace, file: string): Promise<KeyProof | null> {
  if (type === 'sqlite') return existsSync(file) ? readDatabaseFacts(file).keyProof : null;
  // With SQLite, the client of PostgreSQL is not loaded.
  const { inspectPostgres } = await import('./postgres/inspect-database.ts');
  return (await inspectPostgres(url!)).keyProof;
}
