import { loadConfig } from '../config/load-config.ts';
import type { JsonObject } from '../core/json.ts';
import type { InventoryReader } from '../core/ports/definitions/inventory.ts';
import type { ReconcileControl } from '../core/ports/definitions/reconciler.ts';
import type { StartRecords } from '../core/ports/runs/executor.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Run } from '../core/resources/run.ts';
import { measureUptimeMs } from '../core/time/steady-clock.ts';
import { removeDaemonFile, writeDaemonFile } from '../data-dir/daemon-file.ts';
import { createRunFiles } from '../executors/files/run-files.ts';
import { createRunSpace } from '../executors/files/run-space.ts';
import { createStartRecords } from '../executors/start-records.ts';
import { readPackageVersion } from '../files/package-version.ts';
import { type DatabaseChecks, startDatabaseChecks } from '../health/database-checks.ts';
import { startHousekeeping } from '../housekeeping/housekeeping.ts';
import { createEngine, type Engine } from './create-engine.ts';
import { Lifetime } from './lifetime.ts';
import { type Admin, openAdmin } from './open-admin.ts';
import { type Environment, type Foundation, type LogTarget, openFoundation } from './open-foundation.ts';
import { openIngress } from './open-ingress.ts';

export interface DaemonOptions {
  /** Path of `dockbell.yaml`; `null` for none. */
  configFile: string | null;
  /** Wins over `dataDir` of the configuration. */
  dataDir?: string;
  /** Further keys that win over the configuration, as the file would write them. */
  overrides?: JsonObject;
  env: Environment;
  log: LogTarget;
  /** Makes what keeps the startRecords of started runs; files in the data directory where absent. */
  openStartRecords?: (dir: string) => StartRecords;
  /** Done when the secrets are open and before the first commit is looked at. */
  beforeWork?: (secrets: SecretStore) => Promise<void>;
  /** Told of every run that has ended. */
  onRunEnded?: (run: Run) => void;
}

/** A daemon that serves. */
export interface Daemon extends Omit<Admin, 'url'> {
  ingressUrl: string;
  adminUrl: string;
  /** Names of the factories in the configuration. */
  factories: readonly string[];
  /** For whoever runs the daemon in its own process; none of it is reachable from outside. */
  secrets: SecretStore;
  inventory: InventoryReader;
  reconcile: ReconcileControl;
  /** Stops cleanly; later calls share the first one. */
  stop(): Promise<void>;
  /** Resolves with the exit code when the daemon has ended: 0 after `stop`, 1 when it had to give up. */
  exited: Promise<number>;
}

/**
 * Starts a daemon: foundation, engine, listeners, then the work. Throws an `AppError` where it cannot start; nothing
 * goes on then.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const overrides: JsonObject = { ...options.overrides };
  if (options.dataDir !== undefined) overrides.dataDir = options.dataDir;
  const config = await loadConfig({ file: options.configFile, env: options.env, overrides });
  const lifetime = new Lifetime();
  try {
    const foundation = await openFoundation(config, options.env, lifetime, options.log);
    const { openStartRecords = createStartRecords, onRunEnded } = options;
    const engine = await createEngine(foundation, { openStartRecords, onRunEnded });
    await options.beforeWork?.(engine.secrets);
    lifetime.defer(() => stopWork(foundation, engine));
    const ingressUrl = await openIngress(foundation, engine, lifetime);
    const { url: adminUrl, ...entrance } = await openAdmin(foundation, engine, ingressUrl, lifetime);
    startWork(foundation, engine, lifetime);
    const checks = startDatabaseChecks(foundation.paths.database, foundation.logger);
    lifetime.defer(() => checks.stop());
    await announce(foundation, ingressUrl, adminUrl, lifetime);
    const factories = config.factories.map(({ name }) => name);
    return { ingressUrl, adminUrl, factories, ...entrance, ...composeHandle(foundation, engine, lifetime, checks) };
  } catch (error) {
    await lifetime.end();
    throw error;
  }
}

/** Runs are taken up, commits are followed, what is too old goes. A start that fails has begun none of it. */
function startWork(foundation: Foundation, engine: Engine, lifetime: Lifetime): void {
  const { config, paths, storage, logger } = foundation;
  engine.dispatcher.start().catch((error) => logger.error({ err: error }, 'runs cannot be taken up'));
  engine.notifier.start();
  engine.reconcilers.start();
  const housekeeping = startHousekeeping({
    ...{ ...foundation, ...engine, policy: config.retention, retention: storage.retention, runs: storage.runReader },
    uptimeMs: measureUptimeMs,
    files: createRunFiles({
      ...{ runsDir: config.runsDir, logsDir: paths.runLogs, startRecordsDir: paths.startRecords },
      startRecords: engine.startRecords,
    }),
    space: createRunSpace({ runsDir: config.runsDir, logsDir: paths.runLogs, clock: foundation.clock }),
  });
  lifetime.defer(() => housekeeping.stop());
}

/** After the listeners have closed: what they took in is written, and the runs that it woke are stopped with the rest. */
async function stopWork({ config }: Foundation, engine: Engine): Promise<void> {
  await engine.reconcilers.stop();
  await engine.notifier.stop();
  await engine.dispatcher.stop(config.shutdownGraceMs);
}

async function announce({ paths, logger }: Foundation, ingressUrl: string, adminUrl: string, lifetime: Lifetime) {
  const version = readPackageVersion();
  lifetime.defer(() => removeDaemonFile(paths.daemonFile));
  await writeDaemonFile(paths.daemonFile, { pid: process.pid, ingress_url: ingressUrl, admin_url: adminUrl, version });
  logger.info({ ingressUrl, adminUrl, version }, 'dockbell serves');
}

/** The storage that can promise nothing ends the daemon too: not ready at once, nothing accepted, exit code 1. */
function composeHandle(foundation: Foundation, engine: Engine, lifetime: Lifetime, { damaged }: DatabaseChecks) {
  const { storageBroken, logger } = foundation;
  let ending: Promise<number> | null = null;
  let resolveExited!: (code: number) => void;
  const exited = new Promise<number>((resolve) => {
    resolveExited = resolve;
  });
  const end = (code: number) => {
    ending ??= endCleanly(foundation, engine, lifetime, code);
    return ending.then(resolveExited);
  };
  void Promise.race([storageBroken, damaged]).then((error) => {
    engine.health.fail(error.message);
    logger.error({ err: error }, 'the storage is broken: the daemon stops, start it again to recover');
    return end(1);
  });
  return {
    secrets: engine.secrets,
    reconcile: engine.reconcilers,
    inventory: engine.inventoryReader,
    stop: () => end(0),
    exited,
  };
}

/** Resolves with the exit code: `code`, or 1 where something could not be stopped. */
async function endCleanly(
  { logger }: Foundation,
  { health }: Engine,
  lifetime: Lifetime,
  code: number,
): Promise<number> {
  logger.info({}, 'daemon stopping');
  health.fail('the daemon is stopping');
  try {
    await lifetime.end();
  } catch (error) {
    logger.error({ err: error }, 'the daemon did not stop cleanly');
    return 1;
  }
  logger.info({}, 'daemon stopped');
  return code;
}
