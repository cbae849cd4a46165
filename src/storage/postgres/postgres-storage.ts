// One database of PostgreSQL, which several daemons can share. In: calls of ports, at the same time (`thread/worker.ts`). Out:
// rows, in transactions that prove the right of this daemon (`replicas/led-operations.ts`). `transactions.ts` finds the
// outcome of a COMMIT without an answer, `operations.ts` repeats conflicts, `delivery-log.ts` is the hot path,
// `identity-claims.ts` decides what is new. `replicas/membership.ts` is the connection that holds the lead. All other queries
// are those of `storage/sql/create-ports.ts`. `migrations.ts` has the steps of the schema.

import type { Pool } from 'pg';
import { type ChangeRecord, changeWithRecord } from '../../domain/access/change-record.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import { openMeasures, type WriteMeasures } from '../../domain/telemetry/write-measures.ts';
import { storeRecord } from '../sql/access/audit-log.ts';
import { createPorts, wrapOperations } from '../sql/create-ports.ts';
import { isChange, rightOf } from '../thread/operation-rights.ts';
import type { GroupPorts } from '../thread/worker-protocol.ts';
import { createListingCatchUp } from './delivery-listing.ts';
import { recordBatch } from './delivery-log.ts';
import { CLAIM_RETENTION, createClaimFinder } from './identity-claims.ts';
import type { MigratedSchema } from './migrate.ts';
import { openPostgres, type PostgresSettings } from './open-database.ts';
import { createOperations, type Operations } from './operations.ts';
import { advanceReplay } from './replay-steps.ts';
import { nameSession } from './replicas/leadership.ts';
import { asMember, type Member } from './replicas/led-operations.ts';
import { createReplicaTable } from './replicas/replica-table.ts';
import { createRunLogParts } from './run-logs/run-log-parts.ts';
import { findTurn } from './run-turns.ts';
import { advanceSchedule } from './schedule-steps.ts';
import { toStorageError } from './storage-error.ts';
import { forgetMarks } from './transactions.ts';

/** A storage in a database of PostgreSQL, which several daemons can share. */
export interface PostgresStorage extends Storage, GroupPorts {
  /** The migration of this start; `null` if the schema was up to date, or the database was empty. */
  migration: MigratedSchema | null;
  close(): Promise<void>;
}

/**
 * Connects and brings the schema up to date. Throws the errors of `openPostgres`.
 *
 * @param member `null` outside a daemon: then nothing is reserved for a leader
 */
export async function openPostgresStorage(
  settings: PostgresSettings,
  measures: WriteMeasures = openMeasures(),
  member: Member | null = null,
): Promise<PostgresStorage> {
  const { pool, migration } = await openPostgres(settings, member === null ? 'dockbell' : nameSession(member.id));
  const operations = createOperations(pool);
  const ports = createPostgresPorts(pool, operations, { measures, member });
  return {
    ...ports,
    replicas: wrapOperations(createReplicaTable(pool, operations, member?.id ?? ''), translate),
    runLogParts: wrapOperations(createRunLogParts(pool), translate),
    migration,
    close: () => pool.end(),
  };
}

function createPostgresPorts(
  pool: Pool,
  { query, run }: Operations,
  { measures, member }: { measures: WriteMeasures; member: Member | null },
): Storage {
  const catchUpListing = createListingCatchUp(pool);
  const guard = <Port extends object>(name: keyof Storage, port: Port, before = async () => {}) =>
    wrapOperations(port, (operation, operationName) => {
      const access = rightOf(name, operationName) === 'reads' ? 'READ ONLY' : 'READ WRITE';
      const act = member === null ? null : asMember(member, name, operationName, operation);
      const perform = async (args: unknown[], record: ChangeRecord | null) => {
        await before();
        const turn = findTurn(name, operationName, args);
        return run(
          access,
          async (client) => {
            const result = await (act === null ? operation(...args) : act(client, args));
            if (record !== null) await storeRecord(query, record);
            return result;
          },
          turn,
        );
      };
      if (!isChange(name, operationName)) return translate((...args) => perform(args, null));
      return translate((...args) => changeWithRecord((record) => perform(args, record)));
    });
  return createPorts({
    query,
    claims: createClaimFinder(query),
    claimRetention: CLAIM_RETENTION,
    disk: { isFull: () => false, makeRoom: () => undefined },
    claimLock: 'skip',
    record: translate((batch) => recordBatch({ pool, measures }, batch)),
    advance: translate((step) => advanceReplay(pool, step)),
    tick: translate((step) => advanceSchedule(pool, step)),
    reclaim: translate(async () => {
      await forgetMarks(pool);
      return { more: false };
    }),
    guard: (name, port) => guard(name, port),
    guardListed: (name, port) => guard(name, port, catchUpListing),
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
