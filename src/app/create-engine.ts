import type { Config } from '../config/config.ts';
import { messageOf } from '../core/errors.ts';
import type { RunId } from '../core/ids.ts';
import type { InventoryReader } from '../core/ports/definitions/inventory.ts';
import type { ReplayControl } from '../core/ports/deliveries/replay-control.ts';
import type { EventFeed } from '../core/ports/event-feed.ts';
import type { StartRecords } from '../core/ports/runs/executor.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Reconciliation } from '../core/reconciliation.ts';
import type { Run } from '../core/resources/run.ts';
import { EventHub } from '../events/event-hub.ts';
import { builtFile } from '../files/package-files.ts';
import { addLiveConditions } from '../health/add-live-conditions.ts';
import { createHealth, type Health } from '../health/health.ts';
import { createLiveConditions, type LiveConditions } from '../health/live-conditions.ts';
import { createMissingExecutorWarning } from '../health/warn-of-missing-executor.ts';
import type { AdoptSecret } from '../ingress/ingress-context.ts';
import { HandshakeRows, RejectionRows } from '../ingress/log/capped-rows.ts';
import { CaptureWindows } from '../ingress/log/capture-window.ts';
import { DeliveryRecorder } from '../ingress/log/delivery-recorder.ts';
import { createReplayControl } from '../ingress/replay-delivery.ts';
import { DefinitionsThread } from '../inspection/definitions-thread.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { FactoryContext } from '../reconcile/factory-context.ts';
import { activateLastApplied } from '../registry/activate-last-applied.ts';
import { buildLiveWebhooks, type PushTrigger } from '../registry/build-live-webhooks.ts';
import { Registry } from '../registry/registry.ts';
import type { Dispatcher } from '../run/dispatcher.ts';
import { createNotifyingSecretStore } from '../secrets/notifying-secret-store.ts';
import { createSecretAdoption } from './adopt-secret.ts';
import { createNotifier } from './create-notifier.ts';
import { createReconcilers, type Reconcilers } from './create-reconcilers.ts';
import { createRunDispatcher, prepareRunUsers } from './create-run-dispatcher.ts';
import { createEventSources } from './feed-events.ts';
import type { Foundation } from './open-foundation.ts';

/** Where commands are looked for when the daemon itself has no `PATH`. */
const DEFAULT_COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';

/** What turns commits into live webhooks and deliveries into runs. */
export interface Engine {
  registry: Registry;
  reconcilers: Reconcilers;
  notifier: Notifier;
  /** What is applied, with the conditions that no pass knows. */
  inventoryReader: InventoryReader;
  conditions: LiveConditions;
  dispatcher: Dispatcher;
  recorder: DeliveryRecorder;
  rejectionRows: RejectionRows;
  replays: ReplayControl;
  events: EventFeed;
  captures: CaptureWindows;
  handshakeRows: HandshakeRows;
  adoptSecret: AdoptSecret;
  /** Tells the reconcilers of every value that comes. */
  secrets: SecretStore;
  startRecords: StartRecords;
  health: Health;
}

export interface EngineHooks {
  openStartRecords(dir: string): StartRecords;
  onRunEnded: ((run: Run) => void) | undefined;
}

/** Builds the engine and makes live what was applied last, so that it serves also while git cannot be reached. */
export async function createEngine(
  foundation: Foundation,
  { openStartRecords, onRunEnded }: EngineHooks,
): Promise<Engine> {
  const { config, env, storage, logger } = foundation;
  const commandPath = env.PATH ?? DEFAULT_COMMAND_PATH;
  const runUsers = await prepareRunUsers(config, commandPath);
  const registry = new Registry();
  const pushTrigger = (factory: string) => findPushTrigger(config, factory);
  const activation = { inventory: storage.inventory, secrets: foundation.secrets, registry, logger, pushTrigger };
  for (const factory of config.factories) await activateLastApplied(activation, factory.name);

  const definitions = new DefinitionsThread(builtFile('inspection/definitions-worker.js'));
  const notifier = createNotifier(foundation);
  const events = new EventHub(foundation.clock, Buffer.from(foundation.randomBytes(6)).toString('hex'));
  const sources = createEventSources({ hub: events, registry, runs: storage.runReader, logger });
  const warnOfMissingExecutor = createMissingExecutorWarning(config, logger);
  const reportReconciliation = createReconciliationReport(foundation);
  const onReconciled = (reconciliation: Reconciliation) => {
    reportReconciliation(reconciliation);
    warnOfMissingExecutor(reconciliation);
    notifier.offer(reconciliation);
    sources.onReconciled(reconciliation);
    foundation.metrics.keepWebhooks(registry.current().webhooks.keys());
  };
  const activate: FactoryContext['activate'] = (applied, values, verifyTokens) =>
    registry.replaceFactory(applied.name, buildLiveWebhooks(applied, values, verifyTokens, pushTrigger(applied.name)));
  const isLive = (factory: string, name: string) =>
    [...registry.current().webhooks.values()].some((webhook) => webhook.factory === factory && webhook.name === name);
  const reconcilers = createReconcilers({ ...foundation, definitions, activate, isLive, onReconciled });

  const secrets = createNotifyingSecretStore(foundation.secrets, (name) => {
    reconcilers.onSecretChanged();
    notifier.onSecretChanged(name);
  });
  const conditions = createLiveConditions(foundation, registry);
  const startRecords = openStartRecords(foundation.paths.startRecords);
  const recorder = new DeliveryRecorder(storage.deliveryLog, sources.onRecorded);
  const dispatcher = createRunDispatcher({
    ...{ ...foundation, secrets, startRecords, commandPath, runUsers },
    onRunChanged: (run) => {
      sources.onRunChanged(run);
      if (onRunEnded !== undefined) void tellRunEnded(foundation, run, onRunEnded);
    },
  });
  return {
    ...{ registry, reconcilers, notifier, secrets, startRecords, recorder, dispatcher, events },
    inventoryReader: addLiveConditions(storage.inventoryReader, { notifier, dispatcher, conditions }),
    conditions,
    rejectionRows: new RejectionRows((entry) => recorder.note(entry)),
    replays: createReplayControl({
      ...{ ...foundation, registry, recorder, deliveries: storage.deliveryReader },
      onRunsCreated: (factory) => dispatcher.wake(factory),
    }),
    captures: new CaptureWindows(foundation.clock),
    handshakeRows: new HandshakeRows((entry) => {
      storage.handshakeLog
        .append(entry)
        .catch((error) => logger.warn({ problem: messageOf(error) }, 'a handshake could not be logged'));
    }),
    adoptSecret: createSecretAdoption({ ...activation, storage, reconcilers, clock: foundation.clock }),
    health: createHealth(storage, () => listWarnings(config, conditions)),
  };
}

/** What `/readyz` adds: no reason to send deliveries elsewhere, but somebody has to do something. */
function listWarnings({ factories }: Config, conditions: LiveConditions): string[] {
  const ofFactories = factories.flatMap(({ name }) =>
    conditions.ofFactory(name).map(({ message }) => `factory ${name}: ${message}`),
  );
  return [...conditions.ofDaemon().map(({ message }) => message), ...ofFactories];
}

function findPushTrigger({ factories }: Config, name: string): PushTrigger | null {
  const source = factories.find((factory) => factory.name === name)?.source;
  if (source?.type !== 'repository' || source.pushWebhook === null) return null;
  return { webhook: source.pushWebhook, branch: source.branch };
}

/**
 * One line for each pass that did or found something new. A pass that fails as the one before it did gets the same row,
 * and no second line.
 */
function createReconciliationReport({ logger, metrics }: Foundation): (reconciliation: Reconciliation) => void {
  const reported = new Map<string, string>();
  return ({ id, factory, revision, result, reason, message, startedAt, finishedAt }) => {
    metrics.countReconciliation(factory, result);
    if (reported.get(factory) === id) return;
    reported.set(factory, id);
    const fields = { factory, revision, result, reason, durationMs: finishedAt - startedAt };
    if (result === 'applied') logger.info(fields, message);
    else if (result !== 'unchanged') logger.warn(fields, message);
  };
}

/** The dispatcher has logged it; whoever runs the daemon in its own process may want to see the run. */
async function tellRunEnded({ storage }: Foundation, id: RunId, onRunEnded: (run: Run) => void): Promise<void> {
  const run = await storage.runReader.get(id).catch(() => null);
  if (run !== null && run.state !== 'queued' && run.state !== 'running') onRunEnded(run);
}
