import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { EMPTY_PLAN } from '../../src/domain/applies/plan.ts';
import { NO_AGENT_FILES } from '../../src/domain/definitions/agent-files.ts';
import type { Trigger } from '../../src/domain/definitions/trigger.ts';
import type { Handshake } from '../../src/domain/deliveries/handshake.ts';
import type { Happenings } from '../../src/domain/happenings.ts';
import { createIdSource, type WebhookUid } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { createClientAddresses } from '../../src/domain/network/client-address.ts';
import type { DeliveryLog } from '../../src/domain/ports/delivery-log.ts';
import type { AutomationRow, WebhookRow } from '../../src/domain/ports/inventory.ts';
import type { SecretHistory, SecretStore } from '../../src/domain/ports/secret-store.ts';
import type { Delivery } from '../../src/domain/resources/delivery.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { LOOP_GUARD } from '../../src/domain/words/runs.ts';
import { handleDelivery } from '../../src/ingress/handle-delivery.ts';
import type { AdoptSecret, IngressContext } from '../../src/ingress/ingress-context.ts';
import { type LimitsPerMinute, RateLimits } from '../../src/ingress/limits.ts';
import { BackfillMarks } from '../../src/ingress/log/backfill-marks.ts';
import { HandshakeRows, RejectionRows } from '../../src/ingress/log/capped-rows.ts';
import { CaptureWindows } from '../../src/ingress/log/capture-window.ts';
import { DeliveryRecorder } from '../../src/ingress/log/delivery-recorder.ts';
import { RateLimitedRows } from '../../src/ingress/log/rate-limited-rows.ts';
import { UnloggedTally } from '../../src/ingress/log/unlogged-tally.ts';
import { UrlProbes } from '../../src/ingress/log/url-probes.ts';
import type { PushTrigger } from '../../src/ingress/registry/build-live-webhooks.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { Confirmations, type FetchStatus } from '../../src/ingress/steps/confirmations.ts';
import { countMalformed } from '../../src/ingress/steps/find-webhook.ts';
import { countLostRow } from '../../src/ingress/steps/reject.ts';
import { VersionTrials } from '../../src/ingress/steps/version-trials.ts';
import { createIngressServer, type ServerBounds } from '../../src/ingress/transport/http.ts';
import { createProbes } from '../../src/ingress/transport/probes.ts';
import { BytesInFlight } from '../../src/ingress/transport/read-body.ts';
import { createRedactor } from '../../src/platform/secrets/redactor.ts';
import { createSecretStore } from '../../src/platform/secrets/secret-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { openSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { buildAudited } from './build-apply.ts';
import { silentLogger } from './command-runs.ts';
import { declareWebhook } from './declare-webhook.ts';
import { createDatabaseFile } from './new-database.ts';
import { NO_POLICY } from './no-policy.ts';
import { RawConnection } from './raw-connection.ts';
import { serveFactory } from './serve-applied.ts';

/** 2026-01-02T03:04:05.678Z */
export const START_MS = 1_767_323_045_678;
const FACTORY = 'payments';
const REVISION = 'c0ffee';
/** The public address of the ingress, as senders know it. */
export const BASE_URL = 'https://hooks.example.com';

/** A webhook of the factory, by default a token webhook called `hook`. */
export interface TestWebhook
  extends Partial<
    Pick<
      WebhookRow,
      | 'authMode'
      | 'signatureScheme'
      | 'signature'
      | 'bodyFormat'
      | 'formField'
      | 'deliveryIdHeader'
      | 'deliveryIdPath'
      | 'deduplicate'
      | 'event'
      | 'recordHeaders'
      | 'serves'
      | 'secretVersion'
      | 'rotationOverlap'
    >
  > {
  name?: string;
  enabled?: boolean;
  /** `null`: the pinned value cannot be read. */
  secret?: string | null;
  verifyToken?: string;
  /** The version before, which `rotationOverlap` accepts from the start on. */
  previousSecret?: string;
}

/** An automation with one trigger for one webhook. */
export interface TestAutomation {
  name: string;
  webhook: string;
  headers?: JsonObject;
  payload?: JsonObject | null;
  enabled?: boolean;
}

export interface TestIngressOptions {
  webhooks?: TestWebhook[];
  automations?: TestAutomation[];
  /** The webhook that reports pushes to the production branch. */
  pushTrigger?: PushTrigger;
  limits?: Partial<LimitsPerMinute>;
  bounds?: Partial<ServerBounds>;
  maxBytesInFlight?: number;
  /** The readiness check of `/readyz`. */
  isReady?: () => Promise<boolean>;
  trustedProxies?: string[];
  /** Replaces the provider that confirms subscriptions. */
  fetchStatus?: FetchStatus;
  /** Replaces the store of secrets that senders supply. If omitted, no secret is adopted. */
  adoptSecret?: AdoptSecret;
  /** Wraps the storage of the ingress. */
  wrapLog?: (log: DeliveryLog) => DeliveryLog;
}

export interface TestAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

interface TestDelivery {
  headers?: Record<string, string>;
  body?: string | Uint8Array | null;
  method?: string;
}

/** An ingress with a real listener and a real database file. Its clocks change only when they are set. */
export interface TestIngress {
  port: number;
  /** The database file. */
  file: string;
  clock: Clock & { advance(ms: number): void };
  storage: SqliteStorage;
  secretStore: SecretStore & SecretHistory;
  context: IngressContext;
  /** Recorded counters and notifications. */
  seen: {
    rejections: string[];
    labels: string[];
    handshakes: string[];
    wakened: string[];
    pushes: string[];
    trouble: unknown[];
    defects: unknown[];
  };
  uid(name?: string): WebhookUid;
  /** Path of a webhook's URL. */
  path(name?: string): string;
  /** Sends to a path, or to a webhook by its name with its token. */
  post(to: string, delivery?: TestDelivery): Promise<TestAnswer>;
  connect(): Promise<RawConnection>;
  /** The log of a webhook, most recent first, including rejections. */
  deliveries(name?: string): Promise<Delivery[]>;
  /** The log of handshakes of a webhook, most recent first. */
  handshakes(name?: string): Promise<Handshake[]>;
  /** Applies the factory again. */
  apply(webhooks: TestWebhook[], automations?: TestAutomation[]): Promise<void>;
  /** Prepares a stop of a listener whose socket stays open. */
  retire(): Promise<void>;
  /** Closes the listener like a clean stop. */
  stop(graceMs?: number): Promise<void>;
  /** Shortens a stop, as a second signal does. */
  hurry(): void;
  close(): Promise<void>;
}

const LIMITS: LimitsPerMinute = { deliveriesPerMinute: 60, providerDeliveriesPerMinute: 600, failedAuthPerMinute: 30 };

/** Secret of every webhook without a secret name. */
export const TOKEN = 'dbs_token-of-32-characters-0000000';

export async function startIngress(options: TestIngressOptions = {}): Promise<TestIngress> {
  const dir = mkdtempSync(join(tmpdir(), 'dockbell-ingress-'));
  const file = join(dir, 'dockbell.db');
  createDatabaseFile(file);
  const storage = openSqliteStorage(file);
  const ids = createIdSource(randomBytes);
  const clock = createFakeClock();
  const registry = new Registry();
  const live = new LiveFactories(registry, () => options.pushTrigger ?? null);
  const uids = new Map<string, WebhookUid>();
  const uid = (name = 'hook') => {
    if (!uids.has(name)) uids.set(name, ids.webhookUid());
    return uids.get(name)!;
  };
  const secrets = new Map<string, string | null>();

  const apply = async (webhooks: TestWebhook[], automations: TestAutomation[] = []) => {
    const rows = webhooks.map((webhook) => toWebhookRow(webhook, uid(webhook.name)));
    const gone = [...uids].filter(([name]) => !rows.some((row) => row.name === name)).map(([, id]) => id);
    for (const { name = 'hook', secret = TOKEN } of webhooks) secrets.set(name, secret);
    await storage.inventory.apply({
      factory: FACTORY,
      revision: REVISION,
      source: 'test',
      at: clock.wallMs(),
      webhooks: rows,
      plannedFrom: [],
      deleteWebhooks: gone,
      deleteAutomations: [],
      agentFiles: { set: NO_AGENT_FILES, contents: new Map() },
      remarks: [],
      conditions: [],
      audit: buildAudited(FACTORY, clock.wallMs()),
      automations: automations.map((automation) => toAutomationRow(automation, uid(automation.webhook))),
      reconciliation: {
        id: ids.reconciliationId(START_MS),
        factory: FACTORY,
        revision: REVISION,
        commit: null,
        result: 'applied' as const,
        reason: 'Applied',
        message: '',
        diagnostics: [],
        plan: EMPTY_PLAN,
        startedAt: START_MS,
        finishedAt: START_MS,
        attemptedAt: START_MS,
      },
    });
    const readable = [...secrets].flatMap(([name, text]): [string, string][] => (text === null ? [] : [[name, text]]));
    const verifyTokens = webhooks.flatMap(({ name = 'hook', verifyToken }): [string, string][] =>
      verifyToken === undefined ? [] : [[name, verifyToken]],
    );
    const previousSecrets = webhooks.flatMap(({ name = 'hook', previousSecret }): [string, string][] =>
      previousSecret === undefined ? [] : [[name, previousSecret]],
    );
    registry.known.load(await storage.inventoryReader.webhookNames(), () => true);
    const applied = (await storage.inventory.load(FACTORY))!;
    serveFactory(live, applied, {
      secrets: new Map(readable),
      verifyTokens: new Map(verifyTokens),
      previousSecrets: new Map(previousSecrets),
    });
  };
  await storage.inventory.register(FACTORY, START_MS);
  await apply(options.webhooks ?? [{}], options.automations);

  const secretStore = createSecretStore({
    table: storage.sealedSecrets,
    vault: createVault(randomBytes(32)),
    clock,
    redactor: createRedactor(),
    notifyTargets: [],
    factories: [FACTORY],
  });
  const seen: TestIngress['seen'] = {
    rejections: [],
    labels: [],
    handshakes: [],
    wakened: [],
    pushes: [],
    trouble: [],
    defects: [],
  };
  const unlogged = new UnloggedTally({
    counts: storage.unloggedCounts,
    clock,
    onCounted: (_webhook, reason, count) => seen.rejections.push(...Array<string>(count).fill(reason)),
    onFailure: (error) => seen.trouble.push(error),
  });
  const log = (options.wrapLog ?? ((log) => log))(storage.deliveryLog);
  const recorder = new DeliveryRecorder(log, undefined, (entry) => countLostRow({ registry, unlogged }, entry));
  const logged: Promise<void>[] = [];
  const backfillMarks = new BackfillMarks();
  const confirmations = new Confirmations(options.fetchStatus ?? (() => Promise.reject(new Error('not reachable'))));
  const context: IngressContext = {
    registry,
    recorder,
    unlogged,
    tracer: null,
    urlProbes: new UrlProbes(),
    clock,
    ids,
    maxBodyBytes: 262_144,
    loopGuard: LOOP_GUARD,
    baseUrl: () => BASE_URL,
    rejectionRows: new RejectionRows((entry) => recorder.note(entry)),
    rateLimitedRows: new RateLimitedRows({
      write: (entry) => recorder.note(entry),
      ids,
      clock,
      schedule: () => () => {},
    }),
    captures: new CaptureWindows(clock),
    versionTrials: new VersionTrials(secretStore, clock),
    handshakeRows: new HandshakeRows((entry) => logged.push(storage.handshakeLog.append(entry))),
    confirmations,
    backfillMarks,
    adoptSecret: options.adoptSecret ?? (async () => ({ ok: false, detail: 'nothing is adopted here' })),
    limits: new RateLimits({ ...LIMITS, ...options.limits }),
    metrics: {
      countDelivery: (_webhook, label) => seen.labels.push(label),
      observeDelivery: () => {},
      countHandshake: (_webhook, outcome) => seen.handshakes.push(outcome),
      countRejection: (reason) => seen.rejections.push(reason),
    },
    publish: (kind, what) => {
      if (kind === 'runsCreated') seen.wakened.push((what as Happenings['runsCreated']).factory);
      if (kind === 'pushReceived') seen.pushes.push((what as Happenings['pushReceived']).factory);
    },
    logger: {
      ...silentLogger,
      error: ({ problem, err }) => {
        if (problem === undefined) seen.defects.push(err);
        else seen.trouble.push({ message: problem });
      },
    },
  };
  const hurry = new AbortController();
  const { server, retire, close } = createIngressServer({
    handle: (incoming) => handleDelivery(context, incoming),
    onMalformed: (path) => countMalformed(context, path),
    answerProbe: createProbes({
      isReady: options.isReady ?? (async () => true),
      monotonicMs: () => clock.monotonicMs(),
    }),
    findClientAddress: createClientAddresses(options.trustedProxies ?? []).find,
    inFlight: new BytesInFlight(options.maxBytesInFlight),
    hurry: hurry.signal,
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const connections: RawConnection[] = [];
  const pool = new Pool(`http://127.0.0.1:${port}`);

  return {
    port,
    file,
    clock,
    storage,
    secretStore,
    context,
    seen,
    uid,
    apply,
    path: (name) => `/webhooks/w/${uid(name)}`,
    post: (to, delivery = {}) => {
      const isPath = to.startsWith('/');
      const authorization: Record<string, string> = isPath ? {} : { authorization: `Bearer ${secrets.get(to)}` };
      const path = isPath ? to : `/webhooks/w/${uid(to)}`;
      return post(pool, path, { ...delivery, headers: { ...authorization, ...delivery.headers } });
    },
    connect: async () => {
      const connection = await RawConnection.open(port);
      connections.push(connection);
      return connection;
    },
    deliveries: async (name) => {
      await context.versionTrials.drain();
      await recorder.drain();
      const page = { webhookUid: uid(name), label: null, limit: 5_000, cursor: null };
      return (await storage.deliveryReader.list(page)).data;
    },
    handshakes: async (name) => {
      await Promise.all(logged);
      const page = { webhookUid: uid(name), limit: 5_000, cursor: null };
      return (await storage.handshakeLog.list(page)).data;
    },
    retire,
    stop: (graceMs = 5_000) => close(graceMs),
    hurry: () => hurry.abort(),
    close: async () => {
      await confirmations.stop();
      for (const connection of connections) connection.destroy();
      await pool.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await recorder.drain();
      storage.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function post(pool: Pool, path: string, { headers = {}, body = null, method = 'POST' }: TestDelivery) {
  const answer = await pool.request({ path, method: method as 'POST', headers, body });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

function toWebhookRow(webhook: TestWebhook, uid: WebhookUid): WebhookRow {
  const { name = 'hook', secret: _, verifyToken: __, secretVersion = 1, previousSecret, ...declared } = webhook;
  return {
    uid,
    name,
    factory: FACTORY,
    file: `webhooks/${name}.yaml`,
    ...declareWebhook(declared),
    verifyTokenSecretVersion: null,
    secretVersion,
    previousSecretVersion: previousSecret === undefined ? null : secretVersion - 1,
    secretPinnedAt: START_MS,
    revision: REVISION,
    updatedAt: START_MS,
  };
}

function toAutomationRow(
  { name, headers, payload = null, enabled = true }: TestAutomation,
  uid: WebhookUid,
): AutomationRow {
  const at = { line: 1, column: 1 };
  const triggers: Trigger[] = [
    { provider: 'webhook', event: 'received', webhookIds: [uid], webhooks: [], headers, payload, at } as Trigger,
  ];
  return {
    name,
    enabled,
    triggers,
    factory: FACTORY,
    file: `automations/${name}/automation.md`,
    description: null,
    agent: null,
    prompt: 'Do it.',
    overrides: {},
    ...NO_POLICY,
    warnings: [],
    listensTo: [[uid]],
    revision: REVISION,
    updatedAt: START_MS,
  };
}

function createFakeClock(): TestIngress['clock'] {
  let passedMs = 0;
  return {
    wallMs: () => START_MS + passedMs,
    monotonicMs: () => passedMs,
    advance: (ms) => {
      passedMs += ms;
    },
  };
}
