import type { RequestHeaders } from '../../core/headers.ts';
import type { AuthMode } from '../../core/resources/webhook.ts';

/**
 * When a handshake is looked for. `get`, `head`, `options`: a request of that method, which carries no signature. `unsigned`: a
 * POST before its signature is looked at. `verified`: a POST whose signature verified and whose body is JSON.
 */
export type HandshakePhase = 'get' | 'head' | 'options' | 'unsigned' | 'verified';

/** A request in which a handshake is looked for. */
export interface HandshakeRequest {
  /** What follows the first `?` of the request target; empty where there is nothing. */
  query: string;
  headers: RequestHeaders;
  /** The exact bytes; empty for a GET, HEAD or OPTIONS. */
  body: Uint8Array;
  /** The body parsed, at the phase `verified`; `undefined` before. */
  payload: unknown;
  /** The deliveries that the webhook accepts in a minute. */
  deliveriesPerMinute: number;
}

/** What the answers to a webhook's handshakes are made with. */
export interface HandshakeKeys {
  /** The webhook's secret. */
  secretText: string;
  /** Is this the verify token that the team chose? As decoded from a query. Always `false` where it chose none. */
  isVerifyToken(presented: string): boolean;
}

/** What a provider waits for. A body of `null` is none. */
export interface HandshakeAnswer {
  status: 200 | 204;
  mediaType: 'text/plain; charset=utf-8' | 'application/json' | null;
  body: string;
  /** Further header fields: name, value, name, value. */
  headers: readonly string[];
}

/** What to do about a handshake of the right shape. */
export type HandshakeReply =
  /** `detail`: what the log says beside the outcome. */
  | { do: 'answer'; answer: HandshakeAnswer; detail?: string }
  /** Logged, and answered as if there were no such handshake. */
  | { do: 'reject'; detail: string }
  /** The sender brings its secret along: it is stored and pinned before the answer leaves. */
  | { do: 'adopt'; secretText: string; answer: HandshakeAnswer }
  /** A checked URL is to be fetched, outside of the request path. */
  | { do: 'confirm'; url: string; answer: HandshakeAnswer };

/** What a person has to know of a handshake; Markdown, one paragraph each. */
export interface HandshakeGuide {
  /** What the provider sends, in a few words. */
  sends: string;
  /** What is answered, in a few words. */
  answered: string;
  /** What the team does, and what to look out for. */
  setUp: string;
}

/** One row of the table of handshakes: a scheme, the shape of a request, the answer. */
export interface HandshakeRow {
  /** Unique; what the log shows. */
  name: string;
  /** Webhooks of this scheme answer it. `null`: those of mode `url_token`, whose sender signs nothing. */
  scheme: string | null;
  /** Name of the provider for people. */
  title: string;
  phase: HandshakePhase;
  /** Is it answered only by webhooks that name a verify token? */
  needsVerifyToken: boolean;
  /** Is the answer a digest of the challenge under the webhook's secret? */
  signs: boolean;
  /** The provider's own page about it. */
  documentation: string;
  guide: HandshakeGuide;
  /** `null`: the request does not have exactly the shape of this handshake. Never throws, whatever it holds. */
  respond(request: HandshakeRequest, keys: HandshakeKeys): HandshakeReply | null;
}

/** A handshake that one webhook answers, its keys already inside. */
export interface LiveHandshake {
  name: string;
  phase: HandshakePhase;
  respond(request: HandshakeRequest): HandshakeReply | null;
}

/** Which webhooks a row is for. */
export interface WebhookAuth {
  authMode: AuthMode;
  signatureScheme: string | null;
}

/**
 * What a team stores as the value of a secret that the provider supplies in the handshake. Public knowledge: while a
 * webhook is pinned to it, no signature verifies.
 */
export const SECRET_PLACEHOLDER = 'awaiting-x-hook-secret';

/** A challenge as it came. Browsers must not take it for a page, whatever it holds. */
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

/** The answer, and nothing else to do. */
export function reply(answer: HandshakeAnswer): HandshakeReply {
  return { do: 'answer', answer };
}
