import type { FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';

/**
 * Throws `forbidden` where a browser says that another site's page makes the request (threat model W2). Browsers fill
 * in `Sec-Fetch-Site` where the connection can be trusted (https, loopback) and `Origin` with every unsafe method; no
 * page can forge either. Programs other than browsers send neither.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (isOwnPage(request)) return;
  throw new AppError('forbidden', 'The request comes from a page of another origin.');
}

function isOwnPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  // The scheme is not compared: a proxy in front may speak HTTPS while the daemon does not. The host is an allowed one.
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase());
}
