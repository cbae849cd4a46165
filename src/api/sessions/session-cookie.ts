import { createHmac, timingSafeEqual } from 'node:crypto';
import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Over TLS the prefix binds the cookie to this very host; elsewhere browsers do not take one with that prefix. */
const SECURE_NAME = '__Host-dockbell';
const PLAIN_NAME = 'dockbell';

/** What the cookie holds: 32 bytes in base64url. */
const SESSION_TEXT = /^[A-Za-z0-9_-]{43}$/;

/**
 * Does the browser use TLS? Either a trusted proxy reports it, or the request is meant for the configured address
 * of the dashboard and that is an https one. The daemon itself speaks plain HTTP only.
 */
export function isOverTls(request: FastifyRequest, adminUrl: string): boolean {
  if (request.protocol === 'https') return true;
  const { protocol, host } = new URL(adminUrl);
  return protocol === 'https:' && request.headers.host?.toLowerCase() === host;
}

/** What the session cookie of the request holds; `null` if it has no valid one. */
export function readSessionCookie(request: FastifyRequest, adminUrl: string): string | null {
  const text = request.server.parseCookie(request.headers.cookie ?? '')[
    isOverTls(request, adminUrl) ? SECURE_NAME : PLAIN_NAME
  ];
  return text !== undefined && SESSION_TEXT.test(text) ? text : null;
}

/** Hidden from scripts, not sent with requests of other sites (threat model W2), and deleted with the browser session. */
export function writeSessionCookie(request: FastifyRequest, reply: FastifyReply, adminUrl: string, text: string): void {
  setCookie(request, reply, adminUrl, text, {});
}

/** Makes the browser forget the cookie. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, adminUrl: string): void {
  setCookie(request, reply, adminUrl, '', { maxAge: 0 });
}

function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  adminUrl: string,
  text: string,
  more: { maxAge?: number },
): void {
  const secure = isOverTls(request, adminUrl);
  const flags = { httpOnly: true, sameSite: 'strict', path: '/', secure, ...more } as const;
  void reply.setCookie(secure ? SECURE_NAME : PLAIN_NAME, text, flags);
}

/** The token that goes with a session in `X-CSRF-Token`. Follows from the session, so that nothing more is stored. */
export function deriveCsrfToken(sessionText: string): string {
  return createHmac('sha256', sessionText).update('csrf').digest('base64url');
}

/** Is this the token of that session? */
export function isCsrfToken(sessionText: string, presented: unknown): boolean {
  const expected = Buffer.from(deriveCsrfToken(sessionText));
  const given = Buffer.from(typeof presented === 'string' ? presented : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
