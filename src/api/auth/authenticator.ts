import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { ApiToken, Identity, Session } from '../../domain/access/access.ts';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { SessionId } from '../../domain/ids.ts';
import { networkOf } from '../../domain/network/client-address.ts';
import type { RunTokenHolder, RunTokenTable, SessionTable, TokenTable } from '../../domain/ports/access.ts';
import type { Hold } from '../../domain/ports/workers.ts';
import { type Clock, formatInstant } from '../../domain/time/clock.ts';
import { CLOCK_TOLERANCE_MS } from '../../domain/time/steady-clock.ts';
import { hasExpired } from '../../domain/words/credentials.ts';
import { isApiTokenText, isRunTokenText } from '../../platform/secrets/create-api-token.ts';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { isCsrfToken, readSessionCookie } from '../sessions/session-cookie.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { requireSameOrigin } from './require-same-origin.ts';

/** Who sends the request, after the credentials were verified. */
export interface Principal extends Identity {
  /** The session that the request came with; `null` where it came with an API token. */
  sessionId: SessionId | null;
  /** Wall time when the session ends unless it is used before, or when the API token expires; `null` if it never does. */
  endsAt: number | null;
  /** The only attempt that a receiver may report about; `null` for everybody else. */
  hold: Hold | null;
}

/**
 * Finds out who sends the request. Throws `unauthorized` if the credentials are missing or wrong. With `isUse` false, for a request
 * that is still being answered, the check neither extends an idle session nor counts as a failed attempt. A request with
 * `X-Unattended`, which our pages send while nobody is there, does not extend the session either.
 */
export type Authenticator = (request: FastifyRequest, isUse?: boolean) => Promise<Principal>;

interface AuthenticatorParts {
  tokens: TokenTable;
  runTokens: Pick<RunTokenTable, 'findByHash'>;
  sessions: SessionTable;
  /** Failed attempts by client address. A valid credential is never counted, so the failures of others do not block it. */
  failedAttempts: FailedAttempts;
  /** How long a session lasts without being used. */
  sessionIdleMs: number;
  /** The public address of the admin listener. */
  adminUrl(): string;
  clock: Clock;
  logger: FastifyBaseLogger;
}

/** A use is noted once in this time at most: a write for each request would be one for each read. */
const TOUCH_INTERVAL_MS = 60_000;
/** Of its idle time, what a session may lose because its last use was not noted. */
const MAX_IDLE_SHARE = 1 / 10;

/**
 * Authenticates by `Authorization: Bearer dbk_…`, or `dbr_…` for the receiver of a run, or else by the session cookie, which requires the session's CSRF
 * token for every method except GET and HEAD. A request with both counts as one with the token. Notes when either was last used.
 */
export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const byToken = createTokenAuthenticator(parts);
  const bySession = createSessionAuthenticator(parts);
  return (request, isUse) =>
    request.headers.authorization === undefined ? bySession(request, isUse) : byToken(request, isUse);
}

/** May this principal see what belongs to that factory? */
export function reachesFactory(principal: Identity, factory: string): boolean {
  return principal.factories === null || principal.factories.includes(factory);
}

function createTokenAuthenticator({ tokens, runTokens, failedAttempts, ...parts }: AuthenticatorParts): Authenticator {
  const note = (id: Parameters<TokenTable['touch']>[0], at: number) => tokens.touch(id, at);
  const touch = createTouch(parts, { what: 'an API token', intervalMs: TOUCH_INTERVAL_MS }, note);
  return async (request, isUse = true) => {
    const text = readBearer(request.headers.authorization, isApiTokenText);
    const holder = await findHolder(request, runTokens);
    if (holder !== null) return describeReceiver(holder);
    const record = text === null ? null : await tokens.findByHash(hashCredential(text));
    if (record === null) {
      if (isUse) failedAttempts.charge(networkOf(request.ip));
      throw new AppError('unauthorized', 'The API token is not valid. It may have been revoked.');
    }
    if (hasExpired(record, parts.clock.wallMs())) throw describeExpiry(record);
    if (isUse) touch(record.id);
    const { id, name, role, factories, expiresAt } = record;
    return { kind: 'token', id, name, role, factories, sessionId: null, endsAt: expiresAt, hold: null };
  };
}

/** For a caller who has the token, so it may be named. */
export function describeExpiry({ name, expiresAt }: Pick<ApiToken, 'name' | 'expiresAt'>): AppError {
  const message = `The API token ${name} expired at ${formatInstant(expiresAt!)}. Create a new one with "dockbell token create".`;
  return new AppError('unauthorized', message);
}

/** The attempt of a token of a run; `null` for any other credential. */
async function findHolder({ headers }: FastifyRequest, runTokens: Pick<RunTokenTable, 'findByHash'>) {
  const text = readBearer(headers.authorization, isRunTokenText);
  return text === null ? null : runTokens.findByHash(hashCredential(text));
}

/** A receiver has the role of a worker, and `hold` limits it to one attempt. */
function describeReceiver({ run, factory, attempt }: RunTokenHolder): Principal {
  const hold = { id: run, fence: attempt, isReceiver: true };
  return { kind: 'run', id: run, name: run, role: 'worker', factories: [factory], sessionId: null, endsAt: null, hold };
}

function readBearer(authorization: string | undefined, hasForm: (text: string) => boolean): string | null {
  const token = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  return token !== undefined && hasForm(token) ? token : null;
}

function createSessionAuthenticator({
  sessions,
  sessionIdleMs,
  adminUrl,
  ...parts
}: AuthenticatorParts): Authenticator {
  const intervalMs = Math.min(TOUCH_INTERVAL_MS, sessionIdleMs * MAX_IDLE_SHARE);
  const note = (id: SessionId, at: number) => sessions.touch(id, at);
  const touch = createTouch(parts, { what: 'a session', intervalMs }, note);
  return async (request, isUse = true) => {
    const text = readSessionCookie(request, adminUrl());
    if (text === null) throw new AppError('unauthorized', NOBODY);
    const nowMs = parts.clock.wallMs();
    const found = await sessions.find(hashCredential(text), nowMs);
    if (found === null || hasEnded(found.session, nowMs, sessionIdleMs)) throw new AppError('unauthorized', ENDED);
    requireIntent(request, text);
    if (isUse && request.headers['x-unattended'] === undefined) touch(found.session.id);
    const { id, lastUsedAt, expiresAt } = found.session;
    const endsAt = Math.min(expiresAt, lastUsedAt + sessionIdleMs);
    return { ...found.identity, sessionId: id, endsAt, hold: null };
  };
}

/** A use in the future was noted by a clock that was wrong: such a session could not end for as long as it was wrong by. */
function hasEnded({ lastUsedAt }: Session, nowMs: number, sessionIdleMs: number): boolean {
  const idleMs = nowMs - lastUsedAt;
  return idleMs >= sessionIdleMs || idleMs < -CLOCK_TOLERANCE_MS;
}

const NOBODY = 'Send an API token as "Authorization: Bearer dbk_…", or sign in.';
const ENDED = 'The session has ended. Sign in again.';

/** Browsers send cookies with every request, also if another site caused it. Token and origin prove that our page did. */
function requireIntent(request: FastifyRequest, sessionText: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  requireSameOrigin(request);
  if (isCsrfToken(sessionText, request.headers['x-csrf-token'])) return;
  throw new AppError('forbidden', 'The header X-CSRF-Token is missing or is not that of this session.');
}

/** At most once in the interval. A note that fails is logged and otherwise ignored: it must not turn a good request away. */
function createTouch<Id extends string>(
  { clock, logger }: Pick<AuthenticatorParts, 'clock' | 'logger'>,
  { what, intervalMs }: { what: string; intervalMs: number },
  note: (id: Id, at: number) => Promise<void>,
): (id: Id) => void {
  const touchedAt = new Map<Id, number>();
  return (id) => {
    const now = clock.monotonicMs();
    const last = touchedAt.get(id);
    if (last !== undefined && now - last < intervalMs) return;
    touchedAt.delete(id);
    touchedAt.set(id, now);
    if (touchedAt.size > MAX_TOUCHED) touchedAt.delete(touchedAt.keys().next().value!);
    note(id, clock.wallMs()).catch((error: unknown) => {
      logger.warn({ id, problem: messageOf(error) }, `could not note the use of ${what}`);
    });
  };
}

/** Bounds the memory. The sessions used longest ago are dropped, and their next use is noted again. */
const MAX_TOUCHED = 10_000;
