import type { AuditLog, LoginLinkTable, RunTokenTable, SessionTable, TokenTable, UserTable } from './access.ts';
import type { DefinitionHistory, FactoryNames, ReconciliationReader } from './definitions.ts';
import type {
  ActivityReader,
  DeliveryLog,
  DeliveryReader,
  HandshakeLog,
  StoredPayloads,
  UnloggedCounts,
} from './delivery-log.ts';
import type { KeptAnswerTable } from './idempotency.ts';
import type { IdFinder, Inventory, InventoryReader } from './inventory.ts';
import type { AlertMessages, AlertReader, AlertStore, NoticeQueue } from './messages.ts';
import type { Retention } from './operations.ts';
import type { PauseTable } from './pauses.ts';
import type { Replays } from './replays.ts';
import type { RunQueue, RunReader } from './run-queue.ts';
import type { ScheduleStore } from './schedules.ts';
import type { ResealableSecretTable } from './secret-store.ts';
import type { LiveDefinitions } from './sources.ts';

/** All ports of one storage. Every method is one complete operation; no method leaves a transaction open. */
export interface Storage {
  deliveryLog: DeliveryLog;
  deliveryReader: DeliveryReader;
  storedPayloads: StoredPayloads;
  replays: Replays;
  schedules: ScheduleStore;
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
  runTokens: RunTokenTable;
  pauses: PauseTable;
  reconciliationReader: ReconciliationReader;
  noticeQueue: NoticeQueue;
  alertStore: AlertStore;
  alertMessages: AlertMessages;
  alertReader: AlertReader;
  sealedSecrets: ResealableSecretTable;
  tokens: TokenTable;
  users: UserTable;
  sessions: SessionTable;
  loginLinks: LoginLinkTable;
  auditLog: AuditLog;
  retention: Retention;
}
