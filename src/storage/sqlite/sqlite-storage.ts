import type Database from 'better-sqlite3';
import { AppError } from '../../core/errors.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createActivityReader } from './activity-reader.ts';
import { createAuditLog } from './audit-log.ts';
import { watchDatabaseSpace } from './database-space.ts';
import { prepareRecordBatch } from './delivery-log.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import { watchFullDisk } from './full-disk.ts';
import { createHandshakeLog } from './handshake-log.ts';
import { createIdFinder } from './id-finder.ts';
import { createInventory } from './inventory.ts';
import { createInventoryReader } from './inventory-reader.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { createLiveDefinitions } from './live-definitions.ts';
import { createLoginLinkTable } from './login-links.ts';
import { MIGRATIONS } from './migrations.ts';
import { createNoticeQueue } from './notice-queue.ts';
import { openDatabase } from './open-database.ts';
import { createQueryBuilder } from './query-builder.ts';
import { createReconciliationReader } from './reconciliation-reader.ts';
import { createRetention } from './retention/create-retention.ts';
import { createRunQueue } from './run-queue.ts';
import { createRunReader } from './run-reader.ts';
import { createSealedSecrets } from './sealed-secrets.ts';
import { createSessionTable } from './sessions.ts';
import type { SpaceGuard } from './space-guard.ts';
import { isDiskFull, isNoSpaceToOpen, toStorageError } from './storage-error.ts';
import { createStoredPayloads } from './stored-payloads.ts';
import { createTokenTable } from './tokens.ts';
import { createUserTable } from './users.ts';

/** A storage on one SQLite file, in the calling thread. Operations must not overlap: see `worker.ts`. */
export interface SqliteStorage extends Storage {
  close(): void;
}

/**
 * Opens or creates the file; throws as `openDatabase` does.
 *
 * @param space asked before deliveries are accepted, told when the disk is full; left out, only SQLite itself says so
 * @param warn gets a sentence about the file that an operator should know
 */
export function openSqliteStorage(
  file: string,
  space: SpaceGuard = UNGUARDED,
  warn: (message: string) => void = () => undefined,
): SqliteStorage {
  return createSqliteStorage(openWithRoom(file, space, warn), space);
}

/** On a full disk the ballast makes room for opening; accepting deliveries is another matter. */
function openWithRoom(file: string, space: SpaceGuard, warn: (message: string) => void): Database.Database {
  try {
    return openDatabase(file, MIGRATIONS, warn);
  } catch (error) {
    if (!(error instanceof AppError && isNoSpaceToOpen(error.cause))) throw error;
    space.releaseBallast();
    return openDatabase(file, MIGRATIONS, warn);
  }
}

/** The ports on a database that `openDatabase` opened. */
export function createSqliteStorage(db: Database.Database, space: SpaceGuard = UNGUARDED): SqliteStorage {
  space.watch(watchDatabaseSpace(db));
  const query = createQueryBuilder(db);
  const recordBatch = prepareRecordBatch(db);
  const fullDisk = watchFullDisk(db);
  const onDiskFull = () => {
    fullDisk.found();
    space.releaseBallast();
  };
  const guard = <Port extends object>(port: Port) => translateErrors(port, onDiskFull);
  return {
    deliveryLog: guard({
      record: async (batch) => {
        space.check();
        if (batch.length === 0) fullDisk.probe();
        const outcomes = recordBatch(batch);
        if (batch.length > 0) fullDisk.over();
        return outcomes;
      },
    }),
    deliveryReader: guard(createDeliveryReader(query)),
    storedPayloads: guard(createStoredPayloads(query)),
    activityReader: guard(createActivityReader(query)),
    handshakeLog: guard(createHandshakeLog(query)),
    idFinder: guard(createIdFinder(query)),
    inventory: guard(createInventory(query)),
    inventoryReader: guard(createInventoryReader(query)),
    keptAnswers: guard(createKeptAnswers(query)),
    liveDefinitions: guard(createLiveDefinitions(query)),
    runQueue: guard(createRunQueue(query)),
    runReader: guard(createRunReader(query)),
    reconciliationReader: guard(createReconciliationReader(query)),
    noticeQueue: guard(createNoticeQueue(query)),
    sealedSecrets: guard(createSealedSecrets(query)),
    tokens: guard(createTokenTable(query)),
    users: guard(createUserTable(query)),
    sessions: guard(createSessionTable(query)),
    loginLinks: guard(createLoginLinkTable(query)),
    auditLog: guard(createAuditLog(query)),
    retention: guard({ ...createRetention(query, onDiskFull), reclaim: async () => space.reclaim() }),
    close: () => db.close(),
  };
}

const UNGUARDED: SpaceGuard = {
  watch: () => undefined,
  check: () => undefined,
  releaseBallast: () => undefined,
  reclaim: () => ({ more: false }),
};

/** Every operation of a port, its failures given the codes that callers decide on. */
function translateErrors<Port extends object>(port: Port, onDiskFull: () => void): Port {
  const operations = Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>);
  const translated = operations.map(([name, operation]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await operation(...args);
      } catch (error) {
        if (isDiskFull(error)) onDiskFull();
        throw toStorageError(error);
      }
    },
  ]);
  return Object.fromEntries(translated) as Port;
}
