import type { ApiToken } from '../../domain/access.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { type Clock, formatInstant } from '../../domain/time/clock.ts';
import { expiresSoon } from '../../domain/words/token-expiry.ts';

const INTERVAL_MS = 24 * 3_600_000;

export interface TokenExpiryParts {
  tokens: { list(): Promise<ApiToken[]> };
  clock: Pick<Clock, 'wallMs'>;
  logger: Logger;
}

/** Logs the API tokens that expire soon: at the start, and once a day. */
export function startTokenExpiryLog(parts: TokenExpiryParts): { stop(): void } {
  const check = () =>
    void logExpiring(parts).catch((error) => parts.logger.error({ err: error }, 'checking API tokens failed'));
  check();
  const timer = setInterval(check, INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

export async function logExpiring({ tokens, clock, logger }: TokenExpiryParts): Promise<void> {
  const nowMs = clock.wallMs();
  for (const { id, name, role, expiresAt } of (await tokens.list()).filter((token) => expiresSoon(token, nowMs))) {
    logger.warn({ token: id, name, role, expiresAt: formatInstant(expiresAt!) }, 'API token expires soon');
  }
}
