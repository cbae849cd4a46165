import { Kysely, SqliteDialect } from 'kysely';
import type { Storage } from '../../core/ports/storage.ts';
import { prepareRecordBatch } from './delivery-log.ts';
import { createDeliveryReader } from './delivery-reader.ts';
import { createInventory } from './inventory.ts';
import { createInventoryReader } from './inventory-reader.ts';
import { openDatabase } from './open-database.ts';
import { createReconciliationReader } from './reconciliation-reader.ts';
import { createRetention } from './retention.ts';
import { createRunQueue } from './run-queue.ts';
import { createRunReader } from './run-reader.ts';
import type { Schema } from './schema.ts';
import { createSealedSecrets } from './sealed-secrets.ts';
import { toStorageError } from './storage-error.ts';
import { createTokenTable } from './tokens.ts';

/** A storage on one SQLite file, in the calling thread. Operations must not overlap: see `worker.ts`. */
export interface SqliteStorage extends Storage {
  close(): void;
}

/** Opens or creates the file; throws as `openDatabase` does. */
export function openSqliteStorage(file: string): SqliteStorage {
  const db = openDatabase(file);
  const query = new Kysely<Schema>({ dialect: new SqliteDialect({ database: db }) });
  const recordBatch = prepareRecordBatch(db);
  return {
    deliveryLog: translateErrors({ record: async (batch) => recordBatch(batch) }),
    deliveryReader: translateErrors(createDeliveryReader(query)),
    inventory: translateErrors(createInventory(query)),
    inventoryReader: translateErrors(createInventoryReader(query)),
    runQueue: translateErrors(createRunQueue(query)),
    runReader: translateErrors(createRunReader(query)),
    reconciliationReader: translateErrors(createReconciliationReader(query)),
    sealedSecrets: translateErrors(createSealedSecrets(query)),
    tokens: translateErrors(createTokenTable(query)),
    retention: translateErrors(createRetention(query)),
    close: () => {
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
}

/** Every operation of a port, its failures given the codes that callers decide on. */
function translateErrors<Port extends object>(port: Port): Port {
  const operations = Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>);
  const translated = operations.map(([name, operation]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await operation(...args);
      } catch (error) {
        throw toStorageError(error);
      }
    },
  ]);
  return Object.fromEntries(translated) as Port;
}
