import type { Delivery, DeliveryLogEntry, RecordOutcome } from '../core/delivery.ts';
import type { RunId } from '../core/ids.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { RunReader } from '../core/ports/runs/run-queue.ts';
import type { Reconciliation } from '../core/reconciliation.ts';
import type { Run } from '../core/run.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';
import type { Registry } from '../registry/registry.ts';

interface FeedParts {
  hub: EventHub;
  registry: Registry;
  runs: Pick<RunReader, 'get'>;
  logger: Logger;
}

/** Where the daemon's parts tell what they did. */
export interface EventSources {
  /** An entry of the delivery log is on disk, or could not be written. */
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  onRunChanged(id: RunId): void;
  onReconciled(reconciliation: Reconciliation): void;
}

/** Makes events of what the parts tell, as far as anybody listens. */
export function createEventSources({ hub, registry, runs, logger }: FeedParts): EventSources {
  return {
    onRecorded: (entry, outcome) => {
      if (!hub.isHeard()) return hub.miss();
      const webhook = findByRef(registry, entry.webhook);
      // Deleted or disabled since: it has left the lists that listeners look at.
      if (webhook === undefined || outcome.outcome === 'failed') return;
      const delivery = describeRecorded(entry, outcome, webhook);
      hub.publish({ kind: 'delivery', delivery });
      if (entry.kind === 'rejection' || outcome.outcome !== 'accepted') return;
      for (const { id, automation } of entry.runs)
        hub.publish({ kind: 'run', run: describeBorn(delivery, id, automation) });
    },
    onRunChanged: (id) => {
      if (!hub.isHeard()) return hub.miss();
      runs.get(id).then(
        (run) => run !== null && hub.publish({ kind: 'run', run }),
        (error) => logger.warn({ err: error, run: id }, 'a change of a run could not be told'),
      );
    },
    onReconciled: (reconciliation) => hub.publish({ kind: 'reconciliation', reconciliation }),
  };
}

function findByRef(registry: Registry, ref: number): LiveWebhook | undefined {
  for (const webhook of registry.current().webhooks.values()) if (webhook.ref === ref) return webhook;
  return undefined;
}

/** The row as it will be read back: reading it would put a query behind every delivery. */
function describeRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome, webhook: LiveWebhook): Delivery {
  const { id, size, receivedAt, clientAddress, revision } = entry;
  const { factory, uid: webhookUid, name: webhookName } = webhook;
  const identity = entry.identity === null ? null : { source: entry.identity.source, value: entry.identity.value };
  const row = { id, factory, webhookUid, webhookName, identity, size, receivedAt, clientAddress, revision };
  const nothing = { duplicateOf: null, replayOf: null, runs: [] };
  if (entry.kind === 'rejection') {
    const { label, reason, detail, count } = entry;
    return { ...row, ...nothing, label, reason, detail, count };
  }
  if (outcome.outcome === 'duplicate') {
    const { reason, of } = outcome;
    return { ...row, ...nothing, label: 'Duplicate', reason, detail: null, count: 1, duplicateOf: of };
  }
  const replayOf = entry.kind === 'replay' ? entry.replayOf : null;
  const runs = entry.runs.map((run) => run.id);
  return { ...row, label: 'Accepted', reason: null, detail: null, count: 1, duplicateOf: null, replayOf, runs };
}

function describeBorn(delivery: Delivery, id: RunId, automation: string): Run {
  const { factory, webhookUid, identity, revision, receivedAt: createdAt } = delivery;
  return {
    ...{ id, factory, automation, delivery: delivery.id, webhookUid, deliveryIdentity: identity!.value },
    ...{ state: 'queued', attempt: 1, executor: null, revision, error: null, exitCode: null },
    ...{ createdAt, startedAt: null, finishedAt: null },
  };
}
