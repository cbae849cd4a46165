import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { ApiModules, ApiSettings } from '../../src/api/api-modules.ts';
import { FailedAttempts } from '../../src/api/auth/failed-attempts.ts';
import { PasswordAttempts } from '../../src/api/auth/password-attempts.ts';
import { createPasswords } from '../../src/api/auth/passwords.ts';
import { composeApi } from '../../src/api/compose-api.ts';
import { collectPayloadKeys } from '../../src/definitions/filter/collect-keys.ts';
import { findUnseenKeys } from '../../src/definitions/filter/find-unseen-keys.ts';
import { decideListener } from '../../src/definitions/filter/listeners/decide-listener.ts';
import { diagnoseRequest } from '../../src/definitions/signature/diagnose/diagnose-request.ts';
import { unpackScheme } from '../../src/definitions/signature/schemes/resolve-scheme.ts';
import type { TokenRole } from '../../src/domain/access/access.ts';
import type { PlanPreview } from '../../src/domain/applies/plan-preview.ts';
import type { PullRequestList } from '../../src/domain/applies/pull-request.ts';
import type { Commit, Reconciliation } from '../../src/domain/applies/reconciliation.ts';
import { NO_AGENT_FILES } from '../../src/domain/definitions/agent-files.ts';
import { NO_TRAFFIC } from '../../src/domain/deliveries/webhook-traffic.ts';
import { AppError } from '../../src/domain/errors.ts';
import { createIdSource, type DeliveryId, type ReconciliationId, type RunId } from '../../src/domain/ids.ts';
import type { Alert } from '../../src/domain/messages/alert.ts';
import { createClientAddresses } from '../../src/domain/network/client-address.ts';
import type { ProposedTrigger } from '../../src/domain/ports/delivery-control.ts';
import type { StoredPayloads } from '../../src/domain/ports/delivery-log.ts';
import type { AppliedChange, WebhookView } from '../../src/domain/ports/inventory.ts';
import type { AlertControl, AlertStore } from '../../src/domain/ports/messages.ts';
import type { SecretHistory, SecretStore } from '../../src/domain/ports/secret-store.ts';
import type { Storage } from '../../src/domain/ports/storage.ts';
import type { AppliedAutomation } from '../../src/domain/resources/automation.ts';
import type { Decision, Delivery } from '../../src/domain/resources/delivery.ts';
import type { Replay } from '../../src/domain/resources/replay.ts';
import type { Run, RunAttempt } from '../../src/domain/resources/run.ts';
import type { ScopeChange } from '../../src/domain/secrets/secret-scope.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { openMeasures } from '../../src/domain/telemetry/write-measures.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { createDeliveryDiagnosis } from '../../src/ingress/diagnosis/diagnose-delivery.ts';
import { createUploadDiagnosis, type UploadedRequest } from '../../src/ingress/diagnosis/diagnose-upload.ts';
import type { DiagnosisTask } from '../../src/ingress/diagnosis/diagnosis-thread.ts';
import { createRequestHeaders } from '../../src/ingress/transport/request-headers.ts';
import { createMetricProbes } from '../../src/operations/observability/metrics/create-metric-probes.ts';
import { createMetrics } from '../../src/operations/observability/metrics/metrics.ts';
import { readBuildIdentity } from '../../src/platform/files/build-identity.ts';
import { createAnswerStore } from '../../src/platform/secrets/answer-store.ts';
import { hashCredential } from '../../src/platform/secrets/credential.ts';
import { createRedactor } from '../../src/platform/secrets/redactor.ts';
import { createSecretStore } from '../../src/platform/secrets/secret-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { backtestTriggers } from '../../src/reconcile/backtest-triggers.ts';
import type { FactoryEditor } from '../../src/reconcile/edit/factory-editor.ts';
import type { Inspector } from '../../src/reconcile/inspection/create-inspector.ts';
import { evaluateAppliedAutomation, evaluateFilter } from '../../src/reconcile/inspection/evaluate-filter.ts';
import { receive } from '../../src/reconcile/inspection/inspection.ts';
import { DEFAULT_BOUNDS } from '../../src/reconcile/plan/backtest.ts';
import { previewPlan } from '../../src/reconcile/preview-plan.ts';
import { createLoneGroup } from '../../src/storage/replicas/lone-group.ts';
import { createSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { buildAudited } from './build-apply.ts';
import { declareWebhook } from './declare-webhook.ts';
import { readNewDatabase } from './new-database.ts';
import { NO_POLICY } from './no-policy.ts';
import { CONFIG, createSeededEngine, type SeededEngine, type SeededFactory } from './seeded-engine.ts';
import { validateHere } from './validate-here.ts';

/** The least work that argon2 accepts. The cost of the daemon is the subject of `passwords.test.ts`. */
const FAST_HASH = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** 2026-01-02T03:04:05.678Z */
export const NOW_MS = 1_767_323_045_678;

/** The objects of the seeded storage in the factory `payments`. */
export const WEBHOOK_UID = 'wh_0123456789abcdefghjkmnpqrs';
export const URL_TOKEN_UID = 'wh_1123456789abcdefghjkmnpqrs';
export const DELETED_UID = 'wh_2123456789abcdefghjkmnpqrs';
export const DELIVERY_ID = 'dlv_01kdy5zabcdefghjkmnpqrstvw';
export const REJECTED_ID = 'dlv_01kdy5zabcdefghjkmnpqrstvx';
export const REPLAY_ID = 'dlv_01kdy5zabcdefghjkmnpqrstvy';
export const REPLAY_JOB_ID = 'rpl_01kdy5zabcdefghjkmnpqrstvw';
export const ALERT_ID = 'alt_01kdy5zabcdefghjkmnpqrstvw';
export const RUN_ID = 'run_01kdy5zabcdefghjkmnpqrstvw';
export const RECONCILIATION_ID = 'rec_01kdy5zabcdefghjkmnpqrstvw';
export const PAYLOAD = '{"level": "error", "big": 1e400, "__proto__": {"x": 1}}';
/** A name that a vulnerable page would execute. */
export const HOSTILE_TEXT = '<img src=x onerror=alert(1)>\u001b[31m\n"quoted"';
/** Request headers whose value a sender chose. */
const HOSTILE_HEADERS = JSON.stringify({ 'user-agent': HOSTILE_TEXT });

export function makeWebhook(more: Partial<WebhookView> = {}): WebhookView {
  return {
    ref: 1,
    uid: WEBHOOK_UID,
    factory: 'payments',
    name: 'internal-ci',
    file: 'webhooks/internal-ci.yaml',
    ...declareWebhook({ secretName: 'INTERNAL_CI_WEBHOOK_SECRET' }),
    secretVersion: 3,
    previousSecretVersion: 2,
    secretPinnedAt: NOW_MS - 4000,
    verifyTokenSecretVersion: null,
    revision: 'c0ffee',
    createdAt: NOW_MS - 5000,
    updatedAt: NOW_MS - 4000,
    deletedAt: null,
    secretState: 'current',
    verifyTokenSecretState: null,
    traffic: NO_TRAFFIC,
    commit: null,
    ...more,
  };
}

export function makeAutomation(more: Partial<AppliedAutomation> = {}): AppliedAutomation {
  const at = { line: 1, column: 1 };
  return {
    name: 'fix-errors',
    factory: 'payments',
    file: 'automations/fix-errors/automation.md',
    description: HOSTILE_TEXT,
    enabled: true,
    agent: null,
    triggers: [
      {
        provider: 'webhook',
        event: 'received',
        webhookIds: [WEBHOOK_UID],
        webhooks: ['internal-ci'],
        payload: { level: ['fatal'] },
        at,
      },
      {
        provider: 'webhook',
        event: 'received',
        webhookIds: [],
        webhooks: ['internal-ci'],
        payload: { level: ['error'] },
        at,
      },
      { provider: 'schedule', declared: { provider: 'schedule', event: 'cron', cron: '* * * * *' } },
    ],
    prompt: 'Fix it.',
    overrides: { model: 'large', secrets: ['DEPLOY_KEY'] },
    ...NO_POLICY,
    version: 7,
    listensTo: [[WEBHOOK_UID], [WEBHOOK_UID], []],
    revision: 'c0ffee',
    updatedAt: NOW_MS,
    warnings: [
      {
        severity: 'warning',
        rule: 'automation/unknown-uid',
        file: 'automations/fix-errors/automation.md',
        line: 3,
        column: 5,
        path: 'triggers[0].filter.webhook_ids[1]',
        message: 'gone',
        hint: '',
      },
    ],
    ...more,
  };
}

export function makeDelivery(more: Partial<Delivery> = {}): Delivery {
  return {
    id: DELIVERY_ID,
    factory: 'payments',
    webhookUid: WEBHOOK_UID,
    webhookName: 'internal-ci',
    deliveryId: HOSTILE_TEXT,
    deliveryIdSource: 'header',
    deduplicated: true,
    event: HOSTILE_TEXT,
    summary: HOSTILE_TEXT,
    label: 'Accepted',
    reason: null,
    detail: null,
    size: PAYLOAD.length,
    count: 1,
    receivedAt: NOW_MS,
    clientAddress: '192.0.2.7',
    headers: HOSTILE_HEADERS,
    revision: 'c0ffee',
    duplicateOf: null,
    replayOf: null,
    replay: null,
    runs: [RUN_ID],
    ...more,
  };
}

export function makeRun(more: Partial<Run> = {}): Run {
  return {
    id: RUN_ID,
    factory: 'payments',
    automation: 'fix-errors',
    delivery: DELIVERY_ID,
    webhookUid: WEBHOOK_UID,
    deliveryIdentity: HOSTILE_TEXT,
    state: 'running',
    attempt: 1,
    executor: 'queue',
    revision: 'c0ffee',
    error: null,
    exitCode: null,
    output: null,
    createdAt: NOW_MS,
    startedAt: NOW_MS + 1,
    finishedAt: null,
    gate: null,
    concurrencyKey: null,
    runsOn: null,
    supersededBy: null,
    notBefore: null,
    traceContext: null,
    ...more,
  };
}

/** The attempt of `makeRun`. */
export function makeAttempt(more: Partial<RunAttempt> = {}): RunAttempt {
  return {
    number: 1,
    state: 'running',
    error: null,
    exitCode: null,
    output: null,
    requestedAt: null,
    requestedBy: null,
    startedAt: NOW_MS + 1,
    finishedAt: null,
    executor: 'queue',
    worker: 'build-machine',
    heldUntil: null,
    progress: null,
    logOffset: 0,
    ...more,
  };
}

/** The commit of `makeReconciliation`. */
const COMMIT: Commit = {
  subject: `Filter errors ${HOSTILE_TEXT}`,
  author: 'Ann',
  committedAt: NOW_MS - 60_000,
  url: 'https://github.com/acme/payments/commit/c0ffee',
};

export function makeReconciliation(more: Partial<Reconciliation> = {}): Reconciliation {
  return {
    id: RECONCILIATION_ID,
    factory: 'payments',
    revision: 'c0ffee',
    commit: COMMIT,
    result: 'applied',
    reason: 'Applied',
    message: 'applied c0ffee',
    diagnostics: makeAutomation().warnings,
    plan: {
      webhooks: {
        create: [
          { name: 'internal-ci', uid: null, restored: false, changes: [{ key: 'enabled', from: null, to: true }] },
        ],
        update: [],
        delete: [],
      },
      automations: { create: [], update: [], delete: [] },
    },
    startedAt: NOW_MS,
    finishedAt: NOW_MS + 2,
    attemptedAt: NOW_MS + 2,
    ...more,
  };
}

export function makePlanPreview(): PlanPreview {
  const example = {
    delivery: DELIVERY_ID,
    webhook: WEBHOOK_UID,
    receivedAt: NOW_MS,
    path: 'level',
    message: HOSTILE_TEXT,
  } as const;
  const counts = {
    examined: 9,
    before: 4,
    after: 3,
    gainedCount: 0,
    lostCount: 1,
    unrecorded: 0,
    gained: [],
    lost: [example],
  };
  return {
    valid: true,
    appliedRevision: 'c0ffee',
    plan: {
      webhooks: {
        create: [{ name: 'new', uid: null, restored: false, changes: [{ key: 'authMode', from: null, to: 'token' }] }],
        update: [
          {
            name: 'internal-ci',
            uid: WEBHOOK_UID,
            restored: false,
            changes: [{ key: 'enabled', from: true, to: false }],
          },
        ],
        delete: [{ name: 'by-url', uid: URL_TOKEN_UID, restored: false, changes: [] }],
      },
      automations: { create: [], update: [], delete: [] },
    },
    triggers: [],
    agentFiles: { create: [], update: ['skills/logs/SKILL.md'], delete: [] },
    missingSecrets: [{ name: 'NEW_SECRET', webhooks: ['new'], automations: [] }],
    diagnostics: makeAutomation().warnings,
    backtest: {
      since: NOW_MS - 1000,
      until: NOW_MS,
      stored: 10,
      examined: 9,
      automations: [{ automation: 'fix-errors', ...counts }],
    },
  };
}

const KEY = new Uint8Array(32).fill(7);

/**
 * A storage with one object of every kind in the factory `payments`, created with the ports, as the bytes of a database.
 * Each test opens a copy of it in memory.
 */
const SEEDED = await seedDatabase();

async function seedDatabase(): Promise<Buffer> {
  const db = new Database(readNewDatabase());
  db.pragma('foreign_keys = ON');
  const storage = createSqliteStorage(db);
  await seedSecrets(storage);
  for (const { name } of CONFIG.factories) await storage.inventory.register(name, NOW_MS);
  await storage.inventory.apply(buildSeedApply('payments', NOW_MS - 5000, 'rec_00000000000000000000000001'));
  await storage.inventory.apply({
    ...buildSeedApply('payments', NOW_MS, RECONCILIATION_ID),
    deleteWebhooks: [DELETED_UID],
  });
  await storage.inventory.apply(buildSeedApply('other', NOW_MS, 'rec_00000000000000000000000002'));
  await seedDeliveries(storage);
  storeDecisions(db);
  await storage.handshakeLog.append({
    webhook: 1,
    handshake: 'slack url_verification',
    outcome: 'answered',
    detail: null,
    count: 1,
    receivedAt: NOW_MS,
    clientAddress: '192.0.2.7',
  });
  db.prepare('DELETE FROM reconciliations WHERE id <> ?').run(RECONCILIATION_ID);
  const bytes = db.serialize();
  db.close();
  return bytes;
}

async function seedSecrets(storage: SqliteStorage): Promise<void> {
  const secrets = openSecretStore(storage, { wallMs: () => NOW_MS, monotonicMs: () => 0 });
  const scope: ScopeChange = { factories: ['payments', 'other'] };
  for (let version = 1; version <= 3; version++) {
    const value = new SecretValue(`the-secret-of-the-ci-${version}`);
    await secrets.put('INTERNAL_CI_WEBHOOK_SECRET', value, 'put', { scope });
  }
  await secrets.put('BY_URL_WEBHOOK_SECRET', new SecretValue('the-token-in-the-url'), 'put', { scope });
}

function buildSeedApply(factory: string, at: number, id: ReconciliationId): AppliedChange {
  const isOther = factory === 'other';
  const rows = [
    makeWebhook(at < NOW_MS ? { updatedAt: at } : {}),
    makeWebhook({
      uid: URL_TOKEN_UID,
      name: 'by-url',
      file: 'webhooks/by-url.yaml',
      authMode: 'url_token',
      secretName: 'BY_URL_WEBHOOK_SECRET',
      secretVersion: 1,
    }),
    makeWebhook({ uid: DELETED_UID, name: 'gone', file: 'webhooks/gone.yaml' }),
  ];
  return {
    factory,
    plannedFrom: [],
    revision: 'c0ffee',
    source: 'main .',
    at,
    deleteWebhooks: [],
    remarks: [],
    deleteAutomations: [],
    agentFiles: { set: NO_AGENT_FILES, contents: new Map() },
    webhooks: isOther ? [] : rows.filter(({ uid }) => at < NOW_MS || uid !== DELETED_UID),
    automations: isOther ? [] : [makeAutomation()],
    reconciliation: makeReconciliation({ id, factory }),
    audit: buildAudited(factory, at),
    conditions: [{ type: 'Ready', status: 'True', reason: 'Applied', message: HOSTILE_TEXT, since: NOW_MS }],
  };
}

/** In this thread. The daemon uses another one. */
async function diagnoseInPlace({ rawHeaders, scheme, ...task }: DiagnosisTask) {
  return diagnoseRequest({ ...task, scheme: unpackScheme(scheme), headers: createRequestHeaders(rawHeaders) });
}

/** A delivery to `internal-ci` that starts a run of `fix-errors`. */
async function offerDelivery(
  storage: SqliteStorage,
  { id, run, identity }: { id: DeliveryId; run: RunId; identity: string },
): Promise<void> {
  const factory = await storage.inventory.load('payments');
  const { ref } = factory!.webhooks.find(({ uid }) => uid === WEBHOOK_UID)!;
  const { version } = factory!.automations[0]!;
  await storage.deliveryLog.record([
    {
      kind: 'offer',
      id,
      webhook: ref,
      size: PAYLOAD.length,
      receivedAt: NOW_MS,
      clientAddress: '192.0.2.7',
      headers: HOSTILE_HEADERS,
      revision: 'c0ffee',
      body: new Uint8Array(Buffer.from(PAYLOAD)),
      form: null,
      applyNumber: 1,
      event: HOSTILE_TEXT,
      summary: HOSTILE_TEXT,
      identity: { source: 'header', value: identity, key: identity },
      runs: [{ id: run, automation: 'fix-errors', version }],
    },
  ]);
}

/** The delivery that an earlier version of Dockbell stored, with its decisions. */
function storeDecisions(db: Database.Database): void {
  const filtered: Decision = {
    automation: 'fix-errors',
    outcome: 'filtered',
    run: null,
    path: 'level',
    expected: ['fatal'],
    actual: 'error',
    message: 'level is "error"',
  };
  const change =
    'UPDATE delivery_contents SET decisions = ? WHERE delivery = (SELECT seq FROM deliveries WHERE id = ?)';
  db.prepare(change).run(JSON.stringify([filtered]), DELIVERY_ID);
}

/** A replay that has ended. */
function makeReplay(): Replay {
  return {
    id: REPLAY_JOB_ID,
    factory: 'payments',
    state: 'finished',
    delivery: null,
    filter: { event: HOSTILE_TEXT, search: HOSTILE_TEXT },
    automation: HOSTILE_TEXT,
    asOf: 'now',
    rate: 10,
    requestedBy: { kind: 'token', id: 'tok_a', name: HOSTILE_TEXT },
    clientAddress: '192.0.2.9',
    createdAt: NOW_MS,
    startedAt: NOW_MS,
    finishedAt: NOW_MS,
    position: 3,
    lastDelivery: 3,
    total: 2,
    examined: 2,
    replayed: 1,
    matched: 0,
    runs: 0,
    skipped: { is_replay: 1 },
    error: null,
  };
}

async function seedAlert(storage: SqliteStorage): Promise<void> {
  const about = { rule: 'runFailed', factory: 'payments', object: 'fix-errors', objectId: null } as const;
  const none = { clearSince: null, resolvedAt: null, acknowledgedAt: null, acknowledgedBy: null, note: null };
  const times = { openedAt: NOW_MS, lastSeenAt: NOW_MS, notifiedAt: NOW_MS };
  const alert: Alert = Object.assign({}, about, none, times, {
    id: ALERT_ID,
    state: 'open',
    summary: 'The last run failed.',
    count: 1,
  } as const);
  await storage.alertStore.change({ opened: [alert], changed: [], notices: [] });
}

/** The alerts of the storage. The only target rejects every message. */
function createAlertControl(store: AlertStore, clock: Clock): AlertControl {
  return {
    acknowledge: async (id, by, note) => {
      const alert = await store.acknowledge(id, by, note, clock.wallMs());
      if (alert === null) throw new AppError('conflict', 'The alert is acknowledged: only an open alert can be.');
      return alert;
    },
    targets: () => [{ name: 'ops', type: 'slack', failure: { problem: 'it responded with 404', since: NOW_MS } }],
    test: async (target) => {
      if (target !== 'ops') throw new AppError('not_found', 'The configuration has no such target of alerts.');
      return 'it responded with 404';
    },
  };
}

async function seedDeliveries(storage: SqliteStorage): Promise<void> {
  await seedAlert(storage);
  await offerDelivery(storage, { id: DELIVERY_ID, run: RUN_ID, identity: HOSTILE_TEXT });
  const logged = {
    webhook: 1,
    size: PAYLOAD.length,
    receivedAt: NOW_MS,
    clientAddress: '192.0.2.7',
    headers: HOSTILE_HEADERS,
    revision: 'c0ffee',
  };
  await storage.deliveryLog.record([
    {
      ...logged,
      kind: 'rejection',
      id: REJECTED_ID,
      label: 'Rejected (auth)',
      reason: 'bad_credential',
      detail: null,
      identity: null,
      count: 1,
    },
    {
      ...logged,
      kind: 'replay',
      id: REPLAY_ID,
      replayOf: DELIVERY_ID,
      replay: null,
      applyNumber: 1,
      only: null,
      runs: [],
      event: HOSTILE_TEXT,
      summary: HOSTILE_TEXT,
      identity: { source: 'header', value: HOSTILE_TEXT },
      body: new Uint8Array(Buffer.from(PAYLOAD)),
      form: null,
    },
  ]);
  await storage.replays.insert(makeReplay(), 1);
  await storage.runQueue.claim({
    factory: 'payments',
    executor: 'queue',
    limit: 1,
    at: NOW_MS + 1,
    worker: 'build-machine',
  });
}

function openSecretStore(storage: SqliteStorage, clock: Clock): SecretStore & SecretHistory {
  return createSecretStore({
    table: storage.sealedSecrets,
    vault: createVault(KEY),
    clock,
    redactor: createRedactor(),
    notifyTargets: [{ factory: 'payments', type: 'github', secretName: 'INTERNAL_CI_WEBHOOK_SECRET' }],
    factories: ['payments', 'other'],
  });
}

/** A copy of the seeded storage. Its operations are serialised, as in the storage's thread. */
function openMemoryStorage(): { db: Database.Database; storage: SqliteStorage } {
  const db = new Database(SEEDED);
  db.pragma('foreign_keys = ON');
  return { db, storage: takeTurns(createSqliteStorage(db)) };
}

function takeTurns(storage: SqliteStorage): SqliteStorage {
  let last: Promise<unknown> = Promise.resolve();
  type Operation = (...args: unknown[]) => Promise<unknown>;
  const inTurn =
    (operation: Operation): Operation =>
    (...args) => {
      const done = last.then(() => operation(...args));
      last = done.catch(() => {});
      return done;
    };
  const wrapPort = (port: Record<string, Operation>) =>
    Object.fromEntries(Object.entries(port).map(([name, operation]) => [name, inTurn(operation)]));
  const { close: _, ...ports } = storage;
  const wrapped = Object.entries(ports).map(([name, port]) => [name, wrapPort({ ...port } as never)]);
  return { ...storage, ...Object.fromEntries(wrapped) };
}

/** A clock that changes only when it is set. */
export interface StandingClock {
  wallMs(): number;
  monotonicMs(): number;
  advance(ms: number): void;
}

export function createStandingClock(): StandingClock {
  let passedMs = 0;
  return {
    wallMs: () => NOW_MS + passedMs,
    monotonicMs: () => passedMs,
    advance: (ms) => {
      passedMs += ms;
    },
  };
}

/** In this thread. The daemon uses another one. */
function createInspectorHere(payloads: StoredPayloads): Inspector {
  return {
    evaluateFilter: async (filter, delivery) => evaluateFilter(filter, receive(delivery)),
    evaluateAutomation: async (automation, webhook, delivery) =>
      evaluateAppliedAutomation(automation, webhook, receive(delivery)),
    decideListeners: async (listeners, delivery) => listeners.map((one) => decideListener(one, receive(delivery))),
    collectKeys: (webhook) => collectPayloadKeys(payloads, webhook),
    findUnseenKeys: (filters) => findUnseenKeys(payloads, filters),
  };
}

/** The calls that services received. */
interface Seen {
  touched: { id: string; at: number }[];
  reconciled: string[];
  cancelled: string[];
  retried: string[];
  backtested: { factory: string; automation: string | null; triggers: readonly ProposedTrigger[] }[];
  searched: object[];
  replayed: { id: string; automation: string | null; clientAddress: string }[];
  stored: { name: string; mode: string }[];
  /** Names of the requested edits. */
  edited: string[];
  deletedSecrets: { name: string; force: boolean }[];
  sent: { uid: string; body: string; deliveryId: string | null }[];
  /** UIDs of webhooks whose capture window was opened or closed. */
  captures: string[];
  diagnosed: string[];
  uploads: UploadedRequest[];
  previewed: { paths: string[]; mayCheckSecrets: boolean }[];
  /** Method and outcome. */
  signIns: string[];
  logLines: string[];
}

type Groups = ApiModules['inspection'] &
  ApiModules['diagnosis'] &
  ApiModules['ingress'] &
  ApiModules['operation'] &
  ApiModules['signIn'];

/**
 * The services of the management API on a seeded storage in memory, and tokens of every role. All parts are those of the
 * daemon, except: time and randomness, which tests control; the git host, which tests cannot reach (`APPLIED_SOURCE`);
 * the processes of runs, which are those of workers or of an executor that a test provides; and the threads for slow
 * work, which is done in this thread instead.
 */
export interface SeededServices
  extends ApiSettings,
    Groups,
    Pick<Storage, 'tokens' | 'users' | 'sessions' | 'loginLinks' | 'auditLog' | 'idFinder'>,
    Pick<
      ApiModules,
      | 'storage'
      | 'inventory'
      | 'secrets'
      | 'reconcile'
      | 'factories'
      | 'editor'
      | 'events'
      | 'answers'
      | 'masterKey'
      | 'alerts'
    >,
    Pick<ApiModules['base'], 'ids' | 'randomBytes' | 'logger'>,
    Pick<SeededEngine, 'start' | 'workers' | 'runControl' | 'drain' | 'pauses' | 'runLogs' | 'artifacts'> {
  deliveries: Storage['deliveryReader'];
  /** Of the factory `payments`. */
  pullRequests: PullRequestList;
  runs: Storage['runReader'];
  reconciliations: Storage['reconciliationReader'];
  seen: Seen;
  clock: StandingClock;
  /** Stores a token and returns its text. */
  grant(role: TokenRole, factories?: string[] | null, expiresAt?: number | null): string;
  revokeAll(): void;
  /** Accepts a delivery whose run waits for execution. */
  queueRun(): Promise<RunId>;
}

/**
 * @param more parts that replace those described above
 * @param factory configuration of the factory `payments`
 */
export function createSeededServices(more: Partial<SeededServices> = {}, factory: SeededFactory = {}): SeededServices {
  const seen: Seen = {
    touched: [],
    reconciled: [],
    cancelled: [],
    retried: [],
    backtested: [],
    searched: [],
    replayed: [],
    stored: [],
    edited: [],
    deletedSecrets: [],
    sent: [],
    captures: [],
    diagnosed: [],
    uploads: [],
    previewed: [],
    signIns: [],
    logLines: [],
  };
  const clock = createStandingClock();
  let counter = 0;
  // Never the same value twice, but the same values in every run.
  const randomBytes = (size: number) =>
    new Uint8Array(createHash('shake256', { outputLength: size }).update(String(counter++)).digest());
  const ids = createIdSource(randomBytes);
  const { db, storage } = openMemoryStorage();
  const probes = createMetricProbes({
    storage,
    dataDir: tmpdir(),
    isConfigured: () => true,
    lastBackup: () => null,
    alertCounts: () => [],
    group: () => ({ leads: true, leaders: 1, followers: 0, changesBehind: 0 }),
    factoryBudgets: () => [],
    nowMs: () => NOW_MS,
  });
  const metrics = createMetrics({ probes, writes: openMeasures(), build: readBuildIdentity() });
  const engine = createSeededEngine(
    { storage, clock, ids, randomBytes, metrics, secrets: openSecretStore(storage, clock) },
    factory,
  );
  const { secrets, captures, reconcilers, editor, runControl } = engine;
  const grant = (role: TokenRole, factories: string[] | null = null, expiresAt: number | null = null) => {
    const token = `dbk_${Buffer.from(randomBytes(32)).toString('base64url')}`;
    const id = ids.tokenId(NOW_MS);
    const limited = factories === null ? null : JSON.stringify(factories);
    db.prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, NULL, ?)').run(
      id,
      role,
      role,
      limited,
      hashCredential(token),
      NOW_MS,
      expiresAt,
    );
    return token;
  };
  const { inventory } = storage;
  const trial = { inventory, payloads: storage.storedPayloads, bounds: DEFAULT_BOUNDS, clock };
  const examination = { secrets, validate: validateHere, webhooksPerFactory: CONFIG.limits.webhooksPerFactory };
  const undo = { secrets, inventory: storage.inventoryReader, thread: { run: diagnoseInPlace } };
  const diagnose = createDeliveryDiagnosis({ ...undo, captures });
  const conclude = createDeliveryDiagnosis({ ...undo, captures: { find: () => null } });
  const typeOf = (name: string) => {
    if (CONFIG.factories.every((configured) => configured.name !== name)) return null;
    return name === 'payments' ? (factory.source ?? 'repository') : 'repository';
  };
  const hostOf = (name: string) => (typeOf(name) === 'repository' ? null : { keepsUids: typeOf(name) === 'live' });
  const baseUrl = () => CONFIG.baseUrl!;
  const diagnoseUpload = createUploadDiagnosis({ ...undo, clock, baseUrl, attemptsPerMinute: 1000 });
  return {
    seen,
    grant,
    start: engine.start,
    revokeAll: () => void db.prepare('DELETE FROM tokens').run(),
    queueRun: async () => {
      await engine.start();
      const [id, run] = [ids.deliveryId(NOW_MS), ids.runId(NOW_MS)];
      await offerDelivery(storage, { id, run, identity: id });
      engine.wake('payments');
      return run;
    },
    storage,
    alerts: createAlertControl(storage.alertStore, clock),
    inventory: storage.inventoryReader,
    deliveries: {
      ...storage.deliveryReader,
      list: async (request) => {
        seen.searched.push(request);
        return storage.deliveryReader.list(request);
      },
    },
    inspector: createInspectorHere(storage.storedPayloads),
    backtester: {
      backtest: async (factory, automation, triggers) => {
        seen.backtested.push({ factory, automation, triggers });
        return backtestTriggers(trial, { factory, automation, triggers });
      },
    },
    replays: {
      ...engine.replays,
      replay: async (order) => {
        const outcome = await engine.replays.replay(order);
        const { id } = order.delivery;
        if (outcome.outcome === 'replayed') {
          seen.replayed.push({ id, automation: order.automation, clientAddress: order.clientAddress });
        }
        return outcome;
      },
    },
    events: engine.events,
    unloggedCounts: storage.unloggedCounts,
    captures: {
      open: (uid, forMs) => {
        seen.captures.push(uid);
        return captures.open(uid, forMs);
      },
      close: (uid) => {
        seen.captures.push(uid);
        captures.close(uid);
      },
      state: (uid) => captures.state(uid),
    },
    conclude,
    diagnose: (delivery) => {
      seen.diagnosed.push(delivery.id);
      return diagnose(delivery);
    },
    diagnoseUpload: (request) => {
      seen.uploads.push(request);
      return diagnoseUpload(request);
    },
    idFinder: storage.idFinder,
    runs: storage.runReader,
    runLogs: engine.runLogs,
    artifacts: engine.artifacts,
    runControl: {
      ...runControl,
      cancel: async (id) => {
        seen.cancelled.push(id);
        return runControl.cancel(id);
      },
      retry: async (id, requestedBy) => {
        seen.retried.push(id);
        return runControl.retry(id, requestedBy);
      },
    },
    workers: engine.workers,
    drain: engine.drain,
    pauses: engine.pauses,
    reconciliations: storage.reconciliationReader,
    reconcile: {
      reconcileNow: async (factory) => {
        seen.reconciled.push(factory);
        return reconcilers.reconcileNow(factory);
      },
      contains: reconcilers.contains,
    },
    factories: reconcilers,
    planPreviewer: {
      preview: async (factory, tree, mayCheckSecrets) => {
        seen.previewed.push({ paths: tree.entries.map(({ path }) => path), mayCheckSecrets });
        return previewPlan({ ...trial, ...examination, hostOf }, { factory, tree, mayCheckSecrets });
      },
    },
    secrets: {
      ...secrets,
      put: async (name, value, mode, options) => {
        const stored = await secrets.put(name, value, mode, options);
        seen.stored.push({ name, mode });
        return stored;
      },
      delete: async (name, { force }) => {
        await secrets.delete(name, { force });
        seen.deletedSecrets.push({ name, force });
      },
    },
    editor: noteEdits(editor, seen.edited),
    pullRequests: SEEDED_REQUESTS,
    answers: createAnswerStore({ table: storage.keptAnswers, vault: createVault(KEY), clock }),
    masterKey: { rotate: async () => ({ state: 'done', resealed: 12, keyFile: null, earlierKeyFile: null }) },
    tokens: {
      ...storage.tokens,
      touch: async (id, at) => {
        seen.touched.push({ id, at });
        await storage.tokens.touch(id, at);
      },
    },
    auditLog: storage.auditLog,
    countSignIn: (method, outcome) => void seen.signIns.push(`${method} ${outcome}`),
    openId: null,
    users: storage.users,
    passwords: createPasswords(FAST_HASH),
    passwordAttempts: new PasswordAttempts(clock),
    sessions: storage.sessions,
    loginLinks: storage.loginLinks,
    sessionIdleMs: 30 * 60_000,
    sessionLifetimeMs: 12 * 60 * 60_000,
    failedAttempts: new FailedAttempts({ name: 'failed-authentications', limit: 1000, windowMs: 60_000 }, clock),
    adminUrl: () => 'http://127.0.0.1:8788',
    trustedProxies: [],
    findClientAddress: createClientAddresses([]).find,
    findSource: (name) => {
      const type = typeOf(name);
      if (type === null) return null;
      if (type !== 'repository') return { type, url: null, branch: null, path: null, pullRequests: false };
      const url = 'https://user:hunter2@git.example/p.git';
      return { type, url, branch: 'main', path: '.', pullRequests: true };
    },
    sendTestDelivery: (webhook, delivery) => {
      const { body, deliveryId } = delivery;
      seen.sent.push({ uid: webhook.uid, body: Buffer.from(body).toString('utf8'), deliveryId });
      return engine.sendTestDelivery(webhook, delivery);
    },
    backfill: engine.backfill,
    connector: engine.connector,
    health: engine.health,
    renderMetrics: () => metrics.render(),
    doctor: { examine: async () => ({ checks: [], findings: [] }) },
    backups: {
      status: async () => ({ schedule: null, running: null }),
      open: async () => ({ name: 'dockbell.tar', bytes: 0, content: Readable.from([]), discard: async () => {} }),
    },
    openMetrics: false,
    allowedHosts: ['dockbell.example.com'],
    baseUrl,
    build: readBuildIdentity(),
    dashboardDir: fileURLToPath(new URL('../fixtures/dashboard', import.meta.url)),
    docsDir: fileURLToPath(new URL('../fixtures/docs-site', import.meta.url)),
    ids,
    randomBytes,
    logger: pino({ level: 'info' }, { write: (line: string) => void seen.logLines.push(line) }),
    ...more,
    clock,
  };
}

/** The admin server on these services, composed as the daemon composes it. */
export function createSeededServer(services: SeededServices): FastifyInstance {
  const { storage, runControl, workers, drain, pauses, runLogs, artifacts, clock, ids, randomBytes, logger } = services;
  const { inventory, secrets, reconcile, factories, editor, events, answers, masterKey } = services;
  const { tokens, users, sessions, loginLinks, auditLog, idFinder } = services;
  const { deliveries: deliveryReader, runs: runReader, reconciliations: reconciliationReader } = services;
  const readers = { deliveryReader, runReader, reconciliationReader, idFinder };
  return composeApi({
    group: createLoneGroup({
      id: 'replica',
      name: 'host',
      version: '0.0.0',
      startedAt: 0,
      ingressUrl: null,
      adminUrl: null,
      live: {},
    }),
    settings: services,
    storage: { ...storage, ...readers, tokens, users, sessions, loginLinks, auditLog },
    inventory,
    secrets,
    reconcile,
    factories,
    editor,
    inspection: services,
    diagnosis: services,
    ingress: services,
    runs: { control: runControl, workers, drain, pauses, logs: runLogs, artifacts },
    events,
    // The seeded daemon has no configuration file that could change.
    reload: async () => ({ applied: [], needRestart: [], factories: { added: [], changed: [], removed: [] } }),
    operation: services,
    signIn: services,
    alerts: services.alerts,
    pullRequests: {
      list: (factory) => (factory === 'payments' ? services.pullRequests : null),
    },
    answers,
    masterKey,
    base: { clock, ids, randomBytes, logger },
  });
}

const SEEDED_REQUESTS: PullRequestList = {
  host: 'github',
  repository: 'team/payments-factory',
  branch: 'main',
  requests: [
    {
      number: 7,
      title: HOSTILE_TEXT,
      url: 'https://github.com/team/payments-factory/pull/7',
      head: '05acf90a4e58b0b1a1f0c1d2e3f405162738495a',
      isFork: true,
      state: 'failure',
      description: 'webhooks/ci.yaml:2:1: unknown key',
      checkedAt: Date.parse('2026-01-02T03:04:05.678Z'),
      posts: [
        { kind: 'status', state: 'posted', problem: null },
        { kind: 'comment', state: 'given_up', problem: 'it responded with 403' },
      ],
    },
    {
      number: 6,
      title: '',
      url: null,
      head: 'b'.repeat(40),
      isFork: false,
      state: 'waiting',
      description: null,
      checkedAt: null,
      posts: [],
    },
  ],
  hasMore: false,
  listedAt: Date.parse('2026-01-02T03:04:05.678Z'),
  problem: null,
};

/** The editor. Records the name of each requested edit. */
function noteEdits(editor: FactoryEditor, edited: string[]): FactoryEditor {
  type Edit = (...args: unknown[]) => Promise<unknown>;
  const { history, ...edits } = editor;
  const noted = Object.entries(edits as Record<string, unknown>).map(([name, edit]): [string, Edit] => [
    name,
    (...args) => {
      edited.push(name);
      return (edit as Edit)(...args);
    },
  ]);
  return { ...(Object.fromEntries(noted) as unknown as typeof edits), history };
}
