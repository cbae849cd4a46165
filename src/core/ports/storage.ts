import type { AuditLog } from './access/audit-log.ts';
import type { KeptAnswerTable } from './access/idempotency.ts';
import type { LoginLinkTable } from './access/login-link-table.ts';
import type { SessionTable } from './access/session-table.ts';
import type { TokenTable } from './access/token-table.ts';
import type { UserTable } from './access/user-table.ts';
import type { DefinitionHistory } from './definitions/definition-history.ts';
import type { FactoryNames } from './definitions/factory-names.ts';
import type { Inventory, InventoryReader } from './definitions/inventory.ts';
import type { LiveDefinitions } from './definitions/live-definitions.ts';
import type { NoticeQueue } from './definitions/notice-queue.ts';
import type { ReconciliationReader } from './definitions/reconciliation-log.ts';
import type { ActivityReader } from './deliveries/activity-reader.ts';
import type { DeliveryLog, DeliveryReader } from './deliveries/delivery-log.ts';
import type { HandshakeLog } from './deliveries/handshake-log.ts';
import type { StoredPayloads } from './deliveries/stored-payloads.ts';
import type { UnloggedCounts } from './deliveries/unlogged-counts.ts';
import type { IdFinder } from './id-finder.ts';
import type { Retention } from './retention.ts';
import type { RunQueue, RunReader } from './runs/run-queue.ts';
import type { ResealableSecretTable } from './secret-store.ts';

/** All ports of one storage. Every method is one complete operation; no method leaves a transaction open. */
export interface Storage {
  deliveryLog: DeliveryLog;
  deliveryReader: DeliveryReader;
  storedPayloads: StoredPayloads;
  activityReader: ActivityReader;
  handshakeLog: HandshakeLog;
  unloggedCounts: UnloggedCounts;
  idFinder: IdFinder;
  inventory: Inventory;
  inventoryReader: InventoryReader;
  factoryNames: FactoryNames;
  definitionHistory: DefinitionHistory;
  keptAnswers: KeptAnswerTable;
  liveDefinitions: LiveDefinitions;
  runQueue: RunQueue;
  runReader: RunReader;
  reconciliationReader: ReconciliationReader;
  noticeQueue: NoticeQueue;
  sealedSecrets: ResealableSecretTable;
  tokens: TokenTable;
  users: UserTable;
  sessions: SessionTable;
  loginLinks: LoginLinkTable;
  auditLog: AuditLog;
  retention: Retention;
}
