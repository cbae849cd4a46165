import type { HandshakeAnswer } from '../../definitions/signature/handshakes/handshake.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';

/** A complete answer. `headers` are name, value, name, value. */
export interface IngressAnswer {
  status: number;
  headers: readonly string[];
  body: string;
}

/**
 * Problem documents (RFC 9457). Documents of one status are identical, so that they reveal nothing to unauthenticated
 * senders.
 */
function problem(status: number, title: string, detail: string | null, extra: readonly string[] = []): IngressAnswer {
  const body = JSON.stringify({ type: 'about:blank', title, status, ...(detail === null ? {} : { detail }) });
  return { status, body, headers: [...contentHeaders('application/problem+json', body), ...extra] };
}

function contentHeaders(type: string, body: string): string[] {
  return ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body))];
}

export const NOT_FOUND = problem(404, 'Not Found', null);

export const METHOD_NOT_ALLOWED = problem(405, 'Method Not Allowed', 'deliveries are sent with POST', [
  'Allow',
  'POST',
]);

/** One fixed challenge for all modes (decisions, "Receiving a delivery"). */
export const UNAUTHORIZED = problem(401, 'Unauthorized', null, ['WWW-Authenticate', 'Bearer']);

export const INVALID_JSON = problem(400, 'Bad Request', 'the body is not valid JSON');

export const INVALID_FORM = problem(
  400,
  'Bad Request',
  'the body is not a valid form (application/x-www-form-urlencoded)',
);

/** @param maxBytes the limit that the body exceeds */
export function tooLarge(maxBytes: number): IngressAnswer {
  return problem(413, 'Content Too Large', `the body is larger than ${maxBytes} bytes`);
}

export function tooManyRequests(retryAfterSeconds: number): IngressAnswer {
  return problem(429, 'Too Many Requests', null, ['Retry-After', String(retryAfterSeconds)]);
}

/** For internal failures: never a `4xx`, which senders do not retry. */
export const UNAVAILABLE = problem(503, 'Service Unavailable', 'the delivery was not stored, send it again', [
  'Retry-After',
  '5',
]);

export const SEVERAL_HOSTS = problem(400, 'Bad Request', 'the request has more than one Host field');

export const UNKNOWN_TRANSFER_CODING = problem(501, 'Not Implemented', 'the only transfer coding is chunked');

export const HEALTHY = report(200, 'application/json', { status: 'ok' });

export const READY = report(200, 'application/json', { ready: true, problems: [] });

/** Omits the reasons, which may contain paths, because this listener is public. */
export const NOT_READY = report(503, 'application/problem+json', {
  type: 'urn:dockbell:problem:not-ready',
  title: 'Not ready',
  status: 503,
  detail: 'the reasons are under /readyz of the admin listener',
  code: 'not_ready',
  ready: false,
});

function report(status: number, type: string, document: object): IngressAnswer {
  const body = JSON.stringify(document);
  return { status, body, headers: contentHeaders(type, body) };
}

/** Accepted for evaluation; also for duplicates. */
export function accepted({ status, body: fixed }: LiveWebhook['success'], deliveryId: string): IngressAnswer {
  const body = fixed ?? `{"delivery_id":${JSON.stringify(deliveryId)}}`;
  return { status, body, headers: contentHeaders('application/json', body) };
}

/** The answer to a handshake request, which a provider needs before it sends deliveries. */
export function handshake({ status, mediaType, body, headers }: HandshakeAnswer): IngressAnswer {
  const bodyFields = mediaType === null ? [] : contentHeaders(mediaType, body);
  const emptyBodyFields = mediaType === null && status !== 204 ? ['Content-Length', '0'] : [];
  return { status, body, headers: [...bodyFields, ...emptyBodyFields, ...headers] };
}
