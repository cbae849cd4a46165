// The queries of both databases, a folder for each subject. In: a query builder, and what one database does differently. Out:
// all ports of a storage. `schema/tables.ts` has the tables, `schema/columns.ts` their columns, derived from
// `domain/resources/`.
// Next: `runs/run-queue.ts` for the states of a run, `definitions/apply-change.ts` for an apply, `deliveries/delivery-rows.ts`
// for what a delivery becomes, `retention/create-retention.ts` for what is removed.

import type { Kysely } from 'kysely';
import type { DeliveryLog } from '../../domain/ports/delivery-log.ts';
import type { Retention } from '../../domain/ports/operations.ts';
import type { Replays } from '../../domain/ports/replays.ts';
import type { ScheduleStore } from '../../domain/ports/schedules.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import { createAuditLog } from './access/audit-log.ts';
import { createSessionTable } from './access/sessions.ts';
import { createLoginLinkTable, createRunTokenTable, createTokenTable } from './access/tokens.ts';
import { createUserTable } from './access/users.ts';
import { createAlertMessages } from './alerts/alert-messages.ts';
import { createAlertReader } from './alerts/alert-reader.ts';
import { createAlertStore } from './alerts/alert-store.ts';
import { createDefinitionHistory } from './definitions/definition-history.ts';
import { createFactoryNames } from './definitions/factory-names.ts';
import { createInventory } from './definitions/inventory.ts';
import { createInventoryReader } from './definitions/inventory-reader.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';
import { createReconciliationReader } from './definitions/reconciliation-reader.ts';
import { createActivityReader } from './deliveries/activity-reader.ts';
import type { ClaimFinder, ClaimRetention } from './deliveries/claim-finder.ts';
import { createDeliveryReader } from './deliveries/delivery-reader.ts';
import { createHandshakeLog } from './deliveries/handshake-log.ts';
import { createReplays } from './deliveries/replays.ts';
import { createStoredPayloads } from './deliveries/stored-payloads.ts';
import { createUnloggedCounts } from './deliveries/unlogged-counts.ts';
import { createIdFinder } from './operation/id-finder.ts';
import { createKeptAnswers } from './operation/kept-answers.ts';
import { createNoticeQueue } from './operation/notice-queue.ts';
import { createSealedSecrets } from './operation/sealed-secrets.ts';
import { createRetention, type DiskRoom, type PreparedRetention } from './retention/create-retention.ts';
import { createPauseTable } from './runs/pauses.ts';
import { createRunQueue } from './runs/run-queue.ts';
import { createRunReader } from './runs/run-reader.ts';
import type { ClaimLock } from './runs/select-claimable.ts';
import { createScheduleStore } from './schedules/schedules.ts';
import type { Schema } from './schema/schema.ts';

/** What a database supplies: how it stores deliveries and claims, and how each operation runs. */
interface DatabaseParts {
  query: Kysely<Schema>;
  claims: ClaimFinder;
  claimRetention: ClaimRetention;
  disk: DiskRoom;
  claimLock: ClaimLock;
  record: DeliveryLog['record'];
  advance: Replays['advance'];
  tick: ScheduleStore['advance'];
  reclaim: Retention['reclaim'];
  /** Makes each operation of a port complete: its transaction, and the codes of its errors. */
  guard<Port extends object>(name: keyof Storage, port: Port): Port;
  /** As `guard`, for a port that reads or removes deliveries by webhook and label, or reads their counts. */
  guardListed<Port extends object>(name: keyof Storage, port: Port): Port;
}

/** The ports of a storage, from the queries that all databases share. */
export function createPorts(parts: DatabaseParts): Storage {
  const { query, claims, claimRetention, disk, claimLock, record, advance, tick, reclaim, guard, guardListed } = parts;
  const { retention, confirm } = createRetention(query, claimRetention, disk);
  return {
    deliveryLog: { record },
    deliveryReader: guardListed('deliveryReader', createDeliveryReader(query, claims)),
    storedPayloads: guardListed('storedPayloads', createStoredPayloads(query)),
    replays: { ...guardListed('replays', createReplays(query, claims)), advance },
    schedules: { ...guard('schedules', createScheduleStore(query)), advance: tick },
    activityReader: guardListed('activityReader', createActivityReader(query)),
    handshakeLog: guard('handshakeLog', createHandshakeLog(query)),
    unloggedCounts: guard('unloggedCounts', createUnloggedCounts(query)),
    idFinder: guard('idFinder', createIdFinder(query)),
    inventory: guard('inventory', createInventory(query)),
    inventoryReader: guardListed('inventoryReader', createInventoryReader(query)),
    factoryNames: guardListed('factoryNames', createFactoryNames(query)),
    definitionHistory: guard('definitionHistory', createDefinitionHistory(query)),
    keptAnswers: guard('keptAnswers', createKeptAnswers(query)),
    liveDefinitions: guard('liveDefinitions', createLiveDefinitions(query)),
    runQueue: guard('runQueue', createRunQueue(query, claimLock)),
    runReader: guard('runReader', createRunReader(query)),
    pauses: guard('pauses', createPauseTable(query)),
    reconciliationReader: guard('reconciliationReader', createReconciliationReader(query)),
    noticeQueue: guard('noticeQueue', createNoticeQueue(query)),
    alertStore: guard('alertStore', createAlertStore(query)),
    alertMessages: guard('alertMessages', createAlertMessages(query)),
    alertReader: guardListed('alertReader', createAlertReader(query)),
    sealedSecrets: guard('sealedSecrets', createSealedSecrets(query)),
    runTokens: guard('runTokens', createRunTokenTable(query)),
    tokens: guard('tokens', createTokenTable(query)),
    users: guard('users', createUserTable(query)),
    sessions: guard('sessions', createSessionTable(query)),
    loginLinks: guard('loginLinks', createLoginLinkTable(query)),
    auditLog: guard('auditLog', createAuditLog(query)),
    retention: { ...confirmPieces(guardListed('retention', retention), confirm), reclaim },
  };
}

/** A piece that was rolled back because of a conflict is repeated as it was. */
function confirmPieces(
  retention: PreparedRetention['retention'],
  confirm: PreparedRetention['confirm'],
): PreparedRetention['retention'] {
  return {
    ...retention,
    prune: async (policy, nowMs) => {
      const piece = await retention.prune(policy, nowMs);
      confirm();
      return piece;
    },
  };
}

type Operation = (...args: unknown[]) => Promise<unknown>;

/** Replaces each operation of a port. */
export function wrapOperations<Port extends object>(
  port: Port,
  wrap: (operation: Operation, name: string) => Operation,
): Port {
  const operations = Object.entries(port as Record<string, Operation>);
  return Object.fromEntries(operations.map(([name, operation]) => [name, wrap(operation, name)])) as Port;
}
