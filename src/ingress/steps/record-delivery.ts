import { composeEventName, type EventPlace } from '../../domain/deliveries/event-name.ts';
import { composeSummary } from '../../domain/deliveries/event-summary.ts';
import type { RequestHeaders } from '../../domain/deliveries/headers.ts';
import { AppError } from '../../domain/errors.ts';
import { readPath } from '../../domain/json.ts';
import type { DeliveryTrace } from '../../domain/ports/tracing.ts';
import type { DeliveryOffer, NewRun, OfferOutcome } from '../../domain/resources/delivery.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { identify } from './identify.ts';
import { matchDelivery } from './match-delivery.ts';
import { concernsBranch, PUSHED_REFS } from './pushed-branches.ts';
import { pickHeaders, recordHeaders } from './record-headers.ts';

/** Senders wait about 10 seconds. After a `503` before that, they send the delivery again, also if it is stored later. */
const ANSWER_MS = 8000;

/** Stores the delivery on disk, then answers `202`, or as its provider expects. */
export function recordDelivery(context: IngressContext, reception: Reception): Promise<Outcome> {
  const offer = composeOffer(context, reception);
  if (reception.trace !== null) traceMatch(reception.trace, offer.runs);
  return answerInTime(
    context.recorder.offer(offer).then((recorded) => concludeRecord(context, reception, offer, recorded)),
  );
}

/**
 * Rejects with `storage_unavailable` if the storage takes longer than a sender waits. A delivery that is stored after the answer
 * starts its runs. When its sender repeats it, it is a duplicate.
 */
export function answerInTime(recorded: Promise<Outcome>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new AppError('storage_unavailable', `the delivery was not stored within ${ANSWER_MS / 1000} seconds`));
    }, ANSWER_MS);
    recorded.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The runs continue the trace, also if another daemon executes them. */
function traceMatch(trace: DeliveryTrace, runs: NewRun[]): void {
  trace.endMatch(runs.length);
  const traceContext = trace.contextOfRuns();
  for (const run of runs) run.traceContext = traceContext;
}

function concludeRecord(
  { metrics, publish, clock }: IngressContext,
  reception: Reception,
  { id, identity, runs }: DeliveryOffer,
  recorded: OfferOutcome,
): Outcome {
  reception.trace?.endRecord(id, recorded.label);
  if (recorded.label === null) throw new AppError('storage_unavailable', recorded.message);
  const { factory } = reception.webhook;
  metrics.countDelivery(reception.webhook, recorded.label);
  metrics.observeDelivery((clock.monotonicMs() - reception.startedAt) / 1000);
  const isNew = recorded.label === 'Accepted';
  if (isNew && runs.length > 0) publish('runsCreated', { factory, runs });
  if (isNew && isPush(reception)) publish('pushReceived', { factory, trace: reception.trace?.contextOfRuns() ?? null });
  return answers.accepted(reception.webhook.success, identity.value);
}

/** The delivery with its identity and runs. */
function composeOffer({ clock, ids, backfillMarks, loopGuard }: IngressContext, reception: Reception): DeliveryOffer {
  const { webhook, body, request, providerIdentity } = reception;
  const nowMs = clock.wallMs();
  const payload = reception.readPayload();
  const received = {
    headers: pickHeaders(reception.headers, webhook),
    payload: payload.ok ? payload.value : undefined,
  };
  const { applyNumber, revision, runs } = matchDelivery(webhook, received, ids, nowMs);
  const backfill = backfillMarks.find(reception.headers);
  // A person asked for the runs of a backfill.
  const isCounted = runs.length > 0 && backfill === undefined;
  const subject = isCounted ? (webhook.subject?.read(received.payload) ?? undefined) : undefined;
  return {
    kind: 'offer',
    id: ids.deliveryId(nowMs),
    webhook: webhook.ref,
    size: body.length,
    receivedAt: nowMs,
    clientAddress: request.clientAddress,
    headers: recordHeaders(reception.headers, webhook),
    revision,
    summary: composeSummary(webhook.summary, received.payload),
    event: readEvent(webhook.event, reception.headers, received.payload),
    identity: identify(
      {
        headers: reception.headers,
        providerIdentity,
        payload: received.payload,
        readDigits: (path) => reception.readDigits(path),
      },
      webhook,
      body,
    ),
    backfill,
    body: reception.payload,
    form: webhook.form === null ? null : body,
    applyNumber,
    runs,
    subject,
    guard: subject === undefined ? undefined : loopGuard,
  };
}

function readEvent(place: EventPlace | null, headers: RequestHeaders, payload: unknown): string | null {
  if (place === null) return null;
  const header = place.header === undefined ? undefined : headers.get(place.header);
  return composeEventName(header, place.path === undefined ? undefined : readPath(payload, place.path));
}

function isPush(reception: Reception): boolean {
  const { pushBranch } = reception.webhook;
  return pushBranch !== null && concernsBranch(reception.json(PUSHED_REFS), pushBranch);
}
