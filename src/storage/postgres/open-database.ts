import { Pool, types } from 'pg';
import { AppError } from '../../core/errors.ts';
import { MIGRATIONS } from './migrations.ts';
import { withConnection } from './operations.ts';
import { restoreNul } from './text-without-nul.ts';
import { rejectUnfinishedCopy } from './unfinished-copy.ts';

/** How to reach the database. */
export interface PostgresSettings {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  url: string;
  /** Maximum number of connections. */
  pool: number;
}

/** The oldest version with everything that the queries use. */
export const MIN_VERSION = 140000;

/** Held while the schema is created or changed, so that only one of several daemons does it. */
const SCHEMA_LOCK = 0x0d0cbe11;

/** The queries of a transaction follow each other without a pause. */
const IDLE_IN_TRANSACTION_MS = 5000;

const INT8 = 20;
const NUMERIC = 1700;
const TEXT = 25;
const BOOL = 16;

/** Numbers stay below 2^53. `true` is 1, as in SQLite. */
const PARSERS = new Map<number, (value: string) => unknown>([
  [INT8, Number],
  [NUMERIC, Number],
  [TEXT, restoreNul],
  [BOOL, (value) => (value === 't' ? 1 : 0)],
]);

/** For each connection. */
export const TYPES = { getTypeParser: (id: number) => PARSERS.get(id) ?? types.getTypeParser(id) } as never;

/**
 * Connects, rejects a database that cannot keep the promise of a `202`, and creates the schema or brings it up to date.
 * Throws `storage_unavailable` with what to do.
 *
 * @param name by which PostgreSQL lists the sessions
 */
export async function openPostgres(settings: PostgresSettings, name: string): Promise<Pool> {
  const pool = createPool(settings, name);
  try {
    await requirePromises(pool);
    await rejectUnfinishedCopy(pool);
    await migrate(pool);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/**
 * Connects when it is used first. Values have the types that the storage reads.
 *
 * @param name by which PostgreSQL lists the sessions
 */
export function createPool({ url, pool: max }: PostgresSettings, name: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: name,
    // A daemon that is frozen in a transaction would hold its locks, for which the others wait.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Statements that do not depend on each other share a round trip.
    pipeline: true,
    types: TYPES,
  });
  // A connection that ends while nobody uses it is replaced by the next one.
  pool.on('error', () => undefined);
  return pool;
}

/** A delivery is durable when its transaction has committed. */
export async function requirePromises(pool: Pool): Promise<void> {
  const { rows } = await pool.query(`SELECT current_setting('server_version_num')::int AS version,
    current_setting('synchronous_commit') AS commit, current_setting('server_encoding') AS encoding`);
  const { version, commit, encoding } = rows[0] as { version: number; commit: string; encoding: string };
  if (version < MIN_VERSION) {
    throw new AppError(
      'storage_unavailable',
      `PostgreSQL ${Math.floor(version / 10_000)} is too old. Use version 14 or newer.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new AppError(
      'storage_unavailable',
      `The database has the encoding ${encoding}. Create it with the encoding UTF8.`,
    );
  }
  if (commit === 'off') {
    const fix = 'Set it to on for the server, the database or the user of Dockbell.';
    throw new AppError(
      'storage_unavailable',
      `synchronous_commit is off, so PostgreSQL can lose a confirmed delivery. ${fix}`,
    );
  }
}

/** All steps that are missing, in one transaction. */
export async function migrate(pool: Pool): Promise<void> {
  await withConnection(pool, async (client) => {
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
      await client.query('CREATE TABLE IF NOT EXISTS dockbell_schema (steps integer NOT NULL)');
      const { rows } = await client.query('SELECT steps FROM dockbell_schema');
      const applied = (rows[0] as { steps: number } | undefined)?.steps ?? 0;
      if (applied > MIGRATIONS.length) {
        throw new AppError(
          'storage_unavailable',
          'The database was written by a newer version of Dockbell. Install that version.',
        );
      }
      for (const step of MIGRATIONS.slice(applied)) await client.query(step);
      if (rows.length === 0) await client.query('INSERT INTO dockbell_schema (steps) VALUES ($1)', [MIGRATIONS.length]);
      else await client.query('UPDATE dockbell_schema SET steps = $1', [MIGRATIONS.length]);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
