// One SQLite file. In: calls of ports, one after another (`thread/worker.ts`). Out: durable rows. The hot path is
// `delivery-log.ts`, with identities in memory (`identities/identity-claims.ts`). `disk/open-database.ts` proves durability,
// `disk/space-guard.ts` keeps space for removing rows, `checkpoints/checkpointer.ts` keeps the write-ahead log short. All
// other queries are those of `storage/sql/create-ports.ts`. `migrations.ts` has the steps of the schema.

import type Database from 'better-sqlite3';
import { changeWithRecord } from '../../domain/access/change-record.ts';
import { AppError } from '../../domain/errors.ts';
import type { ReplayStep } from '../../domain/ports/replays.ts';
import type { ScheduleStep } from '../../domain/ports/schedules.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import type { DeliveryLogEntry } from '../../domain/resources/delivery.ts';
import { openMeasures, type WriteMeasures } from '../../domain/telemetry/write-measures.ts';
import { storeRecord } from '../sql/access/audit-log.ts';
import { createPorts, wrapOperations } from '../sql/create-ports.ts';
import { isChange } from '../thread/operation-rights.ts';
import { Checkpointer } from './checkpoints/checkpointer.ts';
import { createClaimRetention } from './claim-retention.ts';
import { createDeliveryListing, type DeliveryListing } from './delivery-listing.ts';
import { prepareRecordBatch, type RecordBatch } from './delivery-log.ts';
import { watchDatabaseSpace } from './disk/database-space.ts';
import { watchFullDisk } from './disk/full-disk.ts';
import { type OpenReport, openDatabase, UNREPORTED } from './disk/open-database.ts';
import type { SpaceGuard } from './disk/space-guard.ts';
import { isDiskFull, isNoSpaceToOpen, toStorageError, unmaskFullDisk } from './disk/storage-error.ts';
import { isBusy, WriteLock } from './disk/write-lock.ts';
import { IdentityClaims } from './identities/identity-claims.ts';
import { MIGRATIONS } from './migrations.ts';
import { createQueryBuilder, type SqliteQueries } from './query-builder.ts';
import { prepareAdvance } from './replay-steps.ts';
import { prepareTick } from './schedule-steps.ts';

/** What a storage thread opens. */
export interface SqliteFile {
  /** The database file. */
  file: string;
}

/** A storage in one SQLite file, in the calling thread. Operations must not overlap: see `worker.ts`. */
export interface SqliteStorage extends Storage {
  /** Loads what the first delivery needs. Otherwise the first delivery waits for it. */
  load(): void;
  /**
   * Checkpoints in a separate thread. Otherwise SQLite checkpoints during a commit.
   * @param workerUrl the built `checkpoint-worker.js`
   */
  startCheckpoints(workerUrl: URL): Checkpointer;
  /** Lets no operation wait for the write lock: it fails, and the caller repeats it. See `WriteLock`. */
  watchLock(): WriteLock;
  close(): void;
}

/**
 * Opens or creates the file. Throws the errors of `openDatabase`.
 *
 * @param space checked before deliveries are recorded; if omitted, only SQLite detects a full disk
 * @param report receives what happened while the file was opened
 * @param measures of the transactions that record deliveries
 */
export function openSqliteStorage(
  file: string,
  space: SpaceGuard = UNGUARDED,
  report: OpenReport = UNREPORTED,
  measures: WriteMeasures = openMeasures(),
): SqliteStorage {
  return createSqliteStorage(openWithRoom(file, space, report), space, measures);
}

/** On a full disk, the space of the ballast is enough to open the file, but not to accept deliveries. */
function openWithRoom(file: string, space: SpaceGuard, report: OpenReport): Database.Database {
  try {
    return openDatabase(file, MIGRATIONS, report);
  } catch (error) {
    if (!(error instanceof AppError && isNoSpaceToOpen(error.cause))) throw error;
    space.releaseBallast();
    return openDatabase(file, MIGRATIONS, report);
  }
}

/** Creates the ports for a database that `openDatabase` opened. */
export function createSqliteStorage(
  db: Database.Database,
  space: SpaceGuard = UNGUARDED,
  measures: WriteMeasures = openMeasures(),
): SqliteStorage {
  space.watch(watchDatabaseSpace(db));
  const { query, inTransaction } = createQueryBuilder(db);
  const claims = new IdentityClaims(db);
  const listing = createDeliveryListing(db);
  const recordBatch = prepareRecordBatch(db, claims, listing, measures);
  const fullDisk = watchFullDisk(db);
  const onDiskFull = () => {
    fullDisk.found();
    space.releaseBallast();
  };
  const unmask = (error: unknown) => unmaskFullDisk(error, db.name);
  const translate = <Port extends object>(port: Port) => translateErrors(port, { unmask, onDiskFull });
  const guard = <Port extends object>(name: keyof Storage, port: Port) =>
    translate(recordChanges(name, port, { query, inTransaction }));
  const lock = new WriteLock(db);
  const catchUp = () => catchUpIfPossible(listing, lock, { unmask, onDiskFull });
  const record: RecordBatch = (batch, also) => {
    space.check();
    if (batch.length === 0) fullDisk.probe();
    const outcomes = recordBatch(batch, also);
    if (batch.length > 0) fullDisk.over();
    return outcomes;
  };
  const advance = prepareAdvance(db, record);
  const tick = prepareTick(db, record);
  return {
    ...createPorts({
      query,
      claims,
      claimRetention: createClaimRetention(claims),
      disk: { isFull: (error) => isDiskFull(unmask(error)), makeRoom: onDiskFull },
      claimLock: 'none',
      ...translate({
        record: async (batch: readonly DeliveryLogEntry[]) => record(batch),
        advance: async (step: ReplayStep) => advance(step),
        tick: async (step: ScheduleStep) => tick(step),
        reclaim: async () => space.reclaim(),
      }),
      guard,
      guardListed: (name, port) => guard(name, readListed(name, port, { listing, catchUp })),
    }),
    load: () => claims.load(),
    startCheckpoints: (workerUrl) => new Checkpointer(db, workerUrl),
    watchLock: () => {
      lock.failFast();
      return lock;
    },
    close: () => db.close(),
  };
}

const UNGUARDED: SpaceGuard = {
  watch: () => undefined,
  check: () => undefined,
  releaseBallast: () => undefined,
  reclaim: () => ({ more: false }),
};

interface FullDiskHandling {
  /** See `unmaskFullDisk`. */
  unmask(error: unknown): unknown;
  onDiskFull(): void;
}

/** Returns `false` on a full disk, or if another process keeps the write lock. */
function catchUpIfPossible(
  listing: DeliveryListing,
  lock: Pick<WriteLock, 'isNoted'>,
  { unmask, onDiskFull }: FullDiskHandling,
): boolean {
  try {
    listing.catchUp();
    return true;
  } catch (thrown) {
    if (isBusy(thrown) && lock.isNoted) return false;
    const error = unmask(thrown);
    if (!isDiskFull(error)) throw error;
    onDiskFull();
    return false;
  }
}

/** Stores the record of a request with the changes that it makes. */
function recordChanges<Port extends object>(
  name: keyof Storage,
  port: Port,
  { query, inTransaction }: SqliteQueries,
): Port {
  return wrapOperations(port, (operation, operationName) => {
    if (!isChange(name, operationName)) return operation;
    return (...args) =>
      changeWithRecord((record) => {
        if (record === null) return operation(...args);
        return inTransaction(async () => {
          const result = await operation(...args);
          await storeRecord(query, record);
          return result;
        });
      });
  });
}

/** Each operation of the port finds all deliveries. If the listing cannot be extended, a read gets the others in addition. */
function readListed<Port extends object>(
  name: keyof Storage,
  port: Port,
  { listing, catchUp }: { listing: DeliveryListing; catchUp: () => boolean },
): Port {
  return wrapOperations(port, (operation, operationName) => async (...args) => {
    if (catchUp() || isChange(name, operationName)) return operation(...args);
    return listing.readWithWaiting(() => operation(...args));
  });
}

/** Wraps each operation of a port, so that its errors have the codes that callers decide on. */
function translateErrors<Port extends object>(port: Port, { unmask, onDiskFull }: FullDiskHandling): Port {
  return wrapOperations(port, (operation) => async (...args) => {
    try {
      return await operation(...args);
    } catch (thrown) {
      const error = unmask(thrown);
      if (isDiskFull(error)) onDiskFull();
      throw toStorageError(error);
    }
  });
}
