import type { ClientBase, QueryResult } from 'pg';
import { AppError } from '../../domain/errors.ts';
import { MIGRATIONS } from './migrations.ts';

/** The schema version that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Held while the schema is created or changed, and shared while a session declares its schema version. */
export const SCHEMA_LOCK = 0x0d0cbe11;

/**
 * Each session of a daemon shares the lock (`VERSION_LOCKS`, its schema version) until it ends. So a migration knows which
 * versions are in use.
 */
const VERSION_LOCKS = 0x0d0cbe13;

/** What a database says about its schema. */
export interface StoredVersion {
  /** Number of applied steps. */
  steps: number;
  /** The oldest schema version whose daemons can work with the database. */
  oldest: number;
  /** The version of Dockbell that applied the last step. */
  writtenBy: string;
}

/** The table with one row, a `StoredVersion`. */
export const CREATE_VERSION =
  'CREATE TABLE IF NOT EXISTS dockbell_schema (steps integer NOT NULL, oldest integer NOT NULL, written_by text NOT NULL)';

const READ_VERSION = 'SELECT steps, oldest, written_by AS "writtenBy" FROM dockbell_schema';

/** `null` before the first step. The table has to exist. */
export async function readVersion(client: Pick<ClientBase, 'query'>): Promise<StoredVersion | null> {
  return (await client.query<StoredVersion>(READ_VERSION)).rows[0] ?? null;
}

export async function writeVersion(client: ClientBase, { steps, oldest, writtenBy }: StoredVersion): Promise<void> {
  await client.query('DELETE FROM dockbell_schema');
  await client.query('INSERT INTO dockbell_schema (steps, oldest, written_by) VALUES ($1, $2, $3)', [
    steps,
    oldest,
    writtenBy,
  ]);
}

/**
 * Declares that this session works with a schema version, in one round trip. No migration that ends the support for this
 * version can begin before the session has ended.
 *
 * @throws `storage_newer` if such a migration was applied
 */
export async function declareVersion(client: ClientBase, version: number = SCHEMA_VERSION): Promise<void> {
  // Several statements have several results, which the types do not say.
  const results: unknown = await client.query(`
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT pg_advisory_xact_lock_shared(${SCHEMA_LOCK});
    SELECT pg_advisory_lock_shared(${VERSION_LOCKS}, ${version});
    ${READ_VERSION};
    COMMIT`);
  const [, , , stored] = results as QueryResult<StoredVersion>[];
  rejectNewer(stored!.rows[0]!, version);
}

/** Throws `storage_newer` if daemons of this version cannot work with the database. */
export function rejectNewer({ steps, oldest, writtenBy }: StoredVersion, version: number): void {
  if (oldest <= version) return;
  throw new AppError(
    'storage_newer',
    `the database has schema version ${steps}, which needs daemons with schema version ${oldest} or newer. This Dockbell has ` +
      `version ${version}. Start Dockbell ${writtenBy} or newer. Nothing was changed`,
  );
}

/** The names of daemons with a session that works with a schema version before `oldest`. */
export async function findOlderDaemons(client: ClientBase, oldest: number): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(OLDER_DAEMONS, [oldest]);
  return rows.map(({ name }) => name);
}

const OLDER_DAEMONS = `
  SELECT DISTINCT coalesce(description::json ->> 'name', application_name) AS name
  FROM pg_locks JOIN pg_stat_activity USING (pid) LEFT JOIN replicas ON application_name = 'dockbell ' || id
  WHERE locktype = 'advisory' AND granted AND classid = ${VERSION_LOCKS} AND objsubid = 2 AND objid::bigint < $1
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ORDER BY name`;
