import { stat, statfs } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { REQUEST_WINDOW_MS } from '../domain/alerts/alert-rules.ts';
import type { IdSource } from '../domain/ids.ts';
import type { AlertControl } from '../domain/ports/alerts/alert-control.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { AlertMetrics } from '../domain/ports/metrics.ts';
import type { UnacceptedKind } from '../domain/ports/replicas.ts';
import type { RunObserver } from '../domain/ports/runs/run-observer.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { ReconciliationEnd } from '../domain/reconciliation.ts';
import type { DeliveryLogEntry, RecordOutcome } from '../domain/resources/delivery.ts';
import type { Clock } from '../domain/time/clock.ts';
import { scheduleCall } from '../domain/time/schedule.ts';
import type { Registry } from '../ingress/registry/registry.ts';
import { describeBackups, type WatchedBackups } from '../operations/health/live-conditions.ts';
import { AlertWatch } from '../outbound/alerts/alert-watch.ts';
import { AlertSender } from '../outbound/alerts/delivery/alert-sender.ts';
import { PublicUrlWatch } from '../outbound/alerts/public-url-watch.ts';
import type { FolderSpace, RuleSources } from '../outbound/alerts/rules/finding.ts';
import { RequestTally } from '../outbound/alerts/rules/request-tally.ts';
import { readPackageVersion } from '../platform/files/package-version.ts';

export interface AlertParts {
  config: Pick<Config, 'alerts' | 'baseUrl' | 'dataDir' | 'runsDir' | 'factories' | 'admin'>;
  storage: Pick<
    Storage,
    'alertStore' | 'alertMessages' | 'alertReader' | 'inventoryReader' | 'runReader' | 'deliveryReader'
  >;
  secrets: Pick<SecretStore, 'resolve'>;
  registry: Pick<Registry, 'findByRef'>;
  backups: WatchedBackups;
  metrics: AlertMetrics;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** Sends a request through the public URL. Resolves with why it did not arrive; `null` if it did. */
type ProbePublicUrl = () => Promise<string | null>;

/** What the rules can only ask once the rest of the daemon exists. */
interface AlertProbes {
  probePublicUrl: ProbePublicUrl;
  notifyFailures: RuleSources['notifyFailures'];
}

/** The alerts of a daemon, and what they learn from its other parts. */
export interface Alerts {
  control: AlertControl;
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  /** Requests to this webhook that another replica did not accept. */
  noteUnaccepted(kind: UnacceptedKind, webhook: number, count: number): void;
  onReconciled(reconciliation: Pick<ReconciliationEnd, 'result'>): void;
  runs: RunObserver;
  onSecretChanged(name: string): void;
  counts: AlertWatch['counts'];
  /** The targets that cannot be reached. */
  failures(): { target: string; problem: string; since: number }[];
  onFactoryRenamed(): Promise<void>;
  /** The configuration has changed. */
  reload(): void;
  start(probes: AlertProbes): Promise<void>;
  /** @param hurry ends the wait for answers of targets when it aborts */
  stop(hurry: AbortSignal): Promise<void>;
}

/** Creates the alerts. Nothing is evaluated or sent before `start`. */
export function createAlerts(parts: AlertParts): Alerts {
  const { config, storage, registry, backups, metrics, clock, ids, logger } = parts;
  const requests = new RequestTally(() => clock.monotonicMs());
  const createdAt = clock.wallMs();
  const noteUnaccepted = (kind: UnacceptedKind, ref: number, count: number) => {
    const webhook = registry.findByRef(ref);
    if (webhook !== undefined) requests.note(kind, webhook, count);
  };
  let probes: AlertProbes = { probePublicUrl: async () => null, notifyFailures: () => [] };
  const publicUrl = new PublicUrlWatch({
    intervalMs: () =>
      config.baseUrl === null || config.alerts.rules.probe === false ? null : config.alerts.rules.probe,
    probe: () => probes.probePublicUrl(),
    onChange: () => watch.noteEvent(null),
    schedule: scheduleCall,
    logger,
  });
  const sender = new AlertSender(config.alerts.targets, {
    messages: storage.alertMessages,
    secrets: parts.secrets,
    userAgent: `dockbell/${readPackageVersion()}`,
    dashboardUrl: () => config.admin.url,
    countMessage: metrics.countAlertMessage,
    ids,
    clock,
    schedule: scheduleCall,
    logger,
  });
  const watch = new AlertWatch({
    terms: () => config.alerts,
    factories: () => config.factories.map(({ name }) => name),
    sources: {
      reader: storage.alertReader,
      runs: storage.runReader,
      deliveries: storage.deliveryReader,
      factories: () => storage.inventoryReader.factories(),
      requests,
      probeProblem: () => publicUrl.problem,
      notifyFailures: (factory) => probes.notifyFailures(factory),
      isActive: (rule, factory) => watch.isActive(rule, factory),
      disks: () => measureFolders([config.dataDir, config.runsDir]),
      backupProblem: () => describeBackups(backups)?.message ?? null,
      nowMs: () => clock.wallMs(),
    },
    store: storage.alertStore,
    onNotices: (targets) => sender.wake(targets),
    ids,
    clock,
    schedule: scheduleCall,
    logger,
  });
  return {
    control: {
      acknowledge: (id, by, note) => watch.acknowledge(id, by, note),
      targets: () => sender.targets(),
      test: (target) => sender.test(target),
    },
    onRecorded: (entry, outcome) => {
      if (outcome.label === 'Accepted' && outcome.guarded !== undefined) watch.noteEvent(null);
      if (entry.kind !== 'rejection') return;
      noteUnaccepted(entry.label === null ? 'limited' : 'rejected', entry.webhook, entry.count);
    },
    noteUnaccepted,
    onReconciled: ({ result }) => {
      watch.noteEvent(null);
      if (result === 'applied') publicUrl.probeNow();
    },
    runs: { onClaimed: () => {}, onEnded: ({ factory }) => watch.noteEvent(factory) },
    onSecretChanged: (name) => sender.onSecretChanged(name),
    onFactoryRenamed: () => watch.onFactoryRenamed(),
    counts: () => watch.counts(),
    failures: () => sender.targets().flatMap(({ failure }) => failure ?? []),
    reload: () => {
      sender.setTargets(config.alerts.targets);
      publicUrl.probeNow();
      watch.reload();
    },
    start: async (given) => {
      probes = given;
      publicUrl.start();
      await noteEarlierRequests(requests, createdAt, parts);
      await watch.start();
      sender.start();
    },
    stop: async (hurry) => {
      await publicUrl.stop();
      await watch.stop();
      await sender.stop(hurry);
    },
  };
}

/** Rows of the log that a start reads for the counts of the last minutes. Each webhook has at most 600 of a label in a minute. */
const MAX_EARLIER_ROWS = 20_000;

/**
 * Counts the requests that earlier daemons received, so that a burst that spans a restart is one burst. What cannot be read
 * is not counted.
 */
async function noteEarlierRequests(
  requests: RequestTally,
  createdAt: number,
  { storage, registry, logger }: Pick<AlertParts, 'storage' | 'registry' | 'logger'>,
): Promise<void> {
  const period = { from: createdAt - REQUEST_WINDOW_MS, until: createdAt, limit: MAX_EARLIER_ROWS };
  try {
    for (const { webhook: ref, kind, count, receivedAt } of await storage.alertReader.unacceptedRequests(period)) {
      const webhook = registry.findByRef(ref);
      if (webhook !== undefined) requests.note(kind, webhook, count, createdAt - receivedAt);
    }
  } catch (error) {
    logger.warn({ err: error }, 'rejected requests of the log not counted for alerts');
  }
}

/** The file systems of these folders, each once. A folder that does not exist yet is omitted. */
async function measureFolders(folders: readonly string[]): Promise<FolderSpace[]> {
  const measured = new Map<number, FolderSpace>();
  for (const folder of folders) {
    const device = await stat(folder).then(
      ({ dev }) => dev,
      () => null,
    );
    if (device === null || measured.has(device)) continue;
    const { bavail, blocks, bsize } = await statfs(folder);
    measured.set(device, { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize });
  }
  return [...measured.values()];
}
