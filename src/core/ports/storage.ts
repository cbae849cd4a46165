import type { ActivityReader } from './activity-reader.ts';
import type { AuditLog } from './audit-log.ts';
import type { DeliveryLog, DeliveryReader } from './delivery-log.ts';
import type { HandshakeLog } from './handshake-log.ts';
import type { IdFinder } from './id-finder.ts';
import type { KeptAnswerTable } from './idempotency.ts';
import type { Inventory, InventoryReader } from './inventory.ts';
import type { LiveDefinitions } from './live-definitions.ts';
import type { LoginLinkTable } from './login-link-table.ts';
import type { NoticeQueue } from './notice-queue.ts';
import type { ReconciliationReader } from './reconciliation-log.ts';
import type { Retention } from './retention.ts';
import type { RunQueue, RunReader } from './run-queue.ts';
import type { ResealableSecretTable } from './secret-store.ts';
import type { SessionTable } from './session-table.ts';
import type { StoredPayloads } from './stored-payloads.ts';
import type { TokenTable } from './token-table.ts';
import type { UserTable } from './user-table.ts';

/** All that one storage offers. Every method is one whole operation; none leaves a transaction open behind it. */
export interface Storage {
  deliveryLog: DeliveryLog;
  deliveryReader: DeliveryReader;
  storedPayloads: StoredPayloads;
  activityReader: ActivityReader;
  handshakeLog: HandshakeLog;
  idFinder: IdFinder;
  inventory: Inventory;
  inventoryReader: InventoryReader;
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
