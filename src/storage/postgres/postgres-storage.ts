import type { Pool } from 'pg';
import type { Storage } from '../../core/ports/storage.ts';
import { openMeasures, type WriteMeasures } from '../../core/write-measures.ts';
import { createPorts, wrapOperations } from '../sql/create-ports.ts';
import { catchUpListing } from './delivery-listing.ts';
import { recordBatch } from './delivery-log.ts';
import { CLAIM_RETENTION, createClaimFinder } from './identity-claims.ts';
import { openPostgres, type PostgresSettings } from './open-database.ts';
import { createOperations } from './operations.ts';
import { advanceReplay } from './replay-steps.ts';
import { toStorageError } from './storage-error.ts';

/** A storage in a database of PostgreSQL, which several daemons can share. */
export interface PostgresStorage extends Storage {
  close(): Promise<void>;
}

/** Connects and brings the schema up to date. Throws the errors of `openPostgres`. */
export async function openPostgresStorage(
  settings: PostgresSettings,
  measures: WriteMeasures = openMeasures(),
): Promise<PostgresStorage> {
  const pool = await openPostgres(settings);
  return { ...createPostgresPorts(pool, measures), close: () => pool.end() };
}

function createPostgresPorts(pool: Pool, measures: WriteMeasures): Storage {
  const { query, run } = createOperations(pool);
  return createPorts({
    query,
    claims: createClaimFinder(query),
    claimRetention: CLAIM_RETENTION,
    disk: { isFull: () => false, makeRoom: () => undefined },
    record: translate((batch) => recordBatch(pool, batch, measures)),
    advance: translate((step) => advanceReplay(pool, step)),
    reclaim: async () => ({ more: false }),
    guard: (port) => wrapOperations(port, (operation) => translate((...args) => run(() => operation(...args)))),
    guardListed: (port) =>
      wrapOperations(port, (operation) =>
        translate(async (...args) => {
          await catchUpListing(pool);
          return run(() => operation(...args));
        }),
      ),
  });
}

/** Errors have the codes that callers decide on. */
function translate<Args extends unknown[], Result>(
  operation: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await operation(...args);
    } catch (error) {
      throw toStorageError(error);
    }
  };
}
