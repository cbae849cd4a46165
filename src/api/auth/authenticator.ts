import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { ApiToken, Role } from '../../core/access.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, messageOf } from '../../core/errors.ts';
import type { TokenId } from '../../core/ids.ts';
import type { TokenTable } from '../../core/ports/token-table.ts';
import { hashApiToken, isApiTokenText } from './create-api-token.ts';

/** Who asks, once the credentials are known to be good. */
export interface Principal {
  tokenId: TokenId;
  /** The token's name, for the history. */
  name: string;
  role: Role;
  /** Names of the factories it is limited to; `null` for all. */
  factories: string[] | null;
}

/** Finds out who asks; throws `unauthorized` where the credentials are missing or wrong. */
export type Authenticator = (request: FastifyRequest) => Promise<Principal>;

const TOUCH_INTERVAL_MS = 60_000;

/** Authenticates by `Authorization: Bearer dbk_…`. Notes when a token was last used, at most once a minute. */
export function createAuthenticator(services: {
  tokens: TokenTable;
  clock: Clock;
  logger: FastifyBaseLogger;
}): Authenticator {
  const touch = createTouch(services);
  return async (request) => {
    const token = readBearer(request.headers.authorization);
    const record = token === null ? null : await services.tokens.findByHash(hashApiToken(token));
    if (record === null) throw new AppError('unauthorized', refusalFor(request.headers.authorization));
    touch(record);
    return { tokenId: record.id, name: record.name, role: record.role, factories: record.factories };
  };
}

/** May this principal see what belongs to that factory? */
export function reachesFactory(principal: Principal, factory: string): boolean {
  return principal.factories === null || principal.factories.includes(factory);
}

function readBearer(authorization: string | undefined): string | null {
  const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  return token !== undefined && isApiTokenText(token) ? token : null;
}

function refusalFor(authorization: string | undefined): string {
  return authorization === undefined
    ? 'Send an API token as "Authorization: Bearer dbk_…".'
    : 'The API token is not valid. It may have been revoked.';
}

/** A failed note of use is logged and otherwise ignored: it must not turn a good request away. */
function createTouch({ tokens, clock, logger }: { tokens: TokenTable; clock: Clock; logger: FastifyBaseLogger }) {
  const touchedAt = new Map<TokenId, number>();
  return (record: ApiToken): void => {
    const now = clock.monotonicMs();
    const last = touchedAt.get(record.id);
    if (last !== undefined && now - last < TOUCH_INTERVAL_MS) return;
    touchedAt.set(record.id, now);
    tokens.touch(record.id, clock.wallMs()).catch((error: unknown) => {
      logger.warn({ token: record.id, problem: messageOf(error) }, 'could not note the use of an API token');
    });
  };
}
