import type Database from 'better-sqlite3';
import { readPackageVersion } from '../../../platform/files/package-version.ts';

const KEY = 'schema_written_by';

/** Stores which version of the program wrote the schema, so that an earlier one can name it. */
export function noteWriter(db: Database.Database): void {
  db.prepare<{ key: string; value: Buffer }>(
    'INSERT INTO settings (key, value) VALUES (@key, @value) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run({ key: KEY, value: Buffer.from(readPackageVersion()) });
}

/** The version that wrote the schema; `null` if it is older than 0.2, or the table has another form. */
export function readWriter(db: Database.Database): string | null {
  try {
    const value = db.prepare<{ key: string }>('SELECT value FROM settings WHERE key = @key').pluck().get({ key: KEY });
    return Buffer.isBuffer(value) ? value.toString('utf8') : null;
  } catch {
    return null;
  }
}
