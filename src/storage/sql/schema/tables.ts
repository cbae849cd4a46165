import type { ApiToken, LoginLink, Session, User } from '../../../domain/access/access.ts';
import type { AuditActor, AuditEntry } from '../../../domain/access/audit.ts';
import type { Commit, FactoryStatus, Reconciliation } from '../../../domain/applies/reconciliation.ts';
import { HANDSHAKE_OUTCOMES, type HandshakeEntry } from '../../../domain/deliveries/handshake.ts';
import type { DeliveryId, LoginLinkId, RunId, TokenId, UserId, WebhookUid } from '../../../domain/ids.ts';
import type { Alert, AlertMessage, AlertNotice } from '../../../domain/messages/alert.ts';
import type { Notice } from '../../../domain/messages/notice.ts';
import type { KeptAnswer } from '../../../domain/ports/idempotency.ts';
import type { Pause } from '../../../domain/ports/pauses.ts';
import type { SealedSecret } from '../../../domain/ports/secret-store.ts';
import type { LiveFile } from '../../../domain/ports/sources.ts';
import { AUTOMATION_ROW_FIELDS, AUTOMATION_VERSION_FIELDS } from '../../../domain/resources/automation.ts';
import {
  DELIVERY_FIELDS,
  type Decision,
  type Evaluation,
  type GuardedDelivery,
  IDENTITY_SOURCES,
  type IdentitySource,
  type PastListener,
  type StoredDecisions,
} from '../../../domain/resources/delivery.ts';
import type { RecordOf } from '../../../domain/resources/fields.ts';
import { REPLAY_FIELDS } from '../../../domain/resources/replay.ts';
import { ATTEMPT_FIELDS, RUN_FIELDS } from '../../../domain/resources/run.ts';
import { SCHEDULE_FIELDS } from '../../../domain/resources/schedule.ts';
import { integer, textOrNull } from '../../../domain/resources/value-types.ts';
import { WEBHOOK_FIELDS } from '../../../domain/resources/webhook.ts';
import type { SecretScope } from '../../../domain/secrets/secret-scope.ts';
import { mapColumns, mapFields } from './columns.ts';

export const FACTORIES = mapColumns<FactoryStatus>()({
  name: 'text',
  appliedRevision: 'text',
  appliedAt: 'instant',
  appliedSource: 'text',
  attemptedRevision: 'text',
  attemptedAt: 'instant',
  conditions: { codec: 'json', generated: true },
});

export const WEBHOOKS = mapFields(WEBHOOK_FIELDS);

export const AUTOMATIONS = mapFields(AUTOMATION_ROW_FIELDS);

export const AUTOMATION_VERSIONS = mapFields(AUTOMATION_VERSION_FIELDS);

/** The columns that `AUTOMATION_VERSIONS` maps. */
export const VERSION_COLUMNS = [
  'automation_versions.prompt',
  'automation_versions.agent',
  'automation_versions.overrides',
  'automation_versions.concurrency',
  'automation_versions.debounce',
  'automation_versions.retry',
  'automation_versions.budget',
  'automation_versions.runs_on',
  'automation_versions.workspace',
] as const;

export const RECONCILIATIONS = mapColumns<Reconciliation>()({
  id: 'text',
  factory: 'text',
  revision: 'text',
  result: 'text',
  reason: 'text',
  message: 'text',
  diagnostics: 'json',
  plan: 'json',
  startedAt: 'instant',
  finishedAt: 'instant',
  attemptedAt: 'instant',
});

/** Who made the revisions of a factory. */
export const COMMITS = mapColumns<Commit>()({
  subject: 'text',
  author: 'text',
  committedAt: 'instant',
  url: 'text',
});

export const LIVE_FILES = mapColumns<LiveFile>()({
  path: 'text',
  text: 'text',
  uid: 'text',
});

export const PAUSES = mapColumns<Pause>()({
  factory: 'text',
  automation: 'text',
  pausedAt: 'instant',
  pausedBy: 'json',
  reason: 'text',
});

/**
 * The fields of a delivery that `deliveries` stores. `webhook` is `AppliedWebhook.ref`; UID and name are joined.
 * `identityKey` is the key of an accepted delivery; `null` if it is the delivery ID, as it nearly always is, and `NO_CLAIM`
 * if the delivery claims no identity. `bodyKey` is `DeliveryIdentity.bodyKey` of an accepted delivery.
 */
const STORED_FIELDS = {
  webhook: { type: integer },
  identityKey: { type: textOrNull },
  bodyKey: { type: textOrNull },
  ...DELIVERY_FIELDS,
};

export type StoredDelivery = RecordOf<typeof STORED_FIELDS>;

export const DELIVERIES = mapFields(STORED_FIELDS);

/** One row of `identities`: the claim of an accepted delivery that has left the log. It makes later deliveries duplicates. */
interface Claim {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  source: IdentitySource;
  key: string;
  delivery: DeliveryId;
  /** SHA-256 of the body, to detect a repeated identity with another body (threat model N9). */
  bodyHash: Uint8Array;
  acceptedAt: number;
}

export const IDENTITIES = mapColumns<Claim>()({
  webhook: 'integer',
  source: IDENTITY_SOURCES,
  key: 'text',
  delivery: 'text',
  bodyHash: 'bytes',
  acceptedAt: 'instant',
});

/** One row of `listener_history`. */
interface ListenerRow extends PastListener {
  webhook: WebhookUid;
}

export const LISTENERS = mapColumns<ListenerRow>()({
  webhook: 'text',
  automation: 'text',
  enabled: 'boolean',
  filters: 'json',
});

export interface DeliveryContent {
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  /** JSON. */
  body: Uint8Array;
  /** The form that `body` is the JSON of; `null` if JSON was received. */
  form: Uint8Array | null;
  decisions: Evaluation;
}

/** The stored form is short, because each accepted delivery has one. */
interface StoredMatch {
  apply: number;
  only?: string;
  runs?: [automation: string, run: RunId][];
  guarded?: GuardedDelivery;
}

/** Earlier versions stored a list of decisions, or an object with decisions and counts. */
const EVALUATION = {
  encode: (evaluation: Evaluation): string => {
    if ('decisions' in evaluation) return JSON.stringify(evaluation);
    const { applyNumber, only, started, guarded } = evaluation;
    const stored: StoredMatch = { apply: applyNumber };
    if (only !== null) stored.only = only;
    if (started.length > 0) stored.runs = started.map(({ automation, run }) => [automation, run]);
    if (guarded !== undefined) stored.guarded = guarded;
    return JSON.stringify(stored);
  },
  decode: (text: string): Evaluation => {
    const stored = JSON.parse(text) as Decision[] | StoredDecisions | StoredMatch;
    if (Array.isArray(stored)) return { decisions: stored, omitted: null };
    if ('decisions' in stored) return stored;
    const { apply, only = null, runs = [], guarded } = stored;
    const started = runs.map(([automation, run]) => ({ automation, run }));
    return { applyNumber: apply, only, started, guarded };
  },
};

export const CONTENTS = mapColumns<DeliveryContent>()({
  delivery: 'integer',
  body: 'bytes',
  form: 'bytes',
  decisions: EVALUATION,
});

export const HANDSHAKES = mapColumns<HandshakeEntry>()({
  webhook: 'integer',
  handshake: 'text',
  outcome: HANDSHAKE_OUTCOMES,
  detail: 'text',
  count: 'integer',
  receivedAt: 'instant',
  clientAddress: 'text',
});

/** The fields of a run that `runs` stores; the webhook is joined. */
export const RUNS = mapFields(RUN_FIELDS);

export const RUN_ATTEMPTS = mapFields(ATTEMPT_FIELDS);

export const REPLAYS = mapFields(REPLAY_FIELDS);

export const SCHEDULES = mapFields(SCHEDULE_FIELDS);

export const USERS = mapColumns<User>()({
  id: 'text',
  kind: 'text',
  name: 'text',
  role: 'text',
  factories: 'json',
  passwordChangedAt: 'instant',
  disabledAt: 'instant',
  createdAt: 'instant',
  lastSignInAt: 'instant',
});

export const TOKENS = mapColumns<ApiToken>()({
  id: 'text',
  name: 'text',
  role: 'text',
  factories: 'json',
  createdAt: 'instant',
  lastUsedAt: 'instant',
  expiresAt: 'instant',
});

/** One row of `sessions`. Exactly one of `user`, `token` and `link` is set: the owner. */
interface StoredSession extends Omit<Session, 'owner'> {
  user: UserId | null;
  token: TokenId | null;
  link: LoginLinkId | null;
}

export const SESSIONS = mapColumns<StoredSession>()({
  id: 'text',
  user: 'text',
  token: 'text',
  link: 'text',
  clientAddress: 'text',
  userAgent: 'text',
  createdAt: 'instant',
  lastUsedAt: 'instant',
  expiresAt: 'instant',
});

export const LOGIN_LINKS = mapColumns<LoginLink>()({
  id: 'text',
  origin: 'text',
  createdAt: 'instant',
  expiresAt: 'instant',
});

/** One row of `audit_log`. The three fields of the actor are all set or all `null`. */
interface StoredAuditEntry extends Omit<AuditEntry, 'actor'> {
  actorKind: AuditActor['kind'] | null;
  actor: AuditActor['id'] | null;
  actorName: string | null;
}

export const AUDIT_ENTRIES = mapColumns<StoredAuditEntry>()({
  id: 'text',
  at: 'instant',
  actorKind: 'text',
  actor: 'text',
  actorName: 'text',
  method: 'text',
  route: 'text',
  object: 'text',
  changes: 'json',
  status: 'integer',
  clientAddress: 'text',
});

/** `NULL` stands for all factories. */
export const SECRET_SCOPES = mapColumns<SecretScope>()({
  webhook: { codec: 'json', column: 'webhook_factories' },
  run: { codec: 'json', column: 'run_factories' },
});

export const SECRET_VERSIONS = mapColumns<SealedSecret>()({
  name: 'text',
  version: 'integer',
  sealed: 'bytes',
  createdAt: 'instant',
  createdBy: 'text',
  replacedAt: 'instant',
  replacedBy: 'text',
});

export const KEPT_ANSWERS = mapColumns<KeptAnswer>()({
  key: 'bytes',
  sealed: 'bytes',
  keptAt: 'instant',
});

export const NOTICES = mapColumns<Notice>()({
  id: 'text',
  factory: 'text',
  target: 'text',
  revision: 'text',
  outcome: 'text',
  report: 'json',
  state: { codec: 'text', generated: true },
  attempts: { codec: 'integer', generated: true },
  dueAt: 'instant',
  problem: 'text',
  failingSince: 'instant',
  createdAt: 'instant',
});

export const ALERTS = mapColumns<Alert>()({
  id: 'text',
  rule: 'text',
  factory: 'text',
  object: 'text',
  objectId: 'text',
  state: 'text',
  summary: 'text',
  openedAt: 'instant',
  lastSeenAt: 'instant',
  clearSince: 'instant',
  resolvedAt: 'instant',
  count: 'integer',
  notifiedAt: 'instant',
  acknowledgedAt: 'instant',
  acknowledgedBy: 'json',
  note: 'text',
});

export const ALERT_NOTICES = mapColumns<AlertNotice>()({
  target: 'text',
  alert: 'text',
  event: 'text',
  dueAt: 'instant',
});

export const ALERT_MESSAGES = mapColumns<AlertMessage>()({
  id: 'text',
  target: 'text',
  items: 'json',
  createdAt: 'instant',
  attempts: 'integer',
  dueAt: 'instant',
  problem: 'text',
});
