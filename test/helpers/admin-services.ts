import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { hashCredential } from '../../src/api/auth/credential.ts';
import { FailedTries } from '../../src/api/auth/failed-tries.ts';
import { PasswordTries } from '../../src/api/auth/password-tries.ts';
import { createPasswords } from '../../src/api/auth/passwords.ts';
import { judgeApplied, judgeFilter } from '../../src/api/judge-filter.ts';
import type { AdminServices, Inspector, TriedPayload, UploadedRequest } from '../../src/api/services.ts';
import type { Role } from '../../src/core/access.ts';
import type { AppliedAutomation } from '../../src/core/applied.ts';
import type { Delivery } from '../../src/core/delivery.ts';
import { AppError } from '../../src/core/errors.ts';
import { createIdSource } from '../../src/core/ids.ts';
import type { Page, PageRequest } from '../../src/core/page.ts';
import type { PlanPreview } from '../../src/core/plan-preview.ts';
import type { ProposedTrigger } from '../../src/core/ports/backtester.ts';
import type { CaptureState } from '../../src/core/ports/capture-control.ts';
import type { WebhookView } from '../../src/core/ports/inventory.ts';
import type { SecretSummary } from '../../src/core/ports/secret-store.ts';
import type { StoredPayloads } from '../../src/core/ports/stored-payloads.ts';
import type { FactoryStatus, Reconciliation } from '../../src/core/reconciliation.ts';
import type { Run } from '../../src/core/run.ts';
import { SecretValue } from '../../src/core/secret-value.ts';
import { EventHub } from '../../src/events/event-hub.ts';
import { collectPayloadKeys } from '../../src/filter/collect-payload-keys.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';

/** 2026-01-02T03:04:05.678Z */
export const NOW_MS = 1_767_323_045_678;

/** The webhook, delivery, run and so on that every fake store holds, in the factory `payments`. */
export const WEBHOOK_UID = 'wh_0123456789abcdefghjkmnpqrs';
export const URL_TOKEN_UID = 'wh_1123456789abcdefghjkmnpqrs';
export const DELETED_UID = 'wh_2123456789abcdefghjkmnpqrs';
export const CREATED_UID = 'wh_3123456789abcdefghjkmnpqrs';
export const DELIVERY_ID = 'dlv_01kdy5zabcdefghjkmnpqrstvw';
export const REJECTED_ID = 'dlv_01kdy5zabcdefghjkmnpqrstvx';
export const REPLAY_ID = 'dlv_01kdy5zabcdefghjkmnpqrstvy';
export const RUN_ID = 'run_01kdy5zabcdefghjkmnpqrstvw';
export const RECONCILIATION_ID = 'rec_01kdy5zabcdefghjkmnpqrstvw';
export const PAYLOAD = '{"level": "error", "big": 1e400, "__proto__": {"x": 1}}';
/** A name that a careless page would run. */
export const HOSTILE_TEXT = '<img src=x onerror=alert(1)>\u001b[31m\n"quoted"';

export function makeWebhook(more: Partial<WebhookView> = {}): WebhookView {
  return {
    ref: 1,
    uid: WEBHOOK_UID,
    factory: 'payments',
    name: 'internal-ci',
    file: 'webhooks/internal-ci.yaml',
    description: null,
    authMode: 'token',
    signatureScheme: null,
    signature: null,
    secretName: 'INTERNAL_CI_WEBHOOK_SECRET',
    secretVersion: 3,
    verifyTokenSecretName: null,
    verifyTokenSecretVersion: null,
    deliveryIdHeader: null,
    enabled: true,
    revision: 'c0ffee',
    createdAt: NOW_MS - 5000,
    updatedAt: NOW_MS - 4000,
    deletedAt: null,
    secretState: 'current',
    verifyTokenSecretState: null,
    lastDeliveryAt: null,
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
    identity: { source: 'header', value: HOSTILE_TEXT },
    label: 'Accepted',
    reason: null,
    detail: null,
    size: PAYLOAD.length,
    count: 1,
    receivedAt: NOW_MS,
    clientAddress: '192.0.2.7',
    revision: 'c0ffee',
    duplicateOf: null,
    replayOf: null,
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
    deliveryIdentity: 'event-1',
    state: 'running',
    attempt: 1,
    executor: 'command',
    revision: 'c0ffee',
    error: null,
    exitCode: null,
    createdAt: NOW_MS,
    startedAt: NOW_MS + 1,
    finishedAt: null,
    ...more,
  };
}

export function makeReconciliation(more: Partial<Reconciliation> = {}): Reconciliation {
  return {
    id: RECONCILIATION_ID,
    factory: 'payments',
    revision: 'c0ffee',
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
  const counts = { examined: 9, before: 4, after: 3, gainedCount: 0, lostCount: 1, gained: [], lost: [example] };
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

function makeStatus(name: string): FactoryStatus {
  return {
    name,
    appliedRevision: 'c0ffee',
    appliedAt: NOW_MS,
    appliedSource: null,
    attemptedRevision: 'c0ffee',
    attemptedAt: NOW_MS,
    conditions: [{ type: 'Ready', status: 'True', reason: 'Applied', message: HOSTILE_TEXT, since: NOW_MS }],
  };
}

function makeSecret(): SecretSummary {
  return {
    name: 'INTERNAL_CI_WEBHOOK_SECRET',
    version: 3,
    createdAt: NOW_MS,
    updatedAt: NOW_MS,
    usedBy: [{ factory: 'payments', webhook: 'internal-ci', version: 3 }],
    listedBy: [{ factory: 'payments', automation: 'fix-errors' }],
    notify: [{ factory: 'payments', type: 'github' }],
  };
}

/** A store of one page; it takes the cursor it gave and no other. */
function onePage<T>(data: T[], request: PageRequest): Page<T> {
  if (request.cursor !== null) throw new AppError('bad_request', 'The cursor is not one that this list gave.');
  return { data: data.slice(0, request.limit), nextCursor: null };
}

/** Real tables, in memory. */
function openMemoryStorage() {
  const db = new Database(':memory:');
  for (const step of MIGRATIONS) db.exec(step);
  db.pragma('foreign_keys = ON');
  return { db, storage: createSqliteStorage(db) };
}

/** A clock that stands until it is moved. */
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

/** Answers in memory, for good. */
function createAnswers(): AdminServices['answers'] {
  const kept = new Map<string, { fingerprint: string; text: string }>();
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return {
    find: async (key, fingerprint) => {
      const found = kept.get(hex(key));
      if (found === undefined) return { kind: 'none' };
      return found.fingerprint === hex(fingerprint) ? { kind: 'found', text: found.text } : { kind: 'other-body' };
    },
    keep: async (key, fingerprint, text) => void kept.set(hex(key), { fingerprint: hex(fingerprint), text }),
  };
}

/** Answers in this thread; every payload of the webhook is the one of the delivery. */
function createInspectorHere(): Inspector {
  const payloads: StoredPayloads = {
    keys: async ({ webhook }) => (webhook === WEBHOOK_UID ? [2, 1] : []),
    read: async (keys) => {
      const body = new TextEncoder().encode(PAYLOAD);
      const payload = { id: DELIVERY_ID, webhook: WEBHOOK_UID, receivedAt: NOW_MS, body } as const;
      return { taken: keys.length, payloads: keys.map(() => payload) };
    },
  };
  const read = (payload: TriedPayload): unknown =>
    'bytes' in payload ? JSON.parse(Buffer.from(payload.bytes).toString('utf8')) : payload.value;
  return {
    judgeFilter: async (filter, payload) => judgeFilter(filter, read(payload)),
    judgeAutomation: async (automation, webhook, payload) => judgeApplied(automation, webhook, read(payload)),
    collectKeys: (webhook) => collectPayloadKeys(payloads, webhook),
  };
}

/** What the fakes noted. */
export interface Seen {
  touched: { id: string; at: number }[];
  reconciled: string[];
  cancelled: string[];
  retried: string[];
  backtested: { factory: string; automation: string | null; triggers: readonly ProposedTrigger[] }[];
  searched: object[];
  replayed: { id: string; automation: string | null; clientAddress: string }[];
  stored: { name: string; mode: string }[];
  /** The edits that were asked for, by their name. */
  edited: string[];
  deletedSecrets: { name: string; force: boolean }[];
  sent: { uid: string; body: string; deliveryId: string | null }[];
  /** UIDs of webhooks whose window was opened or closed. */
  captures: string[];
  diagnosed: string[];
  uploads: UploadedRequest[];
  previewed: { paths: string[]; mayJudgeSecrets: boolean }[];
  /** Method and outcome. */
  signIns: string[];
  logLines: string[];
}

/** Fakes of every port, each store with one object of every kind, and tokens of every role. */
export interface FakeAdminServices extends AdminServices {
  seen: Seen;
  clock: StandingClock;
  /** Stores a token and answers with its text. */
  grant(role: Role, factories?: string[] | null): string;
  revokeAll(): void;
}

/** @param more parts to use in place of the fakes */
export function createFakeAdminServices(more: Partial<AdminServices> = {}): FakeAdminServices {
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
  // Never the same twice, and the same in every run.
  const randomBytes = (size: number) =>
    new Uint8Array(createHash('shake256', { outputLength: size }).update(String(counter++)).digest());
  const ids = createIdSource(randomBytes);
  const { db, storage } = openMemoryStorage();
  const captured = new Map<string, CaptureState>();
  const grant = (role: Role, factories: string[] | null = null) => {
    const token = `dbk_${Buffer.from(randomBytes(32)).toString('base64url')}`;
    const id = ids.tokenId(NOW_MS);
    const limited = factories === null ? null : JSON.stringify(factories);
    db.prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, NULL)').run(
      ...[id, role, role, limited, hashCredential(token), NOW_MS],
    );
    return token;
  };
  const webhooks = [
    makeWebhook(),
    makeWebhook({ uid: URL_TOKEN_UID, name: 'by-url', authMode: 'url_token', ref: 2 }),
    makeWebhook({ uid: DELETED_UID, name: 'gone', deletedAt: NOW_MS, ref: 3 }),
  ];
  const deliveries = [
    makeDelivery(),
    makeDelivery({ id: REJECTED_ID, label: 'Rejected (auth)', reason: 'bad_credential', identity: null, runs: [] }),
    makeDelivery({ id: REPLAY_ID, replayOf: DELIVERY_ID }),
  ];
  return {
    seen,
    grant,
    revokeAll: () => void db.prepare('DELETE FROM tokens').run(),
    inventory: {
      factories: async () => ['payments', 'other'].map(makeStatus),
      counts: async () => ({ webhooks: 2, automations: 1, queuedRuns: 0, runningRuns: 1 }),
      webhooks: async (factory) => webhooks.filter((it) => it.factory === factory && it.deletedAt === null),
      webhook: async (uid) => webhooks.find((it) => it.uid === uid) ?? null,
      automations: async (factory) => (factory === 'payments' ? [makeAutomation()] : []),
      automation: async (factory, name) => (factory === 'payments' && name === 'fix-errors' ? makeAutomation() : null),
    },
    handshakes: {
      list: async (request) =>
        onePage(
          [
            {
              webhookUid: WEBHOOK_UID,
              handshake: 'slack url_verification',
              outcome: 'answered' as const,
              detail: null,
              count: 1,
              receivedAt: NOW_MS,
              clientAddress: '192.0.2.7',
            },
          ],
          request,
        ),
    },
    deliveries: {
      list: async (request) => {
        seen.searched.push(request);
        return onePage(
          deliveries.filter((it) => request.label === null || it.label === request.label),
          request,
        );
      },
      get: async (id) => deliveries.find((it) => it.id === id) ?? null,
      payload: async (id) => (id === DELIVERY_ID ? new TextEncoder().encode(PAYLOAD) : null),
      decisions: async (id) =>
        id === DELIVERY_ID
          ? [
              {
                automation: 'fix-errors',
                outcome: 'filtered',
                run: null,
                path: 'level',
                expected: ['fatal'],
                actual: 'error',
                message: 'level is "error"',
              },
            ]
          : [],
    },
    inspector: createInspectorHere(),
    activity: {
      deliveries: async ({ fromAt }) => [
        { webhook: WEBHOOK_UID, hourAt: fromAt, label: 'Accepted', count: 2 },
        { webhook: WEBHOOK_UID, hourAt: fromAt, label: 'Rejected (auth)', count: 7 },
      ],
      runs: async ({ fromAt }) => [{ hourAt: fromAt + 3_600_000, state: 'failed', count: 1 }],
    },
    backtester: {
      backtest: async (factory, automation, triggers) => {
        seen.backtested.push({ factory, automation, triggers });
        const preview = makePlanPreview();
        if (!preview.valid) throw new Error('the preview is valid');
        return preview.backtest;
      },
    },
    replays: {
      replay: async ({ delivery: { id, label }, automation, clientAddress }) => {
        if (label !== 'Accepted') return { outcome: 'refused', why: `The delivery is labelled ${label}.` };
        seen.replayed.push({ id, automation, clientAddress });
        return { outcome: 'replayed', id: REPLAY_ID };
      },
    },
    events: new EventHub(clock, 'epoch'),
    captures: {
      open: (uid, forMs) => {
        seen.captures.push(uid);
        captured.set(uid, { until: NOW_MS + forMs, kept: 0 });
        return captured.get(uid)!;
      },
      close: (uid) => {
        seen.captures.push(uid);
        captured.delete(uid);
      },
      state: (uid) => captured.get(uid) ?? null,
    },
    diagnose: async ({ id }) => {
      seen.diagnosed.push(id);
      return { mistake: 'clock', sentence: 'The clock is wrong: set it.', tried: [] };
    },
    diagnoseUpload: async (request) => {
      seen.uploads.push(request);
      return { mistake: 'body_newline', sentence: 'The body lost its line break: keep it.', tried: [] };
    },
    idFinder: {
      find: async ({ prefix, factories, limit }) =>
        [RUN_ID, RECONCILIATION_ID, REPLAY_ID, REJECTED_ID, DELIVERY_ID, DELETED_UID, WEBHOOK_UID]
          .filter((id) => id.startsWith(prefix) && (factories === null || factories.includes('payments')))
          .slice(0, limit)
          .map((id) => ({ id, factory: 'payments' })),
    },
    runs: {
      list: async (request) =>
        onePage(
          [makeRun()].filter((it) => request.state === null || it.state === request.state),
          request,
        ),
      get: async (id) => (id === RUN_ID ? makeRun() : null),
      queuePositions: async ({ runs }) => new Map(runs.map((id, index) => [id, index + 3])),
      input: async (id) =>
        id === RUN_ID
          ? {
              run: makeRun(),
              webhook: { name: 'internal-ci', uid: WEBHOOK_UID },
              prompt: 'Fix it.',
              agent: null,
              overrides: { model: 'large' },
              payload: new TextEncoder().encode(PAYLOAD),
            }
          : null,
    },
    runLogs: {
      read: async (_run, offset, limit) =>
        new TextEncoder().encode('line one\nline two ✓\n').slice(offset, offset + limit),
    },
    runControl: {
      cancel: async (id) => {
        seen.cancelled.push(id);
        return 'cancelling';
      },
      retry: async (id) => {
        seen.retried.push(id);
        return 'queued';
      },
      explainWait: (factory) => ({ reason: 'no_executor', text: `Factory ${factory} has no executor.` }),
    },
    workers: {
      claimable: () => new Set(['payments', 'billing']),
      claim: async () => [],
      heartbeat: async () => ({ outcome: 'held', leaseMs: 60_000, expiresAt: clock.wallMs() + 60_000 }),
      complete: async () => ({ outcome: 'held', run: makeRun({ state: 'succeeded', executor: 'queue' }) }),
    },
    reconciliations: {
      list: async (request) => onePage(request.factory === 'payments' ? [makeReconciliation()] : [], request),
      get: async (id) => (id === RECONCILIATION_ID ? makeReconciliation() : null),
    },
    reconcile: {
      reconcileNow: async (factory) => {
        seen.reconciled.push(factory);
        return makeReconciliation({ factory });
      },
      contains: async (_factory, revision, earlier) => (revision.startsWith(earlier) ? 'yes' : 'no'),
    },
    planPreviewer: {
      preview: async (_factory, { entries }, mayJudgeSecrets) => {
        seen.previewed.push({ paths: entries.map(({ path }) => path), mayJudgeSecrets });
        return makePlanPreview();
      },
    },
    secrets: {
      put: async (name, _value, mode) => {
        seen.stored.push({ name, mode });
        return { created: mode !== 'update', version: 4 };
      },
      delete: async (name, { force }) => {
        if (!force) throw new AppError('secret_in_use', `The secret ${name} is used by the webhook internal-ci.`);
        seen.deletedSecrets.push({ name, force });
      },
      list: async () => [makeSecret()],
      resolve: async () => {
        throw new Error('the API must never ask for a value');
      },
      open: async () => {
        throw new Error('the API must never ask for a value');
      },
    },
    editor: {
      createWebhook: async (_order, { name }) => {
        seen.edited.push('createWebhook');
        webhooks.push(makeWebhook({ uid: CREATED_UID, name, ref: 4 }));
        return new SecretValue('dbs_generated');
      },
      changeWebhook: async () => void seen.edited.push('changeWebhook'),
      deleteWebhook: async () => void seen.edited.push('deleteWebhook'),
      rotateSecret: async () => {
        seen.edited.push('rotateSecret');
        return new SecretValue('dbs_generated');
      },
      giveSecret: async () => void seen.edited.push('giveSecret'),
      writeAutomation: async (_order, { mustBeNew }) => {
        seen.edited.push('writeAutomation');
        return mustBeNew;
      },
      deleteAutomation: async () => void seen.edited.push('deleteAutomation'),
      revert: async () => void seen.edited.push('revert'),
      history: async (_factory, request) =>
        onePage(
          [{ revision: 'c0ffee', author: { name: HOSTILE_TEXT, email: 'x@y' }, at: NOW_MS, message: 'Begin' }],
          request,
        ),
    },
    answers: createAnswers(),
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
    passwords: createPasswords(),
    passwordTries: new PasswordTries(clock),
    sessions: storage.sessions,
    loginLinks: storage.loginLinks,
    sessionIdleMs: 30 * 60_000,
    sessionLifetimeMs: 12 * 60 * 60_000,
    failedTries: new FailedTries({ limit: 1000, windowMs: 60_000 }, clock),
    adminUrl: () => 'http://127.0.0.1:8788',
    trustedProxies: [],
    factorySource: () => ({
      type: 'repository',
      url: 'https://user:hunter2@git.example/p.git',
      branch: 'main',
      path: '.',
    }),
    schemeNamesDeliveries: ({ signatureScheme }) => signatureScheme === 'github',
    sendTestDelivery: async (webhook, body, deliveryId) => {
      seen.sent.push({ uid: webhook.uid, body: Buffer.from(body).toString('utf8'), deliveryId });
      return { status: 202, headers: { 'content-type': 'application/json' }, body: '{"delivery_id":"x"}' };
    },
    health: { ready: async () => ({ ready: true, problems: [], warnings: [] }) },
    renderMetrics: async () => '# HELP up\nup 1\n',
    openMetrics: false,
    allowedHosts: ['dockbell.example.com'],
    baseUrl: () => 'https://hooks.example.com',
    schemas: new Map([['webhook', { title: 'Webhook', type: 'object' }]]),
    signatureSchemes: [
      {
        name: 'github',
        title: 'GitHub',
        whenSecretIsIssued: 'user',
        identities: ['X-GitHub-Delivery'],
        credentialPlaces: ['X-Hub-Signature-256'],
        documentation: 'https://docs.github.com/webhooks',
      },
    ],
    dashboardDir: fileURLToPath(new URL('../fixtures/dashboard', import.meta.url)),
    version: '0.1.0',
    ids,
    randomBytes,
    logger: pino({ level: 'info' }, { write: (line: string) => void seen.logLines.push(line) }),
    ...more,
    clock,
  };
}
