// What needs attention. In: happenings and reads of the storage. Out: alerts, and messages about them.
// The way of an alert: `alert-watch.ts` evaluates, `examine-rules.ts` asks each rule (`rules/examiners.ts`),
// `update-alerts.ts` compares with what is active and draws the states, `alert-target.ts` routes. The way of a message:
// `delivery/alert-sender.ts`, `delivery/target-sender.ts`, `delivery/send-message.ts`.

import { stat, statfs } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { describeCondition } from '../../domain/conditions.ts';
import type { IdSource } from '../../domain/ids.ts';
import { REQUEST_WINDOW_MS } from '../../domain/messages/alert-rules.ts';
import type { Part } from '../../domain/part.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { AlertControl } from '../../domain/ports/messages.ts';
import type { AlertMetrics } from '../../domain/ports/metrics.ts';
import type { UnacceptedKind } from '../../domain/ports/replicas.ts';
import type { RunObserver } from '../../domain/ports/run-control.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { scheduleCall } from '../../domain/time/schedule.ts';
import { readPackageVersion } from '../../platform/files/package-version.ts';
import { AlertWatch } from './alert-watch.ts';
import { AlertSender } from './delivery/alert-sender.ts';
import { PublicUrlWatch } from './public-url-watch.ts';
import type { FolderSpace, RuleSources } from './rules/finding.ts';
import { RequestTally, type TalliedWebhook } from './rules/request-tally.ts';

export interface AlertParts {
  config: Pick<Config, 'alerts' | 'baseUrl' | 'dataDir' | 'runsDir' | 'factories' | 'admin'>;
  storage: Pick<
    Storage,
    'alertStore' | 'alertMessages' | 'alertReader' | 'inventoryReader' | 'runReader' | 'deliveryReader'
  >;
  secrets: Pick<SecretStore, 'resolve'>;
  /** The webhook with this number in the storage, if it is live. */
  findWebhook(ref: number): TalliedWebhook | undefined;
  /** What is wrong with the scheduled backups; `null` if nothing is. */
  findBackupProblem(): string | null;
  /** Sends a request through the public URL. Resolves with why it did not arrive; `null` if it did. */
  probePublicUrl(): Promise<string | null>;
  /** The targets of notifications that cannot be reached. */
  notifyFailures: RuleSources['notifyFailures'];
  metrics: AlertMetrics;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
}

/** The alerts of a daemon. */
export interface Alerts {
  part: Part<unknown>;
  control: AlertControl;
  runs: RunObserver;
  counts: AlertWatch['counts'];
  onFactoryRenamed(): Promise<void>;
}

/** Creates the alerts. Nothing is evaluated or sent before this daemon leads. */
export function createAlerts(parts: AlertParts): Alerts {
  const { config, storage, metrics, clock, ids, logger } = parts;
  const requests = new RequestTally(() => clock.monotonicMs());
  /** Requests that were received before are in the log only. */
  let countedFrom = clock.wallMs();
  let hasLed = false;
  const noteUnaccepted = (kind: UnacceptedKind, ref: number, count: number) => {
    const webhook = parts.findWebhook(ref);
    if (webhook !== undefined) requests.note(kind, webhook, count);
  };
  const publicUrl = new PublicUrlWatch({
    intervalMs: () =>
      config.baseUrl === null || config.alerts.rules.probe === false ? null : config.alerts.rules.probe,
    probe: parts.probePublicUrl,
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
      notifyFailures: parts.notifyFailures,
      isActive: (rule, factory) => watch.isActive(rule, factory),
      disks: () => measureFolders([config.dataDir, config.runsDir]),
      backupProblem: parts.findBackupProblem,
      nowMs: () => clock.wallMs(),
    },
    store: storage.alertStore,
    onNotices: (targets) => sender.wake(targets),
    ids,
    clock,
    schedule: scheduleCall,
    logger,
  });
  const failures = () => sender.targets().flatMap(({ failure }) => failure ?? []);
  return {
    control: {
      acknowledge: (id, by, note) => watch.acknowledge(id, by, note),
      targets: () => sender.targets(),
      test: (target) => sender.test(target),
    },
    runs: { onClaimed: () => {}, onEnded: ({ factory }) => watch.noteEvent(factory) },
    onFactoryRenamed: () => watch.onFactoryRenamed(),
    counts: () => watch.counts(),
    part: {
      name: 'alerts',
      conditions: (factory) => {
        const unreached = factory === null ? failures() : [];
        return unreached.length === 0 ? [] : [describeCondition('MessageNotSent', unreached)];
      },
      lead: async (term) => {
        publicUrl.start(term);
        if (hasLed) {
          // Meanwhile, other daemons received requests, too: all are in the log.
          requests.clear();
          countedFrom = clock.wallMs();
        }
        hasLed = true;
        await noteEarlierRequests(requests, countedFrom, parts);
        await watch.start(term);
        sender.start(term);
      },
      reload: () => {
        sender.setTargets(config.alerts.targets);
        publicUrl.probeNow();
        watch.reload();
      },
      stop: async ({ hurry }) => {
        await publicUrl.stop();
        await watch.stop();
        await sender.stop(hurry);
      },
      on: {
        deliveryRecorded: ({ entry, outcome }) => {
          if (outcome.label === 'Accepted' && outcome.guarded !== undefined) watch.noteEvent(null);
          if (entry.kind !== 'rejection') return;
          noteUnaccepted(entry.label === null ? 'limited' : 'rejected', entry.webhook, entry.count);
        },
        requestsNotAcceptedElsewhere: ({ of, counts }) => {
          for (const [webhook, count] of counts) noteUnaccepted(of, Number(webhook), count);
        },
        reconciled: ({ result }) => {
          watch.noteEvent(null);
          if (result === 'applied') publicUrl.probeNow();
        },
        secretChanged: ({ name }) => sender.onSecretChanged(name),
      },
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
  { storage, findWebhook, logger }: Pick<AlertParts, 'storage' | 'findWebhook' | 'logger'>,
): Promise<void> {
  const period = { from: createdAt - REQUEST_WINDOW_MS, until: createdAt, limit: MAX_EARLIER_ROWS };
  try {
    for (const { webhook: ref, kind, count, receivedAt } of await storage.alertReader.unacceptedRequests(period)) {
      const webhook = findWebhook(ref);
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
