import { AppError } from '../core/errors.ts';
import type { IdSource } from '../core/ids.ts';
import { scanJson } from '../core/payload/scan-json.ts';
import type { WantedKeys } from '../core/payload/wanted-keys.ts';
import type { DeliveryReader } from '../core/ports/deliveries/delivery-log.ts';
import type { ReplayControl, ReplayOrder, ReplayOutcome } from '../core/ports/deliveries/replay-control.ts';
import type { DeliveryTracer } from '../core/ports/tracing.ts';
import type { NewRun } from '../core/resources/delivery.ts';
import { parseRecordedHeaders } from '../core/resources/delivery.ts';
import type { Clock } from '../core/time/clock.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';
import type { Registry } from '../registry/registry.ts';
import { describeLabel } from '../words/rate-limited.ts';
import type { DeliveryRecorder } from './log/delivery-recorder.ts';
import { matchDelivery } from './steps/match-delivery.ts';

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

/** Replays accepted deliveries: the steps of a delivery from matching on, with the stored payload. */
export function createReplayControl(context: ReplayContext): ReplayControl {
  return { replay: (order) => replayDelivery(context, order) };
}

async function replayDelivery(context: ReplayContext, order: ReplayOrder): Promise<ReplayOutcome> {
  const { delivery, automation } = order;
  const body = await context.deliveries.payload(delivery.id);
  if (body === null || delivery.deliveryId === null) {
    return rejectReplay(`${describeLabel(delivery.label)} Only accepted deliveries have a payload to replay.`);
  }
  const webhook = context.registry.current().webhooks.get(delivery.webhookUid);
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
  webhook: LiveWebhook,
  stored: Stored,
): Promise<ReplayOutcome> {
  const nowMs = clock.wallMs();
  const body = new Uint8Array(stored.body);
  const id = ids.deliveryId(nowMs);
  const payload = readStored(Buffer.from(body.buffer), webhook.listeners.wanted);
  const received = { headers: parseRecordedHeaders(delivery.headers), payload };
  const trace = tracer?.beginReplay(webhook) ?? null;
  const { applyNumber, revision, runs } = matchDelivery(webhook, received, ids, nowMs, automation);
  for (const run of trace === null ? [] : runs) run.traceContext = trace?.contextOfRuns();
  const recorded = await recorder.offer({
    kind: 'replay',
    id,
    webhook: webhook.ref,
    size: (stored.form ?? body).length,
    receivedAt: nowMs,
    clientAddress,
    headers: delivery.headers,
    revision,
    replayOf: delivery.replayOf ?? delivery.id,
    event: delivery.event,
    summary: delivery.summary,
    identity: { source: delivery.deliveryIdSource!, value: delivery.deliveryId! },
    body,
    form: stored.form && new Uint8Array(stored.form),
    applyNumber,
    only: automation,
    runs,
  });
  if (recorded.label === null) throw new AppError('internal', recorded.message);
  trace?.end(id, delivery.id);
  if (runs.length > 0) onRunsCreated(webhook.factory, runs);
  return { outcome: 'replayed', id };
}

/** An earlier version may have accepted a body that is too deep now. */
function readStored(body: Buffer, wanted: WantedKeys): unknown {
  const scan = scanJson(body, wanted);
  return scan.ok ? scan.value : JSON.parse(body.toString('utf8'));
}

function rejectReplay(why: string): ReplayOutcome {
  return { outcome: 'rejected', why };
}
