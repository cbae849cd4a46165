import type { HandshakeOutcome } from '../../core/handshake.ts';
import type { IngressMetrics } from '../../core/ports/metrics.ts';
import { SecretValue } from '../../core/secret-value.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { LiveWebhook } from '../../registry/live-webhook.ts';
import type { Greeting, HandshakeMoment, HandshakeReply, LiveHandshake } from '../../signature/handshakes/handshake.ts';
import type { IngressAnswer } from '../answers.ts';
import * as answers from '../answers.ts';
import type { Confirmations } from '../confirmations.ts';
import type { RateLimits } from '../limits.ts';
import type { HandshakeRows } from '../log/handshake-rows.ts';

/**
 * Makes a secret that a sender brought along the webhook's own, on disk and live, or says why not. Rejects where it
 * could not be stored.
 */
export type AdoptSecret = (
  webhook: LiveWebhook,
  secret: SecretValue,
) => Promise<{ ok: true } | { ok: false; detail: string }>;

/** What answering a handshake works with. */
export interface HandshakeContext {
  handshakeRows: HandshakeRows;
  confirmations: Confirmations;
  adoptSecret: AdoptSecret;
  limits: RateLimits;
  metrics: IngressMetrics;
  clock: Clock;
}

/** A handshake under way. */
interface Meeting {
  context: HandshakeContext;
  webhook: LiveWebhook;
  handshake: LiveHandshake;
  clientAddress: string;
}

/**
 * Answers a request that is exactly a handshake of this webhook. `null`: it is none, or one that may not be answered;
 * the request goes on as if there were no handshakes, so that a sender learns nothing from it. A handshake starts
 * nothing, is no delivery, and is remembered nowhere but in the log.
 */
export async function answerHandshake(
  context: HandshakeContext,
  moment: HandshakeMoment,
  greeting: Greeting & { clientAddress: string },
  webhook: LiveWebhook,
): Promise<IngressAnswer | null> {
  for (const handshake of webhook.handshakes) {
    const reply = handshake.moment === moment ? handshake.respond(greeting) : null;
    if (reply === null) continue;
    return carryOut({ context, webhook, handshake, clientAddress: greeting.clientAddress }, reply);
  }
  return null;
}

async function carryOut(meeting: Meeting, reply: HandshakeReply): Promise<IngressAnswer | null> {
  if (reply.do === 'refuse') return refuse(meeting, reply.detail);
  const tooMany = chargeUnsigned(meeting);
  if (tooMany !== null) return tooMany;
  if (reply.do === 'adopt') return adopt(meeting, reply);
  if (reply.do === 'confirm') return confirm(meeting, reply);
  note(meeting, 'answered', reply.detail);
  return answers.handshake(reply.answer);
}

/** What is signed was counted as a delivery when it verified; the rest counts as requests without credentials do. */
function chargeUnsigned({ context, webhook, handshake, clientAddress }: Meeting): IngressAnswer | null {
  if (handshake.moment === 'verified') return null;
  const admission = context.limits.admitFailure(webhook.uid, clientAddress, context.clock.monotonicMs());
  if (admission.ok) return null;
  context.metrics.countRefusal('failed_auth_rate');
  return answers.tooManyRequests(admission.retryAfterSeconds);
}

async function adopt(
  meeting: Meeting,
  { secretText, answer }: Extract<HandshakeReply, { do: 'adopt' }>,
): Promise<IngressAnswer | null> {
  const adopted = await meeting.context.adoptSecret(meeting.webhook, new SecretValue(secretText));
  if (!adopted.ok) return refuse(meeting, adopted.detail);
  note(meeting, 'adopted');
  return answers.handshake(answer);
}

/** Answered at once: the provider waits for the answer before it looks at the confirmation. */
function confirm(meeting: Meeting, { url, answer }: Extract<HandshakeReply, { do: 'confirm' }>): IngressAnswer {
  const confirmation = meeting.context.confirmations.begin(url);
  if (confirmation === null) {
    note(meeting, 'failed', 'too many confirmations are under way; the sender was told to try again');
    return answers.UNAVAILABLE;
  }
  void confirmation.then((ended) => (ended.ok ? note(meeting, 'confirmed') : note(meeting, 'failed', ended.detail)));
  return answers.handshake(answer);
}

function refuse(meeting: Meeting, detail: string): null {
  note(meeting, 'refused', detail);
  return null;
}

function note(meeting: Meeting, outcome: HandshakeOutcome, detail: string | null = null): void {
  const { context, webhook, handshake, clientAddress } = meeting;
  const { clock, metrics, handshakeRows } = context;
  metrics.countHandshake(webhook.uid, outcome);
  const entry = { webhook: webhook.ref, handshake: handshake.name, outcome, detail, count: 1, clientAddress };
  handshakeRows.add({ ...entry, receivedAt: clock.wallMs() }, clock.monotonicMs());
}
