import { type ClientBase, Pool, types } from 'pg';
import { AppError } from '../../domain/errors.ts';
import { type MigratedSchema, migrate } from './migrate.ts';
import { declareVersion } from './schema-version.ts';
import { toStorageError } from './storage-error.ts';
import { restoreNul } from './text-without-nul.ts';
import { rejectUnfinishedCopy } from './unfinished-copy.ts';

/** How to reach the database. */
export interface PostgresSettings {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  url: string;
  /** Maximum number of connections. */
  pool: number;
}

/** How a daemon takes part in the group of those that share the database. */
export interface ReplicaSettings {
  /** ID of its data directory: `OfAttempt.machine`. */
  machine: string;
  /** How long others leave the runs of this machine alone after its last sign of life. */
  runLeaseMs: number;
}

/** The oldest version with everything that the queries use. */
export const MIN_VERSION = 140000;

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

/** A database that is ready for use. */
interface OpenPostgres {
  pool: Pool;
  /** `null` if the schema was up to date, or the database was empty. */
  migration: MigratedSchema | null;
}

/**
 * Connects, rejects a database that cannot keep the promise of a `202`, and creates the schema or brings it up to date.
 * Throws `storage_unavailable` or `config_invalid` with what to do, and the errors of `migrate`.
 *
 * @param name by which PostgreSQL lists the sessions
 */
export async function openPostgres(settings: PostgresSettings, name: string): Promise<OpenPostgres> {
  const preparing = createPool({ ...settings, pool: 1 }, name);
  try {
    await requirePromises(preparing);
    await rejectUnfinishedCopy(preparing);
    const migration = await migrate(preparing);
    return { pool: createPool(settings, name, declareVersion), migration };
  } catch (error) {
    // A start while PostgreSQL restarts can be repeated.
    throw toStorageError(error);
  } finally {
    await preparing.end();
  }
}

/**
 * Connects when it is used first. Values have the types that the storage reads.
 *
 * @param name by which PostgreSQL lists the sessions
 * @param onConnect prepares each new connection
 */
export function createPool(
  { url, pool: max }: PostgresSettings,
  name: string,
  onConnect: (client: ClientBase) => Promise<void> = async () => {},
): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: name,
    // A daemon that is frozen in a transaction would hold its locks, for which the others wait.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: 4000,
    keepAlive: true,
    // Statements that do not depend on each other share a round trip.
    pipeline: true,
    types: TYPES,
    onConnect,
  });
  // A connection that ends while nobody uses it is replaced by the next one.
  pool.on('error', () => undefined);
  return pool;
}

/**
 * A delivery is durable when its transaction has committed.
 *
 * @throws `config_invalid` if the server or the database cannot be used as it is: another start would fail, too
 */
export async function requirePromises(pool: Pool): Promise<void> {
  const { rows } = await pool.query(`SELECT current_setting('server_version_num')::int AS version,
    current_setting('synchronous_commit') AS commit, current_setting('server_encoding') AS encoding`);
  const { version, commit, encoding } = rows[0] as { version: number; commit: string; encoding: string };
  if (version < MIN_VERSION) {
    throw new AppError(
      'config_invalid',
      `PostgreSQL ${Math.floor(version / 10_000)} is too old. Use version 14 or newer.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new AppError(
      'config_invalid',
      `The database has the encoding ${encoding}. Create it with the encoding UTF8.`,
    );
  }
  if (commit === 'off') {
    const fix = 'Set it to on for the server, the database or the user of Dockbell.';
    throw new AppError(
      'config_invalid',
      `synchronous_commit is off, so PostgreSQL can lose a confirmed delivery. ${fix}`,
    );
  }
}
