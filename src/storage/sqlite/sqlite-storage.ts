import type Database from 'better-sqlite3';
import { AppError } from '../../core/errors.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { openMeasures, type WriteMeasures } from '../../core/write-measures.ts';
import { createAuditLog } from '../sql/access/audit-log.ts';
import { createLoginLinkTable } from '../sql/access/login-links.ts';
import { createRunTokenTable } from '../sql/access/run-tokens.ts';
import { createSessionTable } from '../sql/access/sessions.ts';
import { createTokenTable } from '../sql/access/tokens.ts';
import { createUserTable } from '../sql/access/users.ts';
import { createAlertMessages } from '../sql/alerts/alert-messages.ts';
import { createAlertReader } from '../sql/alerts/alert-reader.ts';
import { createAlertStore } from '../sql/alerts/alert-store.ts';
import { createDefinitionHistory } from '../sql/definitions/definition-history.ts';
import { createFactoryNames } from '../sql/definitions/factory-names.ts';
import { createInventory } from '../sql/definitions/inventory.ts';
import { createInventoryReader } from '../sql/definitions/inventory-reader.ts';
import { createLiveDefinitions } from '../sql/definitions/live-definitions.ts';
import { createReconciliationReader } from '../sql/definitions/reconciliation-reader.ts';
import { createActivityReader } from '../sql/deliveries/activity-reader.ts';
import { createDeliveryReader } from '../sql/deliveries/delivery-reader.ts';
import { createHandshakeLog } from '../sql/deliveries/handshake-log.ts';
import { createReplays } from '../sql/deliveries/replays.ts';
import { createStoredPayloads } from '../sql/deliveries/stored-payloads.ts';
import { createUnloggedCounts } from '../sql/deliveries/unlogged-counts.ts';
import { createIdFinder } from '../sql/operation/id-finder.ts';
import { createKeptAnswers } from '../sql/operation/kept-answers.ts';
import { createNoticeQueue } from '../sql/operation/notice-queue.ts';
import { createSealedSecrets } from '../sql/operation/sealed-secrets.ts';
import { createRetention } from '../sql/retention/create-retention.ts';
import { createPauseTable } from '../sql/runs/pauses.ts';
import { createRunQueue } from '../sql/runs/run-queue.ts';
import { createRunReader } from '../sql/runs/run-reader.ts';
import { Checkpointer } from './checkpoints/checkpointer.ts';
import { createDeliveryListing, type DeliveryListing } from './delivery-listing.ts';
import { prepareRecordBatch, type RecordBatch } from './delivery-log.ts';
import { watchDatabaseSpace } from './disk/database-space.ts';
import { watchFullDisk } from './disk/full-disk.ts';
import { type OpenReport, openDatabase, UNREPORTED } from './disk/open-database.ts';
import type { SpaceGuard } from './disk/space-guard.ts';
import { isDiskFull, isNoSpaceToOpen, toStorageError, unmaskFullDisk } from './disk/storage-error.ts';
import { IdentityClaims } from './identities/identity-claims.ts';
import { MIGRATIONS } from './migrations.ts';
import { createQueryBuilder } from './query-builder.ts';
import { prepareAdvance } from './replay-steps.ts';

/** A storage in one SQLite file, in the calling thread. Operations must not overlap: see `worker.ts`. */
export interface SqliteStorage extends Storage {
  /** Loads what the first delivery needs. Otherwise the first delivery waits for it. */
  load(): void;
  /**
   * Checkpoints in a separate thread. Otherwise SQLite checkpoints during a commit.
   * @param workerUrl the built `checkpoint-worker.js`
   */
  startCheckpoints(workerUrl: URL): Checkpointer;
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
  const query = createQueryBuilder(db);
  const claims = new IdentityClaims(db);
  const listing = createDeliveryListing(db);
  const recordBatch = prepareRecordBatch(db, claims, listing, measures);
  const fullDisk = watchFullDisk(db);
  const onDiskFull = () => {
    fullDisk.found();
    space.releaseBallast();
  };
  const unmask = (error: unknown) => unmaskFullDisk(error, db.name);
  const guard = <Port extends object>(port: Port) => translateErrors(port, { unmask, onDiskFull });
  const catchUp = () => catchUpIfPossible(listing, { unmask, onDiskFull });
  /** A port that reads or removes deliveries by webhook and label. */
  const guardListed = <Port extends object>(port: Port) => guard(callBefore(port, catchUp));
  const record: RecordBatch = (batch, also) => {
    space.check();
    if (batch.length === 0) fullDisk.probe();
    const outcomes = recordBatch(batch, also);
    if (batch.length > 0) fullDisk.over();
    return outcomes;
  };
  const advance = prepareAdvance(db, record);
  return {
    deliveryLog: guard({ record: async (batch) => record(batch) }),
    deliveryReader: guardListed(createDeliveryReader(query, claims)),
    storedPayloads: guardListed(createStoredPayloads(query)),
    replays: guardListed({ ...createReplays(query, claims), advance: async (step) => advance(step) }),
    activityReader: guardListed(createActivityReader(query)),
    handshakeLog: guard(createHandshakeLog(query)),
    unloggedCounts: guard(createUnloggedCounts(query)),
    idFinder: guard(createIdFinder(query)),
    inventory: guard(createInventory(query)),
    inventoryReader: guardListed(createInventoryReader(query)),
    factoryNames: guardListed(createFactoryNames(query)),
    definitionHistory: guard(createDefinitionHistory(query)),
    keptAnswers: guard(createKeptAnswers(query)),
    liveDefinitions: guard(createLiveDefinitions(query)),
    runQueue: guard(createRunQueue(query)),
    runReader: guard(createRunReader(query)),
    pauses: guard(createPauseTable(query)),
    reconciliationReader: guard(createReconciliationReader(query)),
    noticeQueue: guard(createNoticeQueue(query)),
    alertStore: guard(createAlertStore(query)),
    alertMessages: guard(createAlertMessages(query)),
    alertReader: guardListed(createAlertReader(query)),
    sealedSecrets: guard(createSealedSecrets(query)),
    runTokens: guard(createRunTokenTable(query)),
    tokens: guard(createTokenTable(query)),
    users: guard(createUserTable(query)),
    sessions: guard(createSessionTable(query)),
    loginLinks: guard(createLoginLinkTable(query)),
    auditLog: guard(createAuditLog(query)),
    retention: guardListed({
      ...createRetention(query, claims, { isFull: (error) => isDiskFull(unmask(error)), makeRoom: onDiskFull }),
      reclaim: async () => space.reclaim(),
    }),
    load: () => claims.load(),
    startCheckpoints: (workerUrl) => new Checkpointer(db, workerUrl),
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

/** On a full disk, readers get the log without its last deliveries: at most those that make an extension due. */
function catchUpIfPossible(listing: DeliveryListing, { unmask, onDiskFull }: FullDiskHandling): void {
  try {
    listing.catchUp();
  } catch (thrown) {
    const error = unmask(thrown);
    if (!isDiskFull(error)) throw error;
    onDiskFull();
  }
}

/** Calls `before` before each operation of a port. */
function callBefore<Port extends object>(port: Port, before: () => void): Port {
  const operations = Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>);
  const extended = operations.map(([name, operation]) => [
    name,
    async (...args: unknown[]) => {
      before();
      return operation(...args);
    },
  ]);
  return Object.fromEntries(extended) as Port;
}

/** Wraps each operation of a port, so that its errors have the codes that callers decide on. */
function translateErrors<Port extends object>(port: Port, { unmask, onDiskFull }: FullDiskHandling): Port {
  const operations = Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>);
  const translated = operations.map(([name, operation]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await operation(...args);
      } catch (thrown) {
        const error = unmask(thrown);
        if (isDiskFull(error)) onDiskFull();
        throw toStorageError(error);
      }
    },
  ]);
  return Object.fromEntries(translated) as Port;
}
