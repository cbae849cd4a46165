import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiModules } from '../../src/api/api-modules.ts';
import { createBackfill } from '../../src/api/webhooks/post-backfill.ts';
import { createTestDeliverySender, type SendTestDelivery } from '../../src/api/webhooks/send-test-delivery.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { findPushTrigger } from '../../src/config/push-trigger.ts';
import type { Handlers, Publish } from '../../src/domain/happenings.ts';
import type { IdSource, RandomBytes } from '../../src/domain/ids.ts';
import { createClientAddresses } from '../../src/domain/network/client-address.ts';
import type { BackfillControl } from '../../src/domain/ports/delivery-control.ts';
import type { Executor, RunLogReader, RunLogWriter } from '../../src/domain/ports/executor.ts';
import type { DrainControl, PauseControl } from '../../src/domain/ports/pauses.ts';
import type { ReplayControl } from '../../src/domain/ports/replays.ts';
import type { RunControl } from '../../src/domain/ports/run-control.ts';
import type { RunArtifacts } from '../../src/domain/ports/run-files.ts';
import type { SecretHistory, SecretStore } from '../../src/domain/ports/secret-store.ts';
import type { DefinitionSource } from '../../src/domain/ports/sources.ts';
import type { WebhookConnector } from '../../src/domain/ports/webhook-connector.ts';
import type { WorkerControl } from '../../src/domain/ports/workers.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { scheduleCall } from '../../src/domain/time/schedule.ts';
import { createIngress } from '../../src/ingress/create-ingress.ts';
import { BackfillMarks, markBackfills } from '../../src/ingress/log/backfill-marks.ts';
import { CaptureWindows } from '../../src/ingress/log/capture-window.ts';
import { UrlProbes } from '../../src/ingress/log/url-probes.ts';
import { createServing } from '../../src/ingress/registry/create-serving.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { createReplays } from '../../src/ingress/replay/create-replays.ts';
import { EventHub } from '../../src/operations/events/event-hub.ts';
import { createEventSources } from '../../src/operations/events/feed-events.ts';
import { createHealth } from '../../src/operations/health/health.ts';
import type { Metrics } from '../../src/operations/observability/metrics/metrics.ts';
import { createWebhookConnector } from '../../src/outbound/connect/create-connector.ts';
import { Parts } from '../../src/platform/parts.ts';
import { createNotifyingSecretStore } from '../../src/platform/secrets/notifying-secret-store.ts';
import type { Reconcilers } from '../../src/reconcile/create-reconcilers.ts';
import type { FactoryEditor } from '../../src/reconcile/edit/factory-editor.ts';
import type { FactoryContext } from '../../src/reconcile/factory-context.ts';
import { createLiveSource } from '../../src/reconcile/source/live-source.ts';
import { createManagedSource } from '../../src/reconcile/source/managed-source.ts';
import { wireDefinitions } from '../../src/reconcile/wire-definitions.ts';
import { composeTerms, createRunDispatcher } from '../../src/runs/create-run-dispatcher.ts';
import type { Dispatcher } from '../../src/runs/dispatcher.ts';
import { createRunArtifacts } from '../../src/runs/executors/files/run-artifacts.ts';
import { createRunLogReader, createRunLogWriter } from '../../src/runs/executors/log/run-log.ts';
import type { SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { silentLogger } from './command-runs.ts';
import { ENDLESS_TERM } from './endless-term.ts';
import { deferToFileEnd } from './file-endings.ts';
import { createTempDir } from './temp-dir.ts';
import { validateHere } from './validate-here.ts';
import { createMemoryRecords } from './worker-claims.ts';

/** The configuration of the seeded daemon: two factories whose runs workers claim. */
export const CONFIG = await loadConfig({
  file: null,
  env: {},
  overrides: {
    baseUrl: 'https://hooks.example.com',
    ingress: { port: 0 },
    factories: ['payments', 'other'].map((name) => ({
      name,
      source: { type: 'repository', url: 'https://user:hunter2@git.example/p.git', branch: 'main', path: '.' },
    })),
  },
});

/** Differences of the factory `payments` from the configuration. */
export interface SeededFactory {
  /** `repository` if omitted. The two other sources are hosted, so they can be edited. */
  source?: 'repository' | 'managed' | 'live';
  /** The executor of the daemon. If omitted, workers claim the runs. */
  executor?: Executor;
}

export interface SeededEngineParts {
  storage: SqliteStorage;
  secrets: SecretStore & SecretHistory;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
  metrics: Metrics;
}

/** Creates live webhooks from definitions and runs from deliveries, wired by the functions that wire the daemon. */
export interface SeededEngine {
  replays: ReplayControl;
  workers: WorkerControl;
  runControl: RunControl;
  drain: DrainControl;
  pauses: PauseControl;
  runLogs: RunLogReader;
  artifacts: RunArtifacts;
  secrets: SecretStore & SecretHistory;
  reconcilers: Reconcilers;
  editor: FactoryEditor;
  events: EventHub;
  captures: CaptureWindows;
  health: ApiModules['operation']['health'];
  sendTestDelivery: SendTestDelivery;
  backfill: BackfillControl;
  connector: WebhookConnector;
  /** Runs of that factory were stored. */
  wake(factory: string): void;
  /**
   * Does what a daemon does at its start: makes the applied definition live, recovers runs, and reconciles a hosted factory.
   * Tests that need it call it, for example to read a hosted factory before its first edit.
   */
  start(): Promise<void>;
}

/** The modules on a seeded storage. They start when a test needs them, because most tests only read. */
export function createSeededEngine(
  parts: SeededEngineParts,
  { source = 'repository', executor }: SeededFactory,
): SeededEngine {
  const { storage, clock, ids, randomBytes, metrics } = parts;
  const logger = silentLogger;
  const registry = new Registry();
  const events = new EventHub(clock, 'epoch');
  const findWebhook = (ref: number) => registry.findByRef(ref);
  const { runReader: runs, deliveryReader: deliveries } = storage;
  const reports = createEventSources({ hub: events, findWebhook, runs, deliveries, logger });
  const live = new LiveFactories(registry, (factory) => findPushTrigger(CONFIG.factories, factory));
  const { inventory, inventoryReader } = storage;
  const { reconcilers, editor, adoptSecret } = wireDefinitions({
    factories: CONFIG.factories,
    webhooksPerFactory: CONFIG.limits.webhooksPerFactory,
    openSource: ({ name }) => openSource(name === 'payments' ? source : 'repository', storage, name),
    validate: validateHere,
    inventory,
    names: storage.factoryNames,
    folders: { settle: async () => {}, onChange: () => {} },
    inventoryReader,
    secrets: parts.secrets,
    serving: createServing(inventory.apply, live),
    onReconciled: reports.onReconciled,
    onTimedPass: () => {},
    schedule: neverRetry,
    clock,
    ids,
    randomBytes,
    logger,
  });
  const secrets = createNotifyingSecretStore(parts.secrets, () => reconcilers.onSecretChanged());
  const runLogs = createRunLogs(clock);
  const dispatcher = createRunDispatcher({
    terms: composeTerms(CONFIG.factories, new Map(executor === undefined ? [] : [['payments', executor]])),
    storage,
    logs: runLogs,
    observer: metrics.runs,
    secrets,
    startRecords: createMemoryRecords(),
    onRunChanged: (run) => reports.onRunsChanged([run]),
    clock,
    logger,
  });
  const health = createHealth({
    storage,
    databaseLock: { isForeign: false },
    listWarnings: () => [],
    schedule: scheduleCall,
  });
  const publish = publishEngine({
    deliveryRecorded: ({ entry, outcome }) => reports.onRecorded(entry, outcome),
    runsCreated: ({ factory }) => dispatcher.wake(factory),
    pushReceived: ({ factory, trace }) => reconcilers.onPush(factory, trace),
  });
  const captures = new CaptureWindows(clock);
  const backfillMarks = new BackfillMarks();
  let ingressUrl = '';
  const ingress = createIngress({
    config: CONFIG,
    storage,
    registry,
    secretHistory: secrets,
    adoptSecret,
    sockets: [],
    onListening: (url) => {
      ingressUrl = url;
    },
    isReady: async () => (await health.ready()).ready,
    findClientAddress: createClientAddresses([]).find,
    hurry: new AbortController().signal,
    metrics,
    tracer: null,
    captures,
    urlProbes: new UrlProbes(),
    backfillMarks,
    publish,
    clock,
    ids,
    logger,
  });
  const replays = createReplays({
    replays: storage.replays,
    deliveries,
    registry,
    recorder: ingress.recorder,
    tracer: null,
    onRecorded: (entry, outcome) => publish('deliveryRecorded', { entry, outcome }),
    onRunsCreated: (factory, created) => publish('runsCreated', { factory, runs: created }),
    clock,
    ids,
    logger,
  });
  const start = once(async () => {
    await reconcilers.serveAll();
    deferToFileEnd(() => dispatcher.stop({ graceMs: 0, why: 'the test has ended' }));
    await dispatcher.start();
    await dispatcher.lead(ENDLESS_TERM);
    await replays.start(ENDLESS_TERM);
    if (source !== 'repository') await reconcilers.reconcileNow('payments');
  });
  const listenOnce = once(async () => {
    deferToFileEnd(async () => {
      await replays.stop();
      await ingress.part.stop!({ hurry: new AbortController().signal });
    });
    await ingress.part.start!();
  });
  return {
    start,
    secrets,
    reconcilers,
    events,
    captures,
    health,
    runLogs: runLogs.reader,
    artifacts: createArtifacts(),
    editor: startBefore(start, editor),
    replays: startBefore(start, replays.control),
    ...controlRuns(start, dispatcher),
    wake: (factory) => dispatcher.wake(factory),
    sendTestDelivery: async (...delivery) => {
      await start();
      await listenOnce();
      const baseUrl = () => CONFIG.baseUrl!;
      return createTestDeliverySender({ secrets, clock, ids, ingressUrl: () => ingressUrl, baseUrl })(...delivery);
    },
    backfill: {
      post: async (...delivery) => {
        await start();
        await listenOnce();
        const { verifyOriginal } = ingress;
        const marks = markBackfills(backfillMarks);
        const target = { secrets, clock, ids, ingressUrl: () => ingressUrl, baseUrl: () => CONFIG.baseUrl! };
        return createBackfill({ ...target, verifyOriginal, marks }).post(...delivery);
      },
    },
    connector: createWebhookConnector({
      inventory: inventoryReader,
      secrets,
      baseUrl: () => CONFIG.baseUrl!,
      listSettings: () => [],
      userAgent: 'dockbell/test',
      nowMs: () => clock.wallMs(),
    }),
  };
}

function publishEngine(on: Handlers): Publish {
  const parts = new Parts(silentLogger);
  parts.add({ name: 'engine', on });
  return parts.publish;
}

function controlRuns(start: () => Promise<void>, dispatcher: Dispatcher) {
  const { workers, drain, pauses } = dispatcher;
  const { cancel, retry } = startBefore(start, {
    cancel: dispatcher.cancel.bind(dispatcher),
    retry: dispatcher.retry.bind(dispatcher),
  });
  const runControl: RunControl = { cancel, retry, explainWait: (run) => dispatcher.explainWait(run) };
  const asked = startBefore(start, {
    claim: workers.claim.bind(workers),
    heartbeat: workers.heartbeat.bind(workers),
    complete: workers.complete.bind(workers),
    start: workers.start.bind(workers),
    handBack: workers.handBack.bind(workers),
  });
  return {
    runControl,
    workers: { ...asked, claimable: () => workers.claimable(), list: () => workers.list() },
    drain,
    pauses,
  };
}

/** Replaces timers: a failed pass is not repeated later. */
const neverRetry = () => () => undefined;

/** Replaces a git host, which tests cannot reach. The branch stays at the applied commit. */
const APPLIED_SOURCE: DefinitionSource = {
  fetch: async () => ({ ok: true, revision: 'c0ffee' }),
  readTree: async () => ({ ok: false, reason: 'RepositoryUnreachable', message: 'There is no repository.' }),
  describe: async () => null,
  contains: async (revision, earlier) => (revision.startsWith(earlier) ? 'yes' : 'no'),
  watch: () => undefined,
  close: async () => undefined,
};

function openSource(
  type: NonNullable<SeededFactory['source']>,
  { liveDefinitions }: SqliteStorage,
  factory: string,
): Pick<FactoryContext, 'source' | 'hosted' | 'sourceKey'> {
  // The source of the seeded factories. Another source takes over the applied definition.
  if (type === 'repository') return { source: APPLIED_SOURCE, hosted: null, sourceKey: 'main .' };
  const hosted =
    type === 'live'
      ? createLiveSource(liveDefinitions, factory)
      : createManagedSource(join(createTempDir('managed'), `${factory}.git`), process.env);
  return { source: hosted, hosted, sourceKey: type };
}

/** Contains the log of the seeded run. */
const SEEDED_LOGS = fileURLToPath(new URL('../fixtures/run-logs', import.meta.url));

/** Logs of runs. The first write copies the seeded logs, so that no test changes them. */
/** The folder is created with the first request for an artifact. */
function createArtifacts(): RunArtifacts {
  let opened: RunArtifacts | undefined;
  const open = () => {
    opened ??= createRunArtifacts(createTempDir('run-artifacts'));
    return opened;
  };
  return {
    sizes: async (owner) => open().sizes(owner),
    open: async (...which) => open().open(...which),
    store: async (...part) => open().store(...part),
  };
}

function createRunLogs(clock: Clock): RunLogWriter & { reader: RunLogReader } {
  let dir = SEEDED_LOGS;
  const openWriter = () => {
    if (dir === SEEDED_LOGS) {
      dir = createTempDir('run-logs');
      cpSync(SEEDED_LOGS, dir, { recursive: true });
    }
    return createRunLogWriter(dir, clock);
  };
  return {
    begin: (run) => openWriter().begin(run),
    append: async (run, text) => (text === '' ? undefined : openWriter().append(run, text)),
    reader: {
      read: (...range) => createRunLogReader(dir).read(...range),
      times: (...range) => createRunLogReader(dir).times(...range),
    },
  };
}

/** The same port, but starts the engine before each operation. All operations must be asynchronous. */
function startBefore<Port extends object>(start: () => Promise<void>, port: Port): Port {
  type Operation = (...args: unknown[]) => Promise<unknown>;
  const operations = Object.entries(port as Record<string, Operation>);
  const wrapped = operations.map(([name, operation]): [string, Operation] => [
    name,
    (...args) => start().then(() => operation(...args)),
  ]);
  return Object.fromEntries(wrapped) as Port;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}
