import { Client } from 'pg';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { KeyProof } from '../../domain/ports/secret-store.ts';
import { type KeyProofRow, READ_KEY_PROOF, toKeyProof } from '../sql/key-proof.ts';
import { readVersion, type StoredVersion } from './schema-version.ts';
import { toStorageError } from './storage-error.ts';
import { COPY_MARKER } from './unfinished-copy.ts';

/** What a database and its server say about themselves. */
export interface PostgresFacts {
  /** Such as 16.4. */
  version: string;
  /** Such as 160004. */
  versionNumber: number;
  encoding: string;
  synchronousCommit: string;
  fsync: string;
  fullPageWrites: string;
  maxConnections: number;
  /** `null` if no daemon has used the database. */
  schema: StoredVersion | null;
  isUnfinishedCopy: boolean;
  /** `null` if no daemon has used the database. */
  keyProof: KeyProof | null;
}

const SERVER = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS "versionNumber",
  current_setting('server_encoding') AS encoding,
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('max_connections')::int AS "maxConnections",
  to_regclass('dockbell_schema') IS NOT NULL AS "hasSchema",
  to_regclass($1) IS NOT NULL AS "isUnfinishedCopy"`;

/** Connects, reads facts and changes nothing. Throws `storage_unavailable` if PostgreSQL cannot be reached. */
export function inspectPostgres(url: string): Promise<PostgresFacts> {
  return withConnection(url, async (client) => {
    const { rows } = await client.query(SERVER, [COPY_MARKER]);
    const { hasSchema, ...server } = rows[0] as { hasSchema: boolean } & Omit<PostgresFacts, 'schema' | 'keyProof'>;
    if (!hasSchema) return { ...server, schema: null, keyProof: null };
    const schema = await readVersion(client);
    const proof = await client.query<KeyProofRow>(READ_KEY_PROOF);
    return { ...server, schema, keyProof: toKeyProof(proof.rows[0]!) };
  });
}

/** Which of these runs are stored? Throws as `inspectPostgres`. */
export function findStoredRuns(url: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return withConnection(url, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM runs WHERE id = ANY($1::text[])', [ids]);
    return new Set(rows.map(({ id }) => id));
  });
}

async function withConnection<Result>(url: string, read: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, application_name: 'dockbell', connectionTimeoutMillis: 10_000 });
  // The query reports it again.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await read(client);
  } catch (error) {
    const translated = toStorageError(error);
    if (translated instanceof AppError) throw translated;
    throw new AppError('storage_unavailable', `PostgreSQL: ${messageOf(error)}`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}
