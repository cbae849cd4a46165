import { randomBytes } from 'node:crypto';
import { readClientSecret } from '../api/openid/read-client-secret.ts';
import type { Config } from '../config/config.ts';
import { createLiveConfig, type LiveConfig } from '../config/live-config.ts';
import { loadConfig } from '../config/load-config.ts';
import { createIdSource } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { InventoryReader } from '../core/ports/definitions/inventory.ts';
import type { ReconcileControl } from '../core/ports/definitions/reconciler.ts';
import type { ReloadControl } from '../core/ports/reload-control.ts';
import type { StartRecords } from '../core/ports/runs/executor.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Environment } from '../core/reserved-variables.ts';
import type { Run } from '../core/resources/run.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { systemClock } from '../core/time/clock.ts';
import { removeDaemonFile, writeDaemonFile } from '../data-dir/daemon-file.ts';
import { EventHub } from '../events/event-hub.ts';
import { createEventSources } from '../events/feed-events.ts';
import { createRunLogWriter } from '../executors/log/run-log.ts';
import { createStartRecords } from '../executors/start-records.ts';
import { builtFile } from '../files/package-files.ts';
import { readPackageVersion } from '../files/package-version.ts';
import { addLiveConditions } from '../health/add-live-conditions.ts';
import { startDatabaseChecks } from '../health/database-checks.ts';
import { createHealth } from '../health/health.ts';
import { createLiveConditions, listWarnings } from '../health/live-conditions.ts';
import { createMetricProbes } from '../health/metric-probes.ts';
import { RunSecrets } from '../health/run-secrets.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics/metrics.ts';
import { createServing } from '../registry/create-serving.ts';
import { LiveFactories } from '../registry/live-factories.ts';
import { Registry } from '../registry/registry.ts';
import { createNotifyingSecretStore } from '../secrets/notifying-secret-store.ts';
import { createRedactingTransform, createRedactor } from '../secrets/redactor.ts';
import { readInheritedSockets } from '../systemd/inherited-sockets.ts';
import { createServiceNotifier, type ServiceNotifier } from '../systemd/service-notifier.ts';

import { controlFactories } from './control-factories.ts';
import { createBackups } from './create-backups.ts';
import { createDoctor } from './create-doctor.ts';
import { createIngress } from './create-ingress.ts';
import { createNotifier } from './create-notifier.ts';
import { composeTerms, createExecutors, createRunDispatcher, reportEnds } from './create-run-dispatcher.ts';
import { type DaemonEnd, watchEnd } from './end-daemon.ts';
import { followReconciliations } from './follow-reconciliations.ts';
import { limitYoungGeneration, sizeYoungGenerations } from './heap-limits.ts';
import { Lifetime } from './lifetime.ts';
import type { Admin, AdminParts } from './open-admin.ts';
import { openClocks, openDataDir, openSecrets } from './open-state.ts';
import { observeBoth, openTracing } from './open-tracing.ts';
import { findPushTrigger } from './push-trigger.ts';
import { startReconcileThread } from './reconcile-thread/start-reconcile-thread.ts';
import { createReload } from './reload-config.ts';
import { startUpkeep } from './start-upkeep.ts';

/** Where the log goes. */
export interface LogTarget {
  format: 'json' | 'text';
  /** Takes whole lines, for example `process.stdout`. */
  destination: { write(line: string): unknown };
}

export interface DaemonOptions {
  /** Path of `dockbell.yaml`; `null` for none. */
  configFile: string | null;
  /** Wins over `dataDir` of the configuration. */
  dataDir?: string;
  /** Further keys that win over the configuration, as the file would write them. */
  overrides?: JsonObject;
  /** Reads the files of local repositories as they are saved, not as they are committed. Default: no. */
  readsWorkTrees?: boolean;
  env: Environment;
  log: LogTarget;
  /** Creates what stores the start records of runs; files in the data directory if omitted. */
  openStartRecords?: (dir: string) => StartRecords;
  /** Called after the secrets are open and before the first reconciliation. */
  beforeWork?: (secrets: SecretStore) => Promise<void>;
  /** Starts in the state that `dockbell drain` sets: no run starts. */
  noNewRuns?: boolean;
  /** Called for every run that has ended. */
  onRunEnded?: (run: Run) => void;
}

/** A running daemon. */
export interface Daemon extends Omit<Admin, 'url'>, DaemonEnd {
  ingressUrl: string;
  adminUrl: string;
  /** Names of the factories in the configuration. */
  factories: readonly string[];
  /** For a caller that runs the daemon in its own process. None of it is reachable from outside. */
  secrets: SecretStore;
  inventory: InventoryReader;
  reconcile: ReconcileControl;
  service: ServiceNotifier;
  /** Reads the configuration again, and applies what needs no restart. */
  reload: ReloadControl['reload'];
}

/** Where commands are looked up if the daemon itself has no `PATH`. */
const DEFAULT_SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Starts a daemon: its state, what serves, then what works. Throws an `AppError` if it cannot start; nothing keeps
 * running then.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  // Payloads, sealed secrets and tokens are for this user alone (threat model S2), regardless of who created the folder.
  process.umask(0o077);
  sizeYoungGenerations();
  const overrides: JsonObject = { ...options.overrides };
  if (options.dataDir !== undefined) overrides.dataDir = options.dataDir;
  const readConfig = () => loadConfig({ file: options.configFile, env: options.env, overrides });
  const live = createLiveConfig(await readConfig());
  const lifetime = new Lifetime();
  try {
    return await composeDaemon({ live, readConfig }, options, lifetime);
  } catch (error) {
    await lifetime.end();
    throw error;
  }
}

/** Creates each module with what it uses. What is started is stopped in reverse order. */
async function composeDaemon(
  { live, readConfig }: { live: LiveConfig; readConfig: () => Promise<Config> },
  options: DaemonOptions,
  lifetime: Lifetime,
): Promise<Daemon> {
  const { env } = options;
  const { config } = live;
  const redactor = createRedactor();
  const redact = (text: string) => redactor.redactText(text);
  const logger = createLogger({ ...options.log, level: () => config.log.level, redact });
  const service = createServiceNotifier({ env, pid: process.pid, logger });
  lifetime.defer(() => service.close());
  const sockets = readInheritedSockets(env, process.pid, logger);
  const { paths, opening } = await openDataDir(config.dataDir, logger, lifetime);
  // The management API is most of the program: its code is compiled while the storage opens.
  const [{ storage, measures, openChannel, applyPacked, storageBroken }, { openAdmin }] = await Promise.all([
    opening,
    import('./open-admin.ts'),
  ]);
  const { steadyClock, retentionTime } = await openClocks(storage.retention);
  const clientSecret = await readClientSecret(config.admin.oidc);
  if (clientSecret !== null) redactor.add(clientSecret);
  const sealed = await openSecrets({ config, env, storage, redactor, logger, steadyClock });

  const clock = systemClock;
  const isConfigured = (factory: string) => config.factories.some(({ name }) => name === factory);
  const ids = createIdSource(randomBytes);
  const version = readPackageVersion();
  const backups = await createBackups({ config, paths, env, logger }, lifetime);
  const probes = createMetricProbes({
    storage,
    dataDir: config.dataDir,
    isConfigured,
    lastBackup: backups.lastTimes,
    nowMs: () => clock.wallMs(),
  });
  const metrics = createMetrics({ probes, writes: measures, version });
  const tracing = await openTracing({ config, env, metrics, version, logger }, lifetime);
  const registry = new Registry();
  const events = new EventHub(clock, Buffer.from(randomBytes(6)).toString('hex'));
  const findWebhook = (ref: number) => registry.findByRef(ref);
  const sources = createEventSources({ hub: events, findWebhook, runs: storage.runReader, logger });
  const notifier = createNotifier({
    config,
    storage,
    secrets: sealed.secrets,
    metrics,
    clock: steadyClock,
    ids,
    logger,
  });
  const followSecret = (name: string) => {
    ingress.onSecretChanged(name);
    runSecrets.onSecretChanged();
  };
  const stored = createNotifyingSecretStore(sealed.secrets, followSecret, followSecret);
  const runSecrets = new RunSecrets({
    inventory: storage.inventoryReader,
    secrets: sealed.secrets,
    nowMs: () => steadyClock.wallMs(),
  });
  registry.known.load(await storage.inventoryReader.webhookNames(), isConfigured);
  const liveFactories = new LiveFactories(registry, (factory) => findPushTrigger(config.factories, factory));
  const reconciling = startReconcileThread({
    workerUrl: builtFile('app/reconcile-thread/worker.js'),
    settings: {
      factories: config.factories,
      webhooksPerFactory: config.limits.webhooksPerFactory,
      paths,
      env,
      readsWorkTrees: options.readsWorkTrees ?? false,
    },
    openChannel,
    serving: createServing(applyPacked, liveFactories),
    secrets: stored,
    onReconciled: followReconciliations({
      config,
      registry,
      notifier,
      metrics,
      runSecrets,
      sources,
      service,
      logger,
    }),
    onTimedPass: tracing?.onTimedPass ?? (() => {}),
    logger,
  });
  const secrets = createNotifyingSecretStore(stored, (name) => {
    reconciling.onSecretChanged();
    notifier.onSecretChanged(name);
  });
  await reconciling.serveAll();

  const { runsDir } = config;
  const startRecords = (options.openStartRecords ?? createStartRecords)(paths.startRecords);
  const executorParts = {
    runsDir,
    logsDir: paths.runLogs,
    startRecords,
    searchPath: env.PATH ?? DEFAULT_SEARCH_PATH,
    maskOutput: createRedactingTransform,
    clock,
    logger,
  };
  const openTerms = async ({ factories }: Pick<Config, 'factories'>) =>
    composeTerms(factories, await createExecutors(factories, executorParts));
  const dispatcher = createRunDispatcher({
    terms: await openTerms(config),
    storage,
    logs: createRunLogWriter(paths.runLogs, clock),
    observer: tracing === null ? metrics.runs : observeBoth(metrics.runs, tracing.runs),
    secrets,
    onRunChanged: reportEnds(sources.onRunChanged, storage.runReader, options.onRunEnded),
    clock,
    logger,
  });
  const conditions = createLiveConditions(
    { config, steadyClock, retentionTime, drain: dispatcher.drain, backups: backups.scheduled, logger },
    registry,
  );
  const health = createHealth(storage, () => listWarnings(config, conditions));
  const inventory = addLiveConditions(storage.inventoryReader, {
    notifier,
    dispatcher,
    conditions,
    runSecrets,
    isConfigured,
  });
  const hurry = new AbortController();
  const ingress = createIngress({
    config,
    storage,
    registry,
    secretHistory: stored,
    adoptSecret: reconciling.adoptSecret,
    sockets: sockets.ingress,
    health,
    hurry: hurry.signal,
    metrics,
    tracer: tracing?.deliveries ?? null,
    onRecorded: sources.onRecorded,
    onRunsCreated: dispatcher.wake,
    onPush: reconciling.onPush,
    clock,
    ids,
    logger,
  });
  const { reload } = createReload({
    live,
    read: readConfig,
    openTerms,
    reconciling,
    factories: liveFactories,
    registry,
    inventory: storage.inventoryReader,
    dispatcher,
    notifier,
    ingress,
    backups: backups.scheduled,
    service,
    logger,
  });
  await options.beforeWork?.(secrets);

  // After the listeners have closed: what they received is written, and the runs that it woke are stopped with the rest.
  lifetime.defer(async () => {
    await reconciling.stop();
    await notifier.stop();
    await dispatcher.stop({ graceMs: config.shutdownGraceMs, why: 'the daemon stopped' });
  });
  lifetime.defer(() => ingress.stop());
  const ingressUrl = await ingress.start();
  const { url: adminUrl, ...entrance } = await openAdmin(
    {
      config,
      paths,
      storage,
      inventory,
      secrets,
      answers: sealed.answers,
      masterKey: sealed.masterKey,
      openChannel,
      reconcile: reconciling.control,
      factories: controlFactories(reconciling.control, {
        known: registry.known,
        metrics,
        inventory: storage.inventoryReader,
        onRunsQueued: dispatcher.wake,
      }),
      editor: reconciling.editor,
      dispatcher,
      reload,
      ingress,
      ingressUrl,
      socket: sockets.admin,
      events,
      health,
      hurry: hurry.signal,
      metrics,
      backups: backups.control,
      doctor: createDoctor({ config, paths, env, conditions, urlProbes: ingress.urlProbes, ids, ingressUrl }),
      createOpenId: await prepareOpenId(config, clientSecret),
      base: { clock, steadyClock, ids, randomBytes, logger },
    },
    lifetime,
  );

  if (options.noNewRuns) dispatcher.drain.drain();
  dispatcher.start().catch((error) => logger.error({ err: error }, 'recovering runs failed'));
  notifier.start();
  reconciling.start();
  startUpkeep(
    {
      config,
      paths,
      storage,
      startRecords,
      ingress,
      backups: backups.scheduled,
      conditions,
      clock,
      steadyClock,
      retentionTime,
      logger,
    },
    lifetime,
  );
  const checks = startDatabaseChecks(paths.database, logger);
  lifetime.defer(() => checks.stop());

  lifetime.defer(() => removeDaemonFile(paths.daemonFile));
  await writeDaemonFile(paths.daemonFile, { pid: process.pid, ingress_url: ingressUrl, admin_url: adminUrl, version });
  limitYoungGeneration();
  logger.info({ ingressUrl, adminUrl, version }, 'daemon started');
  service.ready();
  const broken = Promise.race([storageBroken, checks.damaged]);
  return {
    ingressUrl,
    adminUrl,
    ...entrance,
    factories: config.factories.map(({ name }) => name),
    secrets,
    inventory,
    reconcile: reconciling.control,
    service,
    reload,
    ...watchEnd({ health, dispatcher, limits: config, service, lifetime, hurry, broken, logger }),
  };
}

/** Loads the OpenID client only if the configuration names a provider. */
async function prepareOpenId(config: Config, secret: SecretValue | null): Promise<AdminParts['createOpenId']> {
  const { oidc } = config.admin;
  if (oidc === null) return () => null;
  const { createOpenIdProvider } = await import('../api/openid/openid-provider.ts');
  return (adminUrl) => {
    const parts = { redirectUri: () => `${adminUrl()}/auth/oidc/callback`, clock: systemClock };
    const provider = createOpenIdProvider({ ...oidc, clientSecret: secret?.reveal() ?? null }, parts);
    return { provider, rules: oidc, label: oidc.label };
  };
}
