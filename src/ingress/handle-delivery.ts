import { hash } from 'node:crypto';
import type { DeliveryOffer, RejectionEntry } from '../core/delivery.ts';
import { AppError } from '../core/errors.ts';
import type { IdSource } from '../core/ids.ts';
import type { IngressMetrics } from '../core/ports/metrics.ts';
import type { Clock } from '../core/time/clock.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';
import type { Registry } from '../registry/registry.ts';
import type { HandshakeMoment } from '../signature/handshakes/handshake.ts';
import { readBearerToken } from '../signature/tokens/token.ts';
import type { IngressAnswer } from './answers.ts';
import * as answers from './answers.ts';
import { JsonBody } from './json-body.ts';
import type { RateLimits } from './limits.ts';
import type { CaptureWindows } from './log/capture-window.ts';
import type { DeliveryRecorder } from './log/delivery-recorder.ts';
import type { RejectionRows } from './log/rejection-rows.ts';
import { concernsBranch } from './pushed-branches.ts';
import { answerHandshake, type HandshakeContext } from './steps/answer-handshake.ts';
import { findNamedIdentity, identify } from './steps/identify.ts';
import { matchDelivery } from './steps/match-delivery.ts';
import { parseWebhookPath, readQuery } from './transport/parse-path.ts';
import type { ReceivedHeaders } from './transport/request-headers.ts';

/** What came of reading a body. */
export type BodyRead =
  | { ok: true; body: Buffer<ArrayBuffer> }
  /** Larger than the limit: as announced, or as found while reading; reading has stopped. */
  | { ok: false; reason: 'too_large'; bytes: number }
  /** More bytes are in flight than the daemon holds at once. */
  | { ok: false; reason: 'overloaded' }
  /** The sender broke off. */
  | { ok: false; reason: 'aborted' };

/** A request without its transport. */
export interface IngressRequest {
  method: string;
  target: string;
  headers: ReceivedHeaders;
  clientAddress: string;
  /** Reads the body into a buffer of its own. To be called at most once. */
  readBody(maxBytes: number): Promise<BodyRead>;
}

/** What the hot path works with. */
export interface IngressContext extends HandshakeContext {
  registry: Registry;
  limits: RateLimits;
  recorder: DeliveryRecorder;
  rejectionRows: RejectionRows;
  captures: CaptureWindows;
  metrics: IngressMetrics;
  clock: Clock;
  ids: IdSource;
  maxBodyBytes: number;
  /** The public address of the ingress, without a slash at its end; what senders sign who sign the URL. */
  baseUrl(): string;
  /** Told of a factory whose runs were just born. */
  onRunsBorn(factory: string): void;
  /** Told of a factory whose production branch was just pushed to, by the webhook that its source names. */
  onPush(factory: string): void;
  /** Called when a delivery could not be stored. */
  onStorageTrouble(error: unknown): void;
  /** Called when a delivery could not be handled because of a defect in this program. */
  onDefect(error: unknown): void;
}

/** `null`: the sender has gone, there is nobody to answer. */
type Outcome = IngressAnswer | null;

/** One step's result: go on with a value, or end with an answer. */
type Step<T> = { go: true; value: T } | { go: false; answer: Outcome };

/** Receives one delivery. Never rejects: whatever goes wrong here is our fault, and senders take a `4xx` as final. */
export async function handleDelivery(context: IngressContext, request: IngressRequest): Promise<Outcome> {
  try {
    return await receive(context, request);
  } catch (error) {
    if (isStorageTrouble(error)) {
      context.onStorageTrouble(error);
      return answerUnavailable(context, 'storage');
    }
    context.onDefect(error);
    return answerUnavailable(context, 'internal');
  }
}

function isStorageTrouble(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'storage_unavailable' || error.code === 'storage_broken');
}

/** The order of checks is fixed, so that a sender learns nothing it should not (decisions, "Receiving a delivery"). */
async function receive(context: IngressContext, request: IngressRequest): Promise<Outcome> {
  const greeted = await greet(context, request);
  if (greeted !== null) return greeted;

  const found = lookUp(context, request);
  if (!found.go) return found.answer;
  const { webhook, token } = found.value;

  const admitted = authenticateToken(context, request, webhook, token);
  if (!admitted.go) return admitted.answer;

  const read = await readBody(context, request, webhook);
  if (!read.go) return read.answer;

  const introduced = await shakeHands(context, 'unsigned', request, webhook, read.value);
  if (introduced !== null) return introduced;

  const json = new JsonBody(read.value);
  const verified = await verifySignature(context, request, webhook, json);
  if (!verified.go) return verified.answer;

  const parsed = parseJson(context, request, webhook, json, verified.value);
  if (!parsed.go) return parsed.answer;

  const shaken = await shakeHands(context, 'verified', request, webhook, read.value, parsed.value);
  if (shaken !== null) return shaken;

  const offer = composeOffer(context, request, webhook, read.value, verified.value, parsed.value);
  return record(context, webhook, offer, parsed.value);
}

const GREETINGS: { readonly [method: string]: HandshakeMoment } = { GET: 'get', HEAD: 'head', OPTIONS: 'options' };

/** Before step 2: what a provider sends to try the URL. `null` for any other request of these methods, which are then wrong. */
async function greet(context: IngressContext, request: IngressRequest): Promise<IngressAnswer | null> {
  const moment = GREETINGS[request.method];
  if (moment === undefined) return null;
  const path = parseWebhookPath(request.target);
  const webhook = path === null ? undefined : context.registry.current().webhooks.get(path.uid);
  if (webhook === undefined || webhook.handshakes.length === 0) return null;
  const { credential } = webhook;
  const isAddressed =
    credential.mode === 'url_token'
      ? path!.token !== null && 'accepts' in credential && credential.accepts(path!.token)
      : path!.token === null;
  return isAddressed ? shakeHands(context, moment, request, webhook, NO_BODY) : null;
}

const NO_BODY = Buffer.alloc(0);

async function shakeHands(
  context: IngressContext,
  moment: HandshakeMoment,
  { target, headers, clientAddress }: IngressRequest,
  webhook: LiveWebhook,
  body: Buffer,
  payload?: unknown,
): Promise<IngressAnswer | null> {
  if (webhook.handshakes.length === 0) return null;
  const { deliveriesPerMinute } = context.limits;
  const greeting = { query: readQuery(target).slice(1), headers, body, payload, deliveriesPerMinute, clientAddress };
  return answerHandshake(context, moment, greeting, webhook);
}

/** Steps 1 to 3: an unknown, a disabled and a deleted webhook are the same to a sender. */
function lookUp(
  { registry, metrics }: IngressContext,
  request: IngressRequest,
): Step<{ webhook: LiveWebhook; token: string | null }> {
  const path = parseWebhookPath(request.target);
  if (path !== null && request.method !== 'POST') {
    metrics.countRefusal('method_not_allowed');
    return end(answers.METHOD_NOT_ALLOWED);
  }
  const webhook = path === null ? undefined : registry.current().webhooks.get(path.uid);
  if (webhook === undefined || (path!.token !== null && webhook.credential.mode !== 'url_token')) {
    metrics.countRefusal('not_found');
    return end(answers.NOT_FOUND);
  }
  return go({ webhook, token: path!.token });
}

/** Steps 4 and 5 for `token` and `url_token`: before anything of the body is read. */
function authenticateToken(
  context: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  urlToken: string | null,
): Step<null> {
  const { credential } = webhook;
  if ('unreadable' in credential) return end(answerUnavailable(context, 'storage'));
  if (credential.mode === 'signature') return go(null);
  const presented =
    credential.mode === 'url_token' ? readUrlToken(urlToken) : readBearerToken(request.headers.get('authorization'));
  if (presented.ok && credential.accepts(presented.token)) return admitDelivery(context, webhook);
  const reason = presented.ok ? 'bad_credential' : presented.reason;
  return rejectCredential(context, request, webhook, { reason, detail: null, size: 0 });
}

function readUrlToken(token: string | null) {
  return token === null ? ({ ok: false, reason: 'missing_credential' } as const) : ({ ok: true, token } as const);
}

/** Step 5. A refusal writes no row. */
function admitDelivery({ limits, metrics, clock }: IngressContext, webhook: LiveWebhook): Step<null> {
  const admission = limits.admitDelivery(webhook.uid, clock.monotonicMs());
  if (admission.ok) return go(null);
  metrics.countRefusal('delivery_rate');
  return end(answers.tooManyRequests(admission.retryAfterSeconds));
}

/** Step 6. */
async function readBody(
  context: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
): Promise<Step<Buffer<ArrayBuffer>>> {
  const read = await request.readBody(context.maxBodyBytes);
  if (read.ok) return go(read.body);
  if (read.reason === 'aborted') return end(null);
  if (read.reason === 'overloaded') {
    context.metrics.countRefusal('overloaded');
    return end(answers.UNAVAILABLE);
  }
  reject(context, request, webhook, {
    label: 'Rejected (too large)',
    reason: 'too_large',
    detail: `over the limit of ${context.maxBodyBytes} bytes`,
    size: read.bytes,
  });
  return end(answers.tooLarge(context.maxBodyBytes));
}

/** Step 7, and step 5 for signed webhooks: only what verified counts against the delivery rate. */
async function verifySignature(
  context: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  json: JsonBody,
): Promise<Step<string | null>> {
  const { credential } = webhook;
  if (!('verify' in credential)) return go(null);
  const verdict = await credential.verify({
    ...{ method: request.method, headers: request.headers, body: json.body, nowMs: context.clock.wallMs() },
    json: () => json.value(),
    publicUrl: () => publicUrlOf(context, request, webhook),
  });
  if (!verdict.ok) {
    const { reason, detail } = verdict;
    // The sender did nothing wrong, and takes a `4xx` as final.
    if (reason === 'unavailable') return end(answerUnavailable(context, 'storage'));
    return rejectCredential(context, request, webhook, { reason, detail, size: json.body.length }, json.body);
  }
  const admitted = admitDelivery(context, webhook);
  return admitted.go ? go(verdict.identity) : admitted;
}

/** Step 8: RFC 8259 in valid UTF-8. Parsed once; the value goes to the filters, the bytes go to disk. */
function parseJson(
  context: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  json: JsonBody,
  providerIdentity: string | null,
): Step<unknown> {
  const parsed = json.parse();
  if (parsed.ok) return go(parsed.value);
  const { reason, detail } = parsed;
  const rejection = { label: 'Rejected (invalid JSON)', reason, detail, size: json.body.length } as const;
  reject(context, request, webhook, rejection, providerIdentity);
  return end(answers.INVALID_JSON);
}

/** Step 9, first half: identity, and what the delivery would start. */
function composeOffer(
  { clock, ids }: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  body: Buffer<ArrayBuffer>,
  providerIdentity: string | null,
  payload: unknown,
): DeliveryOffer {
  const nowMs = clock.wallMs();
  const bodyHash = hash('sha256', body, 'buffer');
  return {
    kind: 'offer',
    id: ids.deliveryId(nowMs),
    webhook: webhook.ref,
    size: body.length,
    receivedAt: nowMs,
    clientAddress: request.clientAddress,
    revision: webhook.revision,
    identity: identify(request.headers, webhook, providerIdentity, bodyHash),
    body,
    bodyHash,
    ...matchDelivery(webhook, payload, ids, nowMs),
  };
}

/** Step 9, second half: on disk first, then `202`. */
async function record(
  context: IngressContext,
  webhook: LiveWebhook,
  offer: DeliveryOffer,
  payload: unknown,
): Promise<Outcome> {
  const { identity, runs } = offer;
  const recorded = await context.recorder.offer(offer);
  if (recorded.outcome === 'failed') throw new AppError('storage_unavailable', recorded.message);
  const isNew = recorded.outcome === 'accepted';
  context.metrics.countDelivery(webhook.uid, isNew ? 'Accepted' : 'Duplicate');
  if (isNew && runs.length > 0) context.onRunsBorn(webhook.factory);
  const { pushBranch } = webhook;
  if (isNew && pushBranch !== null && concernsBranch(payload, pushBranch)) context.onPush(webhook.factory);
  return answers.accepted(identity.value);
}

/** `401`, or `429` once the budget of this webhook and client address is spent. Only the `401` leaves a row. */
function rejectCredential(
  context: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  rejection: Pick<RejectionEntry, 'reason' | 'detail' | 'size'>,
  body: Uint8Array = NO_BODY,
): Step<never> {
  const admission = context.limits.admitFailure(webhook.uid, request.clientAddress, context.clock.monotonicMs());
  if (!admission.ok) {
    context.metrics.countRefusal('failed_auth_rate');
    return end(answers.tooManyRequests(admission.retryAfterSeconds));
  }
  const row = reject(context, request, webhook, { label: 'Rejected (auth)', ...rejection });
  if (row !== null) capture(context, request, webhook, row, body);
  return end(answers.UNAUTHORIZED);
}

/** For `dockbell diagnose`, where the owner has opened a window; a token in the URL is the whole of its credential. */
function capture(
  context: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  { id, receivedAt }: RejectionEntry,
  body: Uint8Array,
): void {
  const { captures } = context;
  if (!captures.isOpen(webhook.uid) || webhook.credential.mode === 'url_token') return;
  const publicUrl = publicUrlOf(context, request, webhook);
  captures.keep(webhook.uid, { delivery: id, rawHeaders: request.headers.raw, body, publicUrl, receivedAt });
}

function publicUrlOf(context: IngressContext, request: IngressRequest, webhook: LiveWebhook): string {
  return `${context.baseUrl()}/webhooks/w/${webhook.uid}${readQuery(request.target)}`;
}

/** Leaves a row of metadata: never a body, never a credential. `null` where it was only counted. */
function reject(
  { clock, ids, metrics, rejectionRows }: IngressContext,
  request: IngressRequest,
  webhook: LiveWebhook,
  rejection: Pick<RejectionEntry, 'label' | 'reason' | 'detail' | 'size'>,
  providerIdentity: string | null = null,
): RejectionEntry | null {
  const nowMs = clock.wallMs();
  metrics.countDelivery(webhook.uid, rejection.label);
  const row: RejectionEntry = {
    kind: 'rejection',
    id: ids.deliveryId(nowMs),
    webhook: webhook.ref,
    receivedAt: nowMs,
    clientAddress: request.clientAddress,
    revision: webhook.revision,
    identity: findNamedIdentity(request.headers, webhook, providerIdentity),
    count: 1,
    ...rejection,
  };
  if (rejectionRows.add(row, clock.monotonicMs())) return row;
  metrics.countRefusal('rejection_rows');
  return null;
}

function answerUnavailable({ metrics }: IngressContext, fault: 'storage' | 'internal'): IngressAnswer {
  metrics.countRefusal(fault);
  return answers.UNAVAILABLE;
}

function go<T>(value: T): Step<T> {
  return { go: true, value };
}

function end(answer: Outcome): Step<never> {
  return { go: false, answer };
}
