// The room of the hot path: a delivery from its bytes to its answer. docs/architecture/post-to-run.md follows it.
// In: requests (`transport/http.ts`), and webhooks that an apply made live (`registry/live-factories.ts`). Out: an answer,
// entries of the log (`log/delivery-recorder.ts`), and happenings, for example `runsCreated`. The list of steps is below; each
// is a file in `steps/`, and `reception.ts` is what they share. `create-ingress.ts` makes it all. Next to it are the other
// ways into the log: `replay/create-replays.ts` and `schedules/tick-loop.ts`; the sender of test deliveries,
// `sender/build-request.ts`; and the cause of rejections, `diagnosis/diagnose-delivery.ts`.

import { AppError, messageOf } from '../domain/errors.ts';
import type { DeliveryTrace, DeliveryTracer } from '../domain/ports/tracing.ts';
import type { UnloggedReason } from '../domain/words/unlogged-reasons.ts';
import { DISCONNECTED, type IngressContext, type Outcome, type Step } from './ingress-context.ts';
import { type IngressRequest, Reception } from './reception.ts';
import type { LiveWebhook } from './registry/live-webhook.ts';
import { answerMethodHandshake, answerUnsignedHandshake, answerVerifiedHandshake } from './steps/answer-handshake.ts';
import { authenticateToken } from './steps/authenticate-token.ts';
import { findWebhook } from './steps/find-webhook.ts';
import { parseJson } from './steps/parse-json.ts';
import { receiveBody } from './steps/receive-body.ts';
import { recordDelivery } from './steps/record-delivery.ts';
import { rejectUnlogged } from './steps/reject.ts';
import { verifySignature } from './steps/verify-signature.ts';
import type { IngressAnswer } from './transport/answers.ts';
import * as answers from './transport/answers.ts';

/**
 * The order is fixed, so that responses reveal nothing to unauthenticated senders (decisions, "Receiving a delivery").
 */
const STEPS: readonly Step[] = [
  answerMethodHandshake, // 200 and 204 for a handshake with GET, HEAD or OPTIONS; 405
  authenticateToken, // 401, 429, before the body is read; ends with admitDelivery
  receiveBody, // 413, 503
  answerUnsignedHandshake, // 200, 429
  verifySignature, // 401, 429, 503; ends with admitDelivery
  parseJson, // 400
  answerVerifiedHandshake, // 200, 204
  recordDelivery, // 202, or 200 for some providers: identify, match, store
];

/**
 * Receives one delivery. Never rejects: an internal error is answered with `503`, because senders do not retry a `4xx`.
 */
export async function handleDelivery(context: IngressContext, request: IngressRequest): Promise<Outcome> {
  let webhook: LiveWebhook | null = null;
  let trace: DeliveryTrace | null = null;
  try {
    const found = findWebhook(context, request); // 404
    if (!(found instanceof Reception)) return found;
    webhook = found.webhook;
    if (context.tracer !== null) trace = beginTrace(context.tracer, found);
    for (let next = 0; next < STEPS.length; next += 1) {
      const taken = STEPS[next]!(context, found);
      // Most steps end immediately. Waiting for them would cost a turn of the microtask queue each.
      const outcome = taken instanceof Promise ? await taken : taken;
      if (outcome !== null) return endTrace(trace, request, outcome);
      trace?.skip();
    }
    throw new Error('a delivery passed every step without an answer');
  } catch (error) {
    return endTrace(trace, request, rejectError(context, webhook, error));
  }
}

function beginTrace(tracer: DeliveryTracer, reception: Reception): DeliveryTrace {
  reception.trace = tracer.begin(reception.webhook, reception.startedAt);
  return reception.trace;
}

function endTrace(trace: DeliveryTrace | null, { method }: IngressRequest, outcome: Outcome): Outcome {
  trace?.end(method, outcome === DISCONNECTED ? null : outcome.status);
  return outcome;
}

function rejectError(context: IngressContext, webhook: LiveWebhook | null, error: unknown): IngressAnswer {
  if (isStorageFailure(error)) {
    context.logger.error({ problem: messageOf(error) }, 'delivery not stored');
    return rejectFailed(context, webhook, 'storage');
  }
  context.logger.error({ err: error }, 'delivery failed with an internal error');
  return rejectFailed(context, webhook, 'internal');
}

function rejectFailed(context: IngressContext, webhook: LiveWebhook | null, reason: UnloggedReason): IngressAnswer {
  return webhook === null ? answers.UNAVAILABLE : rejectUnlogged(context, webhook, reason, answers.UNAVAILABLE);
}

function isStorageFailure(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'storage_unavailable' || error.code === 'storage_broken');
}
