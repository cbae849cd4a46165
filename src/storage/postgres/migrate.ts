import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { AppError } from '../../domain/errors.ts';
import { readPackageVersion } from '../../platform/files/package-version.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import {
  CREATE_VERSION,
  findOlderDaemons,
  readVersion,
  rejectNewer,
  SCHEMA_LOCK,
  writeVersion,
} from './schema-version.ts';
import { isRetryable } from './storage-error.ts';
import { ANY_TIME_MS, inTransaction, withConnection } from './transactions.ts';

/**
 * A step that waits for a lock makes all later transactions on the table wait for it. So it gives up, and begins again when
 * they have had their turn.
 */
const LOCK_TIMEOUT_MS = 2000;
const LOCK_NOT_AVAILABLE = '55P03';

/** The time for other transactions, or for older daemons to end. */
const RETRY_MS = 500;
const MAX_ATTEMPTS = 6;

/** The schema versions before and after a migration. */
export interface MigratedSchema {
  from: number;
  to: number;
}

type Progress = { is: 'complete' } | { is: 'stepped'; from: number } | { is: 'blocked'; by: AppError };

/**
 * Applies the missing steps, each in one transaction. Running daemons of the versions that a step supports continue to work. Returns
 * `null` if nothing was missing, or the database was empty.
 *
 * Throws:
 * - `storage_newer` if the database needs a newer Dockbell.
 * - `storage_unavailable` if a step does not support daemons that are running, or if it does not get its locks.
 */
export async function migrate(pool: Pool, steps: readonly Migration[] = MIGRATIONS): Promise<MigratedSchema | null> {
  let from: number | null = null;
  for (let attempts = 1; ; ) {
    const progress = await withConnection(pool, (client) => applyNextStep(client, steps), ANY_TIME_MS);
    if (progress.is === 'complete') return from === null || from === 0 ? null : { from, to: steps.length };
    if (progress.is === 'stepped') from ??= progress.from;
    else if (attempts === MAX_ATTEMPTS) throw progress.by;
    else {
      attempts += 1;
      await pause(RETRY_MS);
    }
  }
}

async function applyNextStep(client: PoolClient, steps: readonly Migration[]): Promise<Progress> {
  try {
    return await inTransaction(client, 'READ COMMITTED', async () => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query(CREATE_VERSION);
      const stored = await readVersion(client);
      if (stored !== null) rejectNewer(stored, steps.length);
      const applied = stored?.steps ?? 0;
      if (applied >= steps.length) return { is: 'complete' };
      const by = applied === 0 ? null : await findObstacle(client, steps, applied);
      if (by !== null) return { is: 'blocked', by };
      const { oldest, sql } = steps[applied]!;
      await client.query(sql);
      await writeVersion(client, {
        steps: applied + 1,
        oldest: Math.max(oldest, stored?.oldest ?? 0),
        writtenBy: readPackageVersion(),
      });
      return { is: 'stepped', from: applied };
    });
  } catch (error) {
    // Running daemons take locks, too. A step that several of them hold up can end in a deadlock.
    const isBusy = isRetryable(error) || (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE);
    if (!isBusy) throw error;
    return { is: 'blocked', by: describeBusy(error) };
  }
}

/** Nothing is changed while a daemon runs that one of the missing steps does not support. */
async function findObstacle(
  client: PoolClient,
  steps: readonly Migration[],
  applied: number,
): Promise<AppError | null> {
  const oldest = Math.max(...steps.slice(applied).map((step) => step.oldest));
  const daemons = await findOlderDaemons(client, oldest);
  if (daemons.length === 0) return null;
  return new AppError(
    'storage_unavailable',
    `the schema of the database must change from version ${applied} to ${steps.length}, and daemons before version ${oldest} ` +
      `cannot work with the result. Stop them, then start this one: ${daemons.join(', ')}. Nothing was changed`,
  );
}

function describeBusy(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    'the schema of the database must change, but other transactions hold a lock on a table. Find them in pg_stat_activity, ' +
      'and start the daemon again when they have ended',
    { cause },
  );
}
