import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import type { AuthMode } from '../../../domain/resources/webhook.ts';

/**
 * When a request is checked for a handshake. `get`, `head`, `options`: a request with that method, which carries no
 * signature. `unsigned`: a POST before its signature is checked. `verified`: a POST whose signature verified and whose
 * body is JSON.
 */
export type HandshakePhase = 'get' | 'head' | 'options' | 'unsigned' | 'verified';

/** A request that may be a handshake. */
export interface HandshakeRequest {
  /** What follows the first `?` of the request target; empty without a query. */
  query: string;
  headers: RequestHeaders;
  /** The exact bytes; empty for a GET, HEAD or OPTIONS. */
  body: Uint8Array;
  /** The parsed body in the phase `verified`; `undefined` in earlier phases. */
  payload: unknown;
  /** The number of deliveries that the webhook accepts per minute. */
  deliveriesPerMinute: number;
}

/** The secrets that the answers of a webhook need. */
export interface HandshakeKeys {
  /** The webhook's secret. */
  secretText: string;
  /** Is this, as decoded from a query, the verify token of the team? Always `false` if the webhook names none. */
  isVerifyToken(presented: string): boolean;
}

/** The answer that a provider expects. A body of `null` stands for no body. */
export interface HandshakeAnswer {
  status: 200 | 204;
  mediaType: 'text/plain; charset=utf-8' | 'application/json' | null;
  body: string;
  /** Further header fields: name, value, name, value. */
  headers: readonly string[];
}

/** What to do about a handshake of the right shape. */
export type HandshakeReply =
  /** `detail`: logged in addition to the outcome. */
  | { do: 'answer'; answer: HandshakeAnswer; detail?: string }
  /** Logged, and answered as if the webhook had no such handshake. */
  | { do: 'reject'; detail: string }
  /** The provider supplies the secret: it is stored and pinned before the answer is sent. */
  | { do: 'adopt'; secretText: string; answer: HandshakeAnswer }
  /** A checked URL is fetched later, outside of the request path. */
  | { do: 'confirm'; url: string; answer: HandshakeAnswer };

/** One row of the table of handshakes: a scheme, the shape of a request, the answer. */
export interface HandshakeRow {
  /** Unique; shown in the log. */
  name: string;
  /** Webhooks of this scheme answer it. `null`: webhooks with the mode `url_token`, whose senders sign nothing. */
  scheme: string | null;
  phase: HandshakePhase;
  /** Do only webhooks that name a verify token answer it? */
  needsVerifyToken: boolean;
  /** Is the answer a digest of the challenge under the webhook's secret? */
  signs: boolean;
  /** `null`: the request does not have exactly the shape of this handshake. Never throws. */
  respond(request: HandshakeRequest, keys: HandshakeKeys): HandshakeReply | null;
}

/** A handshake that one webhook answers, with its secrets. */
export interface LiveHandshake {
  name: string;
  phase: HandshakePhase;
  respond(request: HandshakeRequest): HandshakeReply | null;
}

/** The keys of a webhook that decide which handshakes it answers. */
export interface WebhookAuth {
  authMode: AuthMode;
  signatureScheme: string | null;
}

/**
 * The value that a team stores for a secret that the provider supplies in the handshake. Publicly known: while a webhook
 * is pinned to it, no signature verifies.
 */
export const SECRET_PLACEHOLDER = 'awaiting-x-hook-secret';

/** An unchanged challenge. `nosniff`: browsers must not interpret it as a page. */
export function textAnswer(body: string): HandshakeAnswer {
  return { status: 200, mediaType: 'text/plain; charset=utf-8', body, headers: ['X-Content-Type-Options', 'nosniff'] };
}

export function jsonAnswer(value: Record<string, string | number>): HandshakeAnswer {
  const headers = ['X-Content-Type-Options', 'nosniff'];
  return { status: 200, mediaType: 'application/json', body: JSON.stringify(value), headers };
}

/** @param headers name, value, name, value */
export function emptyAnswer(status: 200 | 204, headers: readonly string[] = []): HandshakeAnswer {
  return { status, mediaType: null, body: '', headers };
}

/** The answer, without another action. */
export function reply(answer: HandshakeAnswer): HandshakeReply {
  return { do: 'answer', answer };
}
