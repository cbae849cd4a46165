import type { ApiToken } from '../../domain/access/access.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { type Clock, formatInstant } from '../../domain/time/clock.ts';
import { expiresSoon } from '../../domain/words/credentials.ts';
import { Loop } from '../../platform/loop.ts';

const INTERVAL_MS = 24 * 3_600_000;

interface TokenExpiryParts {
  tokens: { list(): Promise<ApiToken[]> };
  clock: Pick<Clock, 'wallMs'>;
  logger: Logger;
}

/** Logs the API tokens that expire soon: at the start, and once a day. */
export function startTokenExpiryLog(parts: TokenExpiryParts): { stop(): Promise<void> } {
  const loop = new Loop({
    turn: async () => {
      await logExpiring(parts);
      return INTERVAL_MS;
    },
    onFailure: (error) => parts.logger.error({ err: error }, 'checking API tokens failed'),
    backoff: { firstMs: INTERVAL_MS, maxMs: INTERVAL_MS },
  });
  loop.start();
  return loop;
}

export async function logExpiring({ tokens, clock, logger }: TokenExpiryParts): Promise<void> {
  const nowMs = clock.wallMs();
  for (const { id, name, role, expiresAt } of (await tokens.list()).filter((token) => expiresSoon(token, nowMs))) {
    logger.warn({ token: id, name, role, expiresAt: formatInstant(expiresAt!) }, 'API token expires soon');
  }
}
