import type {
  HandshakePhase,
  HandshakeReply,
  LiveHandshake,
} from '../../definitions/signature/handshakes/handshake.ts';
import type { HandshakeOutcome } from '../../domain/deliveries/handshake.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import type { IngressAnswer } from '../transport/answers.ts';
import * as answers from '../transport/answers.ts';
import { rejectUnlogged } from './reject.ts';

/** A request that one handshake of its webhook answers. */
interface MatchedHandshake {
  context: IngressContext;
  reception: Reception;
  handshake: LiveHandshake;
}

const HANDSHAKE_METHODS: { readonly [method: string]: HandshakePhase } = {
  GET: 'get',
  HEAD: 'head',
  OPTIONS: 'options',
};

/**
 * Answers a provider that probes the URL with another method than `POST`. Other requests with such a method get `405`.
 */
export function answerMethodHandshake(context: IngressContext, reception: Reception): Promise<Outcome> | null {
  return reception.method === 'POST' ? null : answerMethod(context, reception);
}

async function answerMethod(context: IngressContext, reception: Reception): Promise<Outcome> {
  const phase = HANDSHAKE_METHODS[reception.method];
  const answer =
    phase !== undefined && hasUrlCredential(reception) ? await answerHandshake(context, phase, reception) : null;
  return answer ?? rejectUnlogged(context, reception.webhook, 'method_not_allowed', answers.METHOD_NOT_ALLOWED);
}

/** Answers a `POST` that is a handshake request before its signature is checked. */
export function answerUnsignedHandshake(context: IngressContext, reception: Reception): Promise<Outcome | null> | null {
  return answerHandshake(context, 'unsigned', reception);
}

/** Answers a `POST` that is a handshake request with a verified signature and a JSON body. */
export function answerVerifiedHandshake(context: IngressContext, reception: Reception): Promise<Outcome | null> | null {
  return answerHandshake(context, 'verified', reception);
}

/** Whether the URL has the token of a webhook with mode `url_token`. Other webhooks have no token in their URL. */
function hasUrlCredential(reception: Reception): boolean {
  const { webhook, urlToken } = reception;
  const { credential } = webhook;
  if (credential.mode !== 'url_token') return true;
  return urlToken !== null && 'accepts' in credential && credential.accepts(urlToken, reception);
}

/**
 * Answers a request that is exactly a handshake request of this webhook. Returns `null` if it is none, or one that must not
 * be answered: the request is then handled as a delivery, so that a sender learns nothing from it. A handshake starts no
 * run and is no delivery. Only the handshake log shows it.
 */
function answerHandshake(
  context: IngressContext,
  phase: HandshakePhase,
  reception: Reception,
): Promise<IngressAnswer | null> | null {
  const { handshakes } = reception.webhook;
  if (handshakes.length === 0) return null;
  const request = {
    query: reception.request.target.query.slice(1),
    headers: reception.headers,
    body: reception.body,
    payload: phase === 'verified' ? parseShort(reception.payload) : undefined,
    deliveriesPerMinute: context.limits.limitOf(reception.webhook),
  };
  for (const handshake of handshakes) {
    const reply = handshake.phase === phase ? handshake.respond(request) : null;
    if (reply !== null) return executeReply({ context, reception, handshake }, reply);
  }
  return null;
}

/** Requests of handshakes are short. A long body could occupy the thread, so it is treated as a delivery. */
const MAX_HANDSHAKE_BYTES = 16_384;

/** @param body valid JSON */
function parseShort(body: Buffer): unknown {
  return body.length > MAX_HANDSHAKE_BYTES ? undefined : JSON.parse(body.toString('utf8'));
}

async function executeReply(matched: MatchedHandshake, reply: HandshakeReply): Promise<IngressAnswer | null> {
  if (reply.do === 'reject') return rejectHandshake(matched, reply.detail);
  const tooMany = chargeUnsigned(matched);
  if (tooMany !== null) return tooMany;
  if (reply.do === 'adopt') return adopt(matched, reply);
  if (reply.do === 'confirm') return confirm(matched, reply);
  log(matched, 'answered', reply.detail);
  return answers.handshake(reply.answer);
}

/** A verified request was already counted as a delivery. An unsigned one counts as a request without credentials. */
function chargeUnsigned({ context, reception, handshake }: MatchedHandshake): IngressAnswer | null {
  if (handshake.phase === 'verified') return null;
  const { webhook, request } = reception;
  const admission = context.limits.admitFailure(webhook.uid, request.clientAddress, context.clock.monotonicMs());
  if (admission.ok) return null;
  return rejectUnlogged(context, webhook, 'failed_auth_rate', answers.tooManyRequests(admission.retryAfterSeconds));
}

async function adopt(
  matched: MatchedHandshake,
  { secretText, answer }: Extract<HandshakeReply, { do: 'adopt' }>,
): Promise<IngressAnswer | null> {
  const adopted = await matched.context.adoptSecret(matched.reception.webhook, new SecretValue(secretText));
  if (!adopted.ok) return rejectHandshake(matched, adopted.detail);
  log(matched, 'adopted');
  return answers.handshake(answer);
}

/** Answers immediately, because the provider waits for the answer before it processes the confirmation. */
function confirm(
  matched: MatchedHandshake,
  { url, answer }: Extract<HandshakeReply, { do: 'confirm' }>,
): IngressAnswer {
  const confirmation = matched.context.confirmations.begin(url);
  if (confirmation === null) {
    log(matched, 'failed', 'too many confirmations are in progress; the sender was asked to retry');
    return answers.UNAVAILABLE;
  }
  void confirmation.then((ended) => (ended.ok ? log(matched, 'confirmed') : log(matched, 'failed', ended.detail)));
  return answers.handshake(answer);
}

function rejectHandshake(matched: MatchedHandshake, detail: string): null {
  log(matched, 'refused', detail);
  return null;
}

function log(
  { context, reception, handshake }: MatchedHandshake,
  outcome: HandshakeOutcome,
  detail: string | null = null,
): void {
  const { clock, metrics, handshakeRows } = context;
  const { webhook, request } = reception;
  metrics.countHandshake(webhook, outcome);
  const entry = {
    webhook: webhook.ref,
    handshake: handshake.name,
    outcome,
    detail,
    count: 1,
    clientAddress: request.clientAddress,
    receivedAt: clock.wallMs(),
  };
  handshakeRows.add(entry, clock.monotonicMs());
}
