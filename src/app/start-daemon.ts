// The composition root: the only room that knows all adapters. docs/architecture/start-and-stop.md follows a start.
// In: options of `dockbell serve`. Out: a running daemon (`daemon.ts`). `addParts` below is the list of everything that lives
// in a daemon. Each `open-*.ts` creates the parts of one subject with what they use; no rule of the domain is decided here.
// Next: `open-daemon-state.ts` for what all parts build on, `reload.ts`, `end-daemon.ts`.

import type { Config } from '../config/config.ts';
import { createLiveConfig, type LiveConfig } from '../config/live-config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { JsonObject } from '../domain/json.ts';
import { createClientAddresses } from '../domain/network/client-address.ts';
import type { Part } from '../domain/part.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import { UrlProbes } from '../ingress/log/url-probes.ts';
import { createUrlProbe } from '../operations/doctor/create-doctor.ts';
import { describeBackups } from '../operations/health/live-conditions.ts';
import { type Alerts, createAlerts } from '../outbound/alerts/create-alerts.ts';
import { removeDaemonFile, writeDaemonFile } from '../platform/data-dir/daemon-file.ts';
import { limitYoungGeneration, sizeYoungGenerations } from '../platform/heap-limits.ts';
import { findReachable } from '../platform/listen.ts';
import type { Daemon, DaemonOptions } from './daemon.ts';
import { watchEnd } from './end-daemon.ts';
import { type DaemonObservers, observeDaemon } from './observe-daemon.ts';
import type { openAdmin as OpenAdmin } from './open-admin.ts';
import { type DaemonState, openDaemonState, openParts } from './open-daemon-state.ts';
import { type Definitions, openDefinitions } from './open-definitions.ts';
import { openGroup } from './open-group.ts';
import { openHealth } from './open-health.ts';
import { openReceiving } from './open-receiving.ts';
import { openRuns } from './open-runs.ts';
import { openUpkeep } from './open-upkeep.ts';
import { createReload, logConfigWarnings } from './reload.ts';

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
  const opened = openParts(live, options);
  try {
    const composed = await composeDaemon({ live, readConfig, opened }, options);
    await options.beforeWork?.(composed.definitions.secrets);
    await opened.parts.start();
    return await serve(composed);
  } catch (error) {
    await opened.parts.stop();
    throw error;
  }
}

interface Setup {
  live: LiveConfig;
  readConfig: () => Promise<Config>;
  opened: ReturnType<typeof openParts>;
}

type ComposedDaemon = Awaited<ReturnType<typeof composeDaemon>>;

/** Opens the state of a daemon, and adds all parts. Nothing serves or works yet. */
export async function composeDaemon(setup: Setup, options: DaemonOptions) {
  // The management API is most of the program: its code is compiled while the storage opens.
  const [state, { openAdmin }] = await Promise.all([
    openDaemonState(setup.live, options, setup.opened),
    import('./open-admin.ts'),
  ]);
  logConfigWarnings(state.config, state.logger);
  return { state, ...(await addParts(state, { ...setup, openAdmin }, options)) };
}

/** Creates each part with what it uses. They start in the order in which they are added. */
async function addParts(
  state: DaemonState,
  { live, readConfig, openAdmin }: Setup & { openAdmin: typeof OpenAdmin },
  options: DaemonOptions,
) {
  const { config, parts, service, addresses, ids, logger } = state;
  const { replicas, watchdog } = openGroup(state);
  // Read by scrapes: nothing listens before all parts exist.
  const observers = await observeDaemon(state, replicas, { alertCounts: () => alerts.counts() });
  const definitions = openDefinitions(state, observers, replicas, options);
  const urlProbes = new UrlProbes({ announce: replicas.announceProbe, schedule: scheduleCall });
  const ingressUrl = () => addresses.ingress;
  const probePublicUrl = createUrlProbe({ config, urlProbes, ids, ingressUrl });
  const alerts = openAlerts(state, { observers, definitions, probePublicUrl });
  const runs = await openRuns(state, {
    ...options,
    replicas,
    watchdog,
    secrets: definitions.secrets,
    observers: [observers.metrics.runs, alerts.runs, ...(observers.tracing === null ? [] : [observers.tracing.runs])],
  });
  const { dispatcher } = runs;
  const health = openHealth(state, observers);
  const clientAddresses = createClientAddresses(config.trustedProxies);
  const receiving = openReceiving(state, {
    observers,
    replicas,
    definitions,
    urlProbes,
    health: health.health,
    dispatcher,
    findClientAddress: clientAddresses.find,
  });
  const { openTerms } = runs;
  const reload = createReload({ live, read: readConfig, openTerms, parts, drain: dispatcher.drain, service, logger });
  const admin = await openAdmin(state, {
    replicas,
    observers,
    definitions,
    runs,
    health,
    receiving,
    alerts,
    urlProbes,
    clientAddresses,
    reload,
  });
  parts.add(runs.part);
  const { damaged } = openUpkeep(state, {
    startRecords: runs.startRecords,
    runLogs: runs.logs,
    rows: receiving.ingress.rows,
    scheduledBackups: observers.backups.scheduled,
    conditions: health.conditions,
  });
  parts.add(showAddresses(state));
  return { replicas, definitions, dispatcher, health, admin, reload, damaged };
}

interface AlertSources {
  observers: DaemonObservers;
  definitions: Pick<Definitions, 'notifyFailures'>;
  probePublicUrl(): Promise<string | null>;
}

function openAlerts(state: DaemonState, { observers, definitions, probePublicUrl }: AlertSources): Alerts {
  const { config, storage, sealed, steadyClock, ids, parts, logger } = state;
  const { registry, backups, metrics } = observers;
  const alerts = createAlerts({
    config,
    storage,
    secrets: sealed.secrets,
    findWebhook: (ref) => registry.findByRef(ref),
    findBackupProblem: () => describeBackups(backups.scheduled)?.message ?? null,
    probePublicUrl,
    notifyFailures: definitions.notifyFailures,
    metrics,
    clock: steadyClock,
    ids,
    logger,
  });
  parts.add(alerts.part);
  return alerts;
}

/** Commands on this machine find the daemon by this file. */
function showAddresses({ paths, addresses, build }: DaemonState): Part {
  return {
    name: 'daemon file',
    start: () =>
      writeDaemonFile(paths.daemonFile, {
        pid: process.pid,
        ingress_url: addresses.ingress,
        admin_url: addresses.admin,
        version: build.version,
      }),
    stop: () => removeDaemonFile(paths.daemonFile),
  };
}

/** All parts work. Takes part in the group, and reports the start. */
async function serve({ state, ...modules }: ComposedDaemon): Promise<Daemon> {
  const { config, parts, service, addresses, build, hurry, logger } = state;
  const { replicas, definitions, dispatcher, health, admin } = modules;
  const { ingress: ingressUrl, admin: adminUrl } = addresses;
  replicas.group.onLead(() => parts.lead());
  await replicas.group.start({
    ingressUrl,
    adminUrl: config.replica.adminUrl ?? findReachable(adminUrl, config.admin.host),
  });
  logger.info({ ingressUrl, adminUrl, ...build }, 'daemon started');
  service.ready();
  const broken = Promise.race([state.storageBroken, modules.damaged]);
  return {
    ingressUrl,
    adminUrl,
    isFirstStart: admin.isFirstStart(),
    createStartLink: admin.createStartLink,
    factories: config.factories.map(({ name }) => name),
    secrets: definitions.secrets,
    inventory: health.inventory,
    reconcile: definitions.reconciling.control,
    service,
    reload: modules.reload,
    ...watchEnd({ health: health.health, dispatcher, limits: config, service, parts, hurry, broken, logger }),
  };
}
