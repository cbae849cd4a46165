import type { Logger } from '../../domain/ports/logger.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** Cookies and tokens would cross the network for all to read (threat model W5). */
export function warnOfPlainText({ host, url }: { host: string; url: string | null }, logger: Logger): void {
  if (LOOPBACK.test(host) || url?.startsWith('https:')) return;
  const advice = 'put a proxy with TLS in front of it and set admin.url, or bind it to loopback';
  logger.warn({ host }, `the admin listener is reachable from other machines without TLS: ${advice}`);
}
