import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { createLiveConfig, type LiveConfig } from '../config/live-config.ts';
import { loadConfig } from '../config/load-config.ts';
import { createClientAddresses } from '../domain/client-address.ts';
import type { JsonObject } from '../domain/json.ts';
import type { DeliveryLogEntry, NewRun, RecordOutcome } from '../domain/resources/delivery.ts';
import type { SecretValue } from '../domain/secret-value.ts';
import { systemClock } from '../domain/time/clock.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import { createServing } from '../ingress/registry/create-serving.ts';
import { LiveFactories } from '../ingress/registry/live-factories.ts';
import { TickLoop } from '../ingress/schedules/tick-loop.ts';
import { addLiveConditions } from '../operations/health/add-live-conditions.ts';
import { createHealth } from '../operations/health/health.ts';
import { createLiveConditions, listWarnings } from '../operations/health/live-conditions.ts';
import { RunSecrets } from '../operations/health/run-secrets.ts';
import { removeDaemonFile, writeDaemonFile } from '../platform/data-dir/daemon-file.ts';
import { builtFile } from '../platform/files/package-files.ts';
import { limitYoungGeneration, sizeYoungGenerations } from '../platform/heap-limits.ts';
import { findReachable } from '../platform/listen.ts';
import { createNotifyingSecretStore } from '../platform/secrets/notifying-secret-store.ts';
import { createRequestChecks } from '../reconcile/pull-requests/create-request-checks.ts';
import { findRequestHint } from '../reconcile/pull-requests/find-request-hint.ts';
import { startReconcileThread } from '../reconcile/thread/start-reconcile-thread.ts';
import { NO_DATABASE_CHECKS, startDatabaseChecks } from '../storage/sqlite/disk/database-checks.ts';
import { composeDispatcher } from './compose-dispatcher.ts';
import { controlFactories } from './control-factories.ts';
import { createDoctor, createUrlProbe } from './create-doctor.ts';
import { createIngress } from './create-ingress.ts';
import type { Daemon, DaemonOptions } from './daemon.ts';
import { watchEnd } from './end-daemon.ts';
import { followReconciliations } from './follow-reconciliations.ts';
import { Lifetime } from './lifetime.ts';
import { observeDaemon } from './observe-daemon.ts';
import type { AdminParts } from './open-admin.ts';
import { openDaemonState } from './open-daemon-state.ts';
import { openGroup, waitForReplicas } from './open-group.ts';
import { openRunLogs } from './open-run-logs.ts';
import { findPushTrigger } from './push-trigger.ts';
import { createReload, logConfigWarnings } from './reload-config.ts';
import { startUpkeep } from './start-upkeep.ts';

/**
 * Starts a daemon: its state, what serves, then what works. Throws an `AppError` if it cannot start; nothing keeps
 * running then.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  // Payloads, sealed secrets and tokens are for this user alone (threat model S2), regardless of who created the folder.
  process.umask(0o077);
  sizeYoungGenerations();
  limitYoungGeneration();
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
  const state = await openDaemonState(live, options, lifetime);
  const { config, env, logger, service, sockets, paths, storage, openChannel, sealed, clock, steadyClock } = state;
  const { retentionTime, ids } = state;
  logConfigWarnings(config, logger);
  const hurry = new AbortController();
  const observers = await observeDaemon(state, hurry.signal, lifetime, () => group.state());
  const { backups, metrics, tracing, registry, events, sources, notifier, alerts, build } = observers;
  const opened = openGroup(
    state,
    observers,
    () => ({ ingress, dispatcher, reconciling, requestChecks, liveFactories, onSecretChanged: followStored }),
    lifetime,
  );
  const { group, admissions, beginFollowing, announce } = opened;
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
  registry.known.load(await storage.inventoryReader.webhookNames(), state.isConfigured);
  const ticks = new TickLoop({
    store: storage.schedules,
    findSource: (factory) => registry.tickSource(factory),
    setSource: (factory, source) => liveFactories.setTickSource(factory, source),
    explainPause: (factory, automation) => dispatcher.pauses.explain(factory, automation),
    clock,
    ids,
    schedule: scheduleCall,
    onRecorded: (entry, outcome) => onRecorded(entry, outcome),
    onRunsCreated: (factory, runs) => onRunsCreated(factory, runs),
    logger,
  });
  const liveFactories = new LiveFactories(registry, (factory) => findPushTrigger(config.factories, factory), {
    onChanged: (changes) => ticks.follow(changes),
    onRemoved: (factory) => ticks.remove(factory),
  });
  const requestChecks = createRequestChecks({
    config,
    paths,
    env,
    notifier,
    inventory: storage.inventory,
    secrets: sealed.secrets,
    openChannel,
    onChanged: sources.onPullRequestsChanged,
    clock: steadyClock,
    logger,
  });
  const reconciling = startReconcileThread({
    workerUrl: builtFile('reconcile/thread/worker.js'),
    settings: {
      factories: config.factories,
      webhooksPerFactory: config.limits.webhooksPerFactory,
      paths,
      env,
      readsWorkTrees: options.readsWorkTrees ?? false,
    },
    openChannel,
    serving: createServing(state.applyPacked, liveFactories, announce.applied),
    secrets: stored,
    onReconciled: followReconciliations({
      config,
      registry,
      notifier,
      alerts,
      requestChecks,
      metrics,
      runSecrets,
      sources,
      service,
      logger,
    }),
    onTimedPass: tracing?.onTimedPass ?? (() => {}),
    logger,
  });
  const retryWithSecret = (name: string) => {
    reconciling.onSecretChanged();
    notifier.onSecretChanged(name);
    alerts.onSecretChanged(name);
    requestChecks.onSecretChanged(name);
  };
  const followStored = (name: string) => {
    followSecret(name);
    if (group.isLeader) retryWithSecret(name);
  };
  const secrets = createNotifyingSecretStore(stored, (name) => {
    retryWithSecret(name);
    announce.secret(name);
  });
  await beginFollowing();
  await reconciling.serveAll();

  let adminUrl = '';
  const runLogs = await openRunLogs(state, { isLeader: () => group.isLeader }, lifetime);
  const shared = { secrets, runLogs, ...opened };
  const { dispatcher, openTerms, startRecords } = await composeDispatcher(state, observers, shared, {
    openStartRecords: options.openStartRecords,
    onRunEnded: options.onRunEnded,
    adminUrl: () => adminUrl,
  });
  const conditions = createLiveConditions(
    {
      config,
      steadyClock,
      retentionTime,
      drain: dispatcher.drain,
      pauses: dispatcher.pauses,
      backups: backups.scheduled,
      databaseLock: state.lock,
      alertFailures: alerts.failures,
      logger,
    },
    registry,
  );
  // The condition is logged when the lock changes, not when somebody asks.
  state.lock.onChange(() => conditions.ofDaemon());
  const health = createHealth({
    storage,
    databaseLock: state.lock,
    listWarnings: () => listWarnings(config, conditions),
    schedule: scheduleCall,
  });
  const notifyFailures = (factory: string) => [...notifier.failures(factory), ...requestChecks.failures(factory)];
  const inventory = addLiveConditions(storage.inventoryReader, {
    notifyFailures,
    dispatcher,
    conditions,
    runSecrets,
    registry,
    isConfigured: state.isConfigured,
  });
  const onRecorded = (entry: DeliveryLogEntry, outcome: RecordOutcome) => {
    sources.onRecorded(entry, outcome);
    alerts.onRecorded(entry, outcome);
    announce.recorded(entry);
    const factory = findRequestHint(registry, entry, outcome);
    if (factory === null) return;
    if (group.isLeader) requestChecks.onHint(factory);
    else announce.pullRequests(factory);
  };
  const onRunsCreated = (factory: string, runs: readonly NewRun[]) => {
    dispatcher.onRunsCreated(factory, runs);
    announce.startable(factory);
  };
  const clientAddresses = createClientAddresses(config.trustedProxies);
  const ingress = createIngress({
    config,
    findClientAddress: clientAddresses.find,
    storage,
    registry,
    secretHistory: stored,
    adoptSecret: reconciling.adoptSecret,
    sockets: sockets.ingress,
    health,
    hurry: hurry.signal,
    metrics,
    tracer: tracing?.deliveries ?? null,
    admissions,
    onRecorded,
    onRunsCreated,
    onPush: (factory, trace) => {
      if (group.isLeader) reconciling.onPush(factory, trace);
      else announce.push(factory, trace);
    },
    announceProbe: announce.probe,
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
    alerts,
    requestChecks,
    ingress,
    backups: backups.scheduled,
    service,
    logger,
  });
  await options.beforeWork?.(secrets);

  // After the listeners have closed: what they received is written, and the runs that it woke are stopped with the rest.
  lifetime.defer(async () => {
    await reconciling.stop();
    await requestChecks.stop();
    await notifier.stop(hurry.signal);
    await alerts.stop(hurry.signal);
    await dispatcher.stop({ graceMs: config.shutdownGraceMs, why: 'the daemon stopped' });
  });
  lifetime.defer(() => ingress.stop());
  lifetime.defer(() => ticks.stop());
  const ingressUrl = await ingress.start();
  const { url, ...entrance } = await state.openAdmin(
    {
      config,
      paths,
      storage,
      inventory,
      secrets,
      answers: sealed.answers,
      masterKey: sealed.masterKey,
      openChannel,
      reconcile: waitForReplicas(reconciling.control, group, logger),
      factories: controlFactories(reconciling.control, {
        pauses: dispatcher.pauses,
        alerts,
        known: registry.known,
        metrics,
        inventory: storage.inventoryReader,
        onRunsQueued: (factory) => dispatcher.wake(factory),
      }),
      editor: reconciling.editor,
      dispatcher,
      runLogs,
      reload,
      ingress,
      captures: opened.shareCaptures(ingress.captures),
      ingressUrl,
      socket: sockets.admin,
      events,
      health,
      hurry: hurry.signal,
      metrics,
      backups: backups.control,
      alerts: alerts.control,
      pullRequests: requestChecks.reader,
      doctor: createDoctor({
        config,
        paths,
        env,
        conditions,
        unreadHops: clientAddresses.unread,
        urlProbes: ingress.urlProbes,
        ids,
        ingressUrl,
      }),
      findClientAddress: clientAddresses.find,
      group,
      createOpenId: await prepareOpenId(config, state.clientSecret),
      base: { clock, steadyClock, ids, randomBytes, logger },
    },
    lifetime,
  );

  adminUrl = url;
  if (options.noNewRuns) dispatcher.drain.drain();
  const probePublicUrl = createUrlProbe({ config, urlProbes: ingress.urlProbes, ids, ingressUrl });
  dispatcher.start().catch((error) => logger.error({ err: error }, 'recovering runs failed'));
  group.onLead(() => {
    dispatcher.lead().catch((error) => logger.error({ err: error }, 'recovering runs failed'));
    ticks.start();
    ingress.replays.start().catch((error) => logger.error({ err: error }, 'continuing replays failed'));
    notifier.start();
    reconciling.start();
    requestChecks.start();
    alerts
      .start({ probePublicUrl, notifyFailures })
      .catch((error) => logger.error({ err: error }, 'starting alerts failed'));
  });
  startUpkeep(
    {
      config,
      paths,
      group,
      storage,
      startRecords,
      runLogs,
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
  const checks = config.storage.type === 'sqlite' ? startDatabaseChecks(paths.database, logger) : NO_DATABASE_CHECKS;
  lifetime.defer(() => checks.stop());

  lifetime.defer(() => removeDaemonFile(paths.daemonFile));
  await writeDaemonFile(paths.daemonFile, {
    pid: process.pid,
    ingress_url: ingressUrl,
    admin_url: adminUrl,
    version: build.version,
  });
  await group.start({ ingressUrl, adminUrl: config.replica.adminUrl ?? findReachable(adminUrl, config.admin.host) });
  logger.info({ ingressUrl, adminUrl, ...build }, 'daemon started');
  service.ready();
  const broken = Promise.race([state.storageBroken, checks.damaged]);
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
