import type { Kysely } from 'kysely';
import type { DeliveryLog } from '../../core/ports/deliveries/delivery-log.ts';
import type { Replays } from '../../core/ports/deliveries/replays.ts';
import type { Retention } from '../../core/ports/retention.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createAuditLog } from './access/audit-log.ts';
import { createLoginLinkTable } from './access/login-links.ts';
import { createRunTokenTable } from './access/run-tokens.ts';
import { createSessionTable } from './access/sessions.ts';
import { createTokenTable } from './access/tokens.ts';
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
import { createRetention, type DiskRoom } from './retention/create-retention.ts';
import { createPauseTable } from './runs/pauses.ts';
import { createRunQueue } from './runs/run-queue.ts';
import { createRunReader } from './runs/run-reader.ts';
import type { Schema } from './schema/schema.ts';

/** What a database supplies: how it stores deliveries and claims, and how each operation runs. */
export interface DatabaseParts {
  query: Kysely<Schema>;
  claims: ClaimFinder;
  claimRetention: ClaimRetention;
  disk: DiskRoom;
  record: DeliveryLog['record'];
  advance: Replays['advance'];
  reclaim: Retention['reclaim'];
  /** Makes each operation of a port complete: its transaction, and the codes of its errors. */
  guard<Port extends object>(port: Port): Port;
  /** As `guard`, for a port that reads or removes deliveries by webhook and label, or reads their counts. */
  guardListed<Port extends object>(port: Port): Port;
}

/** The ports of a storage, from the queries that all databases share. */
export function createPorts(parts: DatabaseParts): Storage {
  const { query, claims, claimRetention, disk, record, advance, reclaim, guard, guardListed } = parts;
  return {
    deliveryLog: { record },
    deliveryReader: guardListed(createDeliveryReader(query, claims)),
    storedPayloads: guardListed(createStoredPayloads(query)),
    replays: { ...guardListed(createReplays(query, claims)), advance },
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
    retention: { ...guardListed(createRetention(query, claimRetention, disk)), reclaim },
  };
}

type Operation = (...args: unknown[]) => Promise<unknown>;

/** Replaces each operation of a port. */
export function wrapOperations<Port extends object>(port: Port, wrap: (operation: Operation) => Operation): Port {
  const operations = Object.entries(port as Record<string, Operation>);
  return Object.fromEntries(operations.map(([name, operation]) => [name, wrap(operation)])) as Port;
}
