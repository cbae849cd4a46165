import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDeliverySender, type SendTestDelivery } from '../../src/api/webhooks/send-test-delivery.ts';
import { createSecretAdoption } from '../../src/app/adopt-secret.ts';
import type { ApiModules } from '../../src/app/compose-api.ts';
import { createEventSources, type EventSources } from '../../src/app/feed-events.ts';
import { Lifetime } from '../../src/app/lifetime.ts';
import { openIngress } from '../../src/app/open-ingress.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { IdSource, RandomBytes } from '../../src/core/ids.ts';
import type { DefinitionSource } from '../../src/core/ports/definitions/definition-source.ts';
import type { ReplayControl } from '../../src/core/ports/deliveries/replay-control.ts';
import type { Executor, RunLogReader, RunLogWriter } from '../../src/core/ports/runs/executor.ts';
import type { RunControl } from '../../src/core/ports/runs/run-control.ts';
import type { WorkerControl } from '../../src/core/ports/runs/worker-control.ts';
import type { SecretStore } from '../../src/core/ports/secret-store.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import { createFactoryEditor, type FactoryEditor } from '../../src/edit/factory-editor.ts';
import { EventHub } from '../../src/events/event-hub.ts';
import { createRunLogReader, createRunLogWriter } from '../../src/executors/log/run-log.ts';
import { createHealth } from '../../src/health/health.ts';
import { HandshakeRows, RejectionRows } from '../../src/ingress/log/capped-rows.ts';
import { CaptureWindows } from '../../src/ingress/log/capture-window.ts';
import { DeliveryRecorder } from '../../src/ingress/log/delivery-recorder.ts';
import { createReplayControl } from '../../src/ingress/replay-delivery.ts';
import type { Metrics } from '../../src/observability/metrics.ts';
import type { FactoryContext } from '../../src/reconcile/factory-context.ts';
import { Reconciler } from '../../src/reconcile/reconciler.ts';
import { activateLastApplied } from '../../src/registry/activate-last-applied.ts';
import { buildLiveWebhooks } from '../../src/registry/build-live-webhooks.ts';
import { Registry } from '../../src/registry/registry.ts';
import { createDispatcher, type Dispatcher } from '../../src/run/dispatcher.ts';
import type { FactoryExecutor } from '../../src/run/factory-queue.ts';
import type { WorkerTerms } from '../../src/run/run-leases.ts';
import { createNotifyingSecretStore } from '../../src/secrets/notifying-secret-store.ts';
import { createLiveSource } from '../../src/source/live-source.ts';
import { createManagedSource } from '../../src/source/managed-source.ts';
import type { SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { silentLogger } from './command-runs.ts';
import { deferToFileEnd } from './file-endings.ts';
import { createTempDir } from './temp-dir.ts';

/** The configuration of the seeded daemon: two factories whose runs workers claim. */
export const CONFIG = await loadConfig({
  ...{ file: null, env: {} },
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
  secrets: SecretStore;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
  metrics: Metrics;
}

/** Creates live webhooks from definitions and runs from deliveries, as `createEngine` does. */
export interface SeededEngine {
  replays: ReplayControl;
  workers: WorkerControl;
  runControl: RunControl;
  runLogs: RunLogReader;
  secrets: SecretStore;
  reconcilers: ReadonlyMap<string, Reconciler>;
  editor: FactoryEditor;
  events: EventHub;
  captures: CaptureWindows;
  health: ApiModules['operation']['health'];
  sendTestDelivery: SendTestDelivery;
  /** Runs of that factory were stored. */
  wake(factory: string): void;
  /**
   * Does what a daemon does at its start: makes the applied definition live, recovers runs, and reconciles a hosted factory.
   * Tests that need it call it, for example to read a hosted factory before its first edit.
   */
  start(): Promise<void>;
}

/** The engine on a seeded storage. Its parts start when a test needs them, because most tests only read. */
export function createSeededEngine(
  parts: SeededEngineParts,
  { source = 'repository', executor }: SeededFactory,
): SeededEngine {
  const { storage, clock, ids, randomBytes } = parts;
  const { inventory } = storage;
  const registry = new Registry();
  const events = new EventHub(clock, 'epoch');
  const reports = createEventSources({ hub: events, registry, runs: storage.runReader, logger: silentLogger });
  const secrets = createNotifyingSecretStore(parts.secrets, () => {
    for (const reconciler of reconcilers.values()) reconciler.onSecretChanged();
  });
  const core = { ...parts, secrets, registry, reports };
  const reconcilers = createReconcilers(core, { source, executor });
  const find = (factory: string) => reconcilers.get(factory)!;
  const runLogs = createRunLogs(clock);
  const dispatcher = openDispatcher(core, runLogs, executor);
  const activation = { inventory, secrets, registry, logger: silentLogger, pushTrigger: () => null };
  const start = once(async () => {
    for (const { name } of CONFIG.factories) await activateLastApplied(activation, name);
    deferToFileEnd(() => dispatcher.stop(0));
    await dispatcher.start();
    if (source !== 'repository') await find('payments').reconcile();
  });
  const recorder = new DeliveryRecorder(storage.deliveryLog, reports.onRecorded);
  const replays = createReplayControl({
    ...{ registry, recorder, clock, ids, deliveries: storage.deliveryReader },
    onRunsCreated: (factory) => dispatcher.wake(factory),
  });
  const captures = new CaptureWindows(clock);
  const health = createHealth(storage, () => []);
  const adoptSecret = createSecretAdoption({
    ...{ ...activation, storage, clock },
    reconcilers: { betweenPasses: (factory, work) => find(factory).betweenPasses(work) },
  });
  const openIngressOnce = once(async () => {
    const lifetime = new Lifetime();
    deferToFileEnd(() => lifetime.end());
    const engine = {
      ...{ registry, recorder, captures, health, dispatcher, adoptSecret },
      rejectionRows: new RejectionRows((entry) => recorder.note(entry)),
      handshakeRows: new HandshakeRows((entry) => void storage.handshakeLog.append(entry)),
      reconcilers: { onPush: (factory: string) => find(factory).onPush() },
    };
    return openIngress({ ...parts, config: CONFIG, logger: silentLogger }, engine, lifetime);
  });
  const editor = createFactoryEditor({
    ...{ secrets, randomBytes, inventory: storage.inventoryReader },
    loop: {
      edit: (factory, edit) => find(factory).edit(edit),
      history: (factory, page) => find(factory).history(page),
    },
  });
  return {
    ...{ start, secrets, reconcilers, events, captures, health, runLogs: runLogs.reader },
    editor: startBefore(start, editor),
    replays: startBefore(start, replays),
    ...controlRuns(start, dispatcher),
    wake: (factory) => dispatcher.wake(factory),
    sendTestDelivery: async (...delivery) => {
      await start();
      const ingressUrl = await openIngressOnce();
      const baseUrl = () => CONFIG.baseUrl!;
      return createTestDeliverySender({ secrets, clock, ids, ingressUrl, baseUrl })(...delivery);
    },
  };
}

interface Core extends SeededEngineParts {
  registry: Registry;
  reports: EventSources;
}

function createReconcilers(
  { storage, registry, reports, ...parts }: Core,
  { source = 'repository', executor }: SeededFactory,
): Map<string, Reconciler> {
  const { secrets, clock, ids } = parts;
  const findLive = (factory: string) =>
    [...registry.current().webhooks.values()].filter((webhook) => webhook.factory === factory);
  const create = (name: string) => {
    const context: FactoryContext = {
      ...{ name, secrets, clock, ids, inventory: storage.inventory, logger: silentLogger },
      ...openSource(name === 'payments' ? source : 'repository', storage, name),
      ...{ validate: validateInPlace, pushWebhook: null, webhooksPerFactory: CONFIG.limits.webhooksPerFactory },
      hasExecutor: name === 'payments' && executor !== undefined,
      isLive: (webhook) => findLive(name).some((live) => live.name === webhook),
      activate: (applied, values, tokens) =>
        registry.replaceFactory(name, buildLiveWebhooks(applied, values, tokens, null)),
    };
    return new Reconciler(context, neverRetry, reports.onReconciled);
  };
  return new Map(CONFIG.factories.map(({ name }) => [name, create(name)]));
}

function openDispatcher(
  { storage, secrets, reports, clock }: Core,
  logs: RunLogWriter,
  executor: Executor | undefined,
): Dispatcher {
  const { runQueue: queue, runReader: runs } = storage;
  const executors = new Map<string, FactoryExecutor>();
  const workers = new Map<string, WorkerTerms>();
  for (const { name, runs } of CONFIG.factories) {
    if (name === 'payments' && executor !== undefined) executors.set(name, { ...runs, executor });
    else workers.set(name, { ...runs, hasExecutor: runs.executor !== null });
  }
  const { onRunChanged } = reports;
  return createDispatcher({
    queue,
    runs,
    executors,
    localExecutors: ['command'],
    workers,
    logs,
    secrets,
    onRunChanged,
    clock,
    logger: silentLogger,
  });
}

function controlRuns(start: () => Promise<void>, { workers, ...runs }: Dispatcher) {
  const { cancel, retry } = startBefore(start, { cancel: runs.cancel, retry: runs.retry });
  const runControl: RunControl = { cancel, retry, explainWait: runs.explainWait };
  const asked = startBefore(start, {
    claim: workers.claim.bind(workers),
    heartbeat: workers.heartbeat.bind(workers),
    complete: workers.complete.bind(workers),
  });
  return { runControl, workers: { ...asked, claimable: () => workers.claimable() } };
}

/** Replaces timers: a failed pass is not repeated later. */
const neverRetry = () => () => undefined;

/** In this thread. The daemon uses another one. */
export const validateInPlace: FactoryContext['validate'] = async (tree, context) => validateTree(tree, context);

/** Replaces a git host, which tests cannot reach. The branch stays at the applied commit. */
const APPLIED_SOURCE: DefinitionSource = {
  fetch: async () => ({ ok: true, revision: 'c0ffee' }),
  readTree: async () => ({ ok: false, reason: 'RepositoryUnreachable', message: 'There is no repository.' }),
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
    reader: { read: (...range) => createRunLogReader(dir).read(...range) },
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
