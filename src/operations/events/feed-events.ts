import type { ReconciliationEnd } from '../../domain/applies/reconciliation.ts';
import type { DeliveryId, RunId, WebhookUid } from '../../domain/ids.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import {
  type Delivery,
  type DeliveryLogEntry,
  type NewRun,
  NO_CLAIM,
  type RecordOutcome,
} from '../../domain/resources/delivery.ts';
import type { Run } from '../../domain/resources/run.ts';
import type { EventHub } from './event-hub.ts';

/** What an event says about its webhook. */
interface WebhookNames {
  factory: string;
  uid: WebhookUid;
  name: string;
}

type RecordedOutcome = Exclude<RecordOutcome, { message: string }>;

interface FeedParts {
  hub: EventHub;
  /** The live webhook with this number in the storage. */
  findWebhook(ref: number): WebhookNames | undefined;
  runs: Pick<RunReader, 'get' | 'attempts'>;
  deliveries: Pick<DeliveryReader, 'get'>;
  logger: Logger;
}

/** Where the daemon's parts publish what they did. */
export interface EventSources {
  /** An entry of the delivery log is on disk, or could not be written. */
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  /** Another replica recorded these; `null` if they are too many to list. */
  onRecordedElsewhere(deliveries: readonly DeliveryId[] | null): void;
  /** `null` if they are too many to list, or unknown. */
  onRunsChanged(runs: readonly RunId[] | null): void;
  onReconciled(reconciliation: ReconciliationEnd): void;
  onPullRequestsChanged(factory: string): void;
}

/** Makes events of what the parts publish, as far as anybody listens. */
export function createEventSources({ hub, findWebhook, runs, deliveries, logger }: FeedParts): EventSources {
  const publishStored = async (id: DeliveryId) => {
    const delivery = await deliveries.get(id);
    if (delivery === null) return;
    hub.publish({ kind: 'delivery', delivery });
    for (const run of delivery.runs) await publishRun(run);
  };
  const publishRun = async (id: RunId) => {
    const [run, attempts] = await Promise.all([runs.get(id), runs.attempts([id])]);
    if (run !== null) hub.publish({ kind: 'run', run, attempts: attempts.get(id) ?? [] });
  };
  const onRunChanged = (id: RunId) => {
    if (!hub.hasListeners()) return hub.miss();
    publishRun(id).catch((error) => logger.warn({ err: error, run: id }, 'publishing a run event failed'));
  };
  return {
    onRecorded: (entry, outcome) => {
      if (!hub.hasListeners()) return hub.miss();
      const webhook = findWebhook(entry.webhook);
      // Deleted or disabled since: it has left the lists that listeners look at.
      if (webhook === undefined || 'message' in outcome) return;
      const delivery = describeRecorded(entry, outcome, webhook);
      hub.publish({ kind: 'delivery', delivery });
      if (entry.kind === 'rejection' || outcome.label !== 'Accepted') return;
      for (const run of entry.runs) {
        hub.publish({ kind: 'run', run: describeNewRun(delivery, run), attempts: [] });
      }
    },
    onRunsChanged: (runs) => {
      if (runs === null) hub.miss();
      else for (const id of runs) onRunChanged(id);
    },
    onRecordedElsewhere: (recorded) => {
      if (recorded === null || !hub.hasListeners()) return hub.miss();
      for (const id of recorded) {
        publishStored(id).catch((error) => logger.warn({ err: error, id }, 'publishing a delivery event failed'));
      }
    },
    onReconciled: (reconciliation) => hub.publish({ kind: 'reconciliation', reconciliation }),
    onPullRequestsChanged: (factory) => hub.publish({ kind: 'pull_requests', factory }),
  };
}

/** The row as a read would return it: reading it would add a query to every delivery. */
function describeRecorded(entry: DeliveryLogEntry, outcome: RecordedOutcome, webhook: WebhookNames): Delivery {
  const isRejection = entry.kind === 'rejection';
  return {
    id: entry.id,
    factory: webhook.factory,
    webhookUid: webhook.uid,
    webhookName: webhook.name,
    deliveryId: entry.identity?.value ?? null,
    deliveryIdSource: entry.identity?.source ?? null,
    deduplicated: entry.kind !== 'offer' || entry.identity.key !== NO_CLAIM,
    event: isRejection ? null : entry.event,
    summary: isRejection ? null : entry.summary,
    headers: entry.headers,
    label: outcome.label,
    reason: findReason(entry, outcome),
    detail: isRejection ? entry.detail : null,
    size: entry.size,
    count: isRejection ? entry.count : 1,
    receivedAt: entry.receivedAt,
    clientAddress: entry.clientAddress,
    revision: entry.revision,
    duplicateOf: 'of' in outcome ? outcome.of : null,
    replayOf: entry.kind === 'replay' ? entry.replayOf : null,
    replay: entry.kind === 'replay' ? entry.replay : null,
    runs: isRejection || outcome.label !== 'Accepted' ? [] : entry.runs.map((run) => run.id),
  };
}

function findReason(entry: DeliveryLogEntry, outcome: RecordedOutcome): string | null {
  if (entry.kind === 'rejection') return entry.reason;
  if ('reason' in outcome) return outcome.reason;
  return entry.kind === 'offer' ? (entry.backfill ?? null) : null;
}

/** A run that was created with its delivery. */
function describeNewRun(delivery: Delivery, { id, automation, concurrencyKey, runsOn }: NewRun): Run {
  return {
    id,
    factory: delivery.factory,
    automation,
    delivery: delivery.id,
    webhookUid: delivery.webhookUid,
    deliveryIdentity: delivery.deliveryId!,
    state: 'queued',
    attempt: 1,
    executor: null,
    revision: delivery.revision,
    error: null,
    exitCode: null,
    createdAt: delivery.receivedAt,
    startedAt: null,
    finishedAt: null,
    output: null,
    gate: null,
    concurrencyKey: concurrencyKey ?? null,
    runsOn: runsOn ?? null,
    supersededBy: null,
    notBefore: null,
    traceContext: null,
  };
}
