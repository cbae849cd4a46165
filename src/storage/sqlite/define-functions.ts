import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';

/** Defines the functions that migrations and queries call. PostgreSQL has them. */
export function defineFunctions(database: Database.Database): void {
  database.function('sha256', { deterministic: true }, (bytes: Uint8Array) => hash('sha256', bytes, 'buffer'));
}
