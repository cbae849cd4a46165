import { AppError } from '../../domain/errors.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { ReplayOrder, ReplayOutcome } from '../../domain/ports/replays.ts';
import type { DeliveryTracer } from '../../domain/ports/tracing.ts';
import { type NewRun, parseRecordedHeaders } from '../../domain/resources/delivery.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { describeLabel } from '../../domain/words/deliveries.ts';
import type { DeliveryRecorder } from '../log/delivery-recorder.ts';
import type { DeliverySource, Registry } from '../registry/registry.ts';
import { matchDelivery } from '../steps/match-delivery.ts';
import { composeReplay, readStored } from './compose-replay.ts';
import { traceReplay } from './trace-replay.ts';

/** The dependencies of a replay. */
export interface ReplayContext {
  registry: Registry;
  recorder: Pick<DeliveryRecorder, 'offer'>;
  deliveries: Pick<DeliveryReader, 'payload' | 'form'>;
  /** `null` if tracing is off. */
  tracer: DeliveryTracer | null;
  clock: Clock;
  ids: IdSource;
  /** Called after runs of this factory are queued. */
  onRunsCreated(factory: string, runs: readonly NewRun[]): void;
}

/** Replays an accepted delivery: the steps of a delivery from matching on, with the stored payload. */
export async function replayDelivery(context: ReplayContext, order: ReplayOrder): Promise<ReplayOutcome> {
  const { delivery, automation } = order;
  const body = await context.deliveries.payload(delivery.id);
  if (body === null || delivery.deliveryId === null) {
    return rejectReplay(`${describeLabel(delivery.label)} Only accepted deliveries have a payload to replay.`);
  }
  const webhook = context.registry.findSource(delivery.webhookUid);
  if (webhook === undefined) {
    return rejectReplay(`The webhook ${delivery.webhookName} is disabled or deleted, so a replay would start no run.`);
  }
  if (automation !== null && !webhook.listeners.has(automation)) {
    return rejectReplay(`No automation ${automation} currently listens to the webhook ${webhook.name}.`);
  }
  return record(context, order, webhook, { body, form: await context.deliveries.form(delivery.id) });
}

/** The payload of the original, and the form that it is the JSON of. */
interface Stored {
  body: Uint8Array;
  form: Uint8Array | null;
}

async function record(
  { recorder, tracer, clock, ids, onRunsCreated }: ReplayContext,
  { delivery, automation, clientAddress }: ReplayOrder,
  webhook: DeliverySource,
  { body, form }: Stored,
): Promise<ReplayOutcome> {
  const nowMs = clock.wallMs();
  const received = {
    headers: parseRecordedHeaders(delivery.headers),
    payload: readStored(body, webhook.listeners.wanted),
  };
  const match = matchDelivery(webhook, received, ids, nowMs, automation);
  const trace = traceReplay(tracer, webhook, match.runs);
  const { id, event, summary, headers, replayOf, deliveryId, deliveryIdSource } = delivery;
  const identity = { source: deliveryIdSource!, value: deliveryId! };
  const original = { id, identity, event, summary, headers, replayOf, body, form };
  const entry = composeReplay(
    { ids, webhook: webhook.ref, replay: null, automation, clientAddress, nowMs },
    original,
    match,
  );
  const recorded = await recorder.offer(entry);
  if (recorded.label === null) throw new AppError('internal', recorded.message);
  trace?.end(entry.id, delivery.id);
  if (match.runs.length > 0) onRunsCreated(webhook.factory, match.runs);
  return { outcome: 'replayed', id: entry.id };
}

function rejectReplay(why: string): ReplayOutcome {
  return { outcome: 'rejected', why };
}
