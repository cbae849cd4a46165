import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity, SessionOwner } from '../../domain/access/access.ts';
import type { IdSource, RandomBytes } from '../../domain/ids.ts';
import type { SessionTable } from '../../domain/ports/access.ts';
import type { EventFeed } from '../../domain/ports/event-feed.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { createCredential, hashCredential } from '../../platform/secrets/credential.ts';
import { deriveCsrfToken, readSessionCookie, writeSessionCookie } from './session-cookie.ts';

export interface SessionParts {
  sessions: SessionTable;
  /** Maximum lifetime of a session. */
  sessionLifetimeMs: number;
  adminUrl(): string;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
}

/**
 * Signs somebody in: a new session with a new ID (no session survives a sign-in, threat model W3), whose
 * cookie goes out with the reply. Answers with the CSRF token that goes with it.
 */
export async function openSession(
  parts: SessionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: SessionOwner,
): Promise<string> {
  const now = parts.clock.wallMs();
  const earlier = readSessionCookie(request, parts.adminUrl());
  const found = earlier === null ? null : await parts.sessions.find(hashCredential(earlier), now);
  if (found !== null) await parts.sessions.end(found.session.id);
  const text = createCredential('', parts.randomBytes);
  const session = {
    id: parts.ids.sessionId(now),
    owner,
    clientAddress: request.ip,
    userAgent: readUserAgent(request),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + parts.sessionLifetimeMs,
  };
  await parts.sessions.insert(session, hashCredential(text));
  writeSessionCookie(request, reply, parts.adminUrl(), text);
  return deriveCsrfToken(text);
}

const MAX_USER_AGENT_CHARACTERS = 255;

function readUserAgent({ headers }: FastifyRequest): string | null {
  return headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null;
}

/** Who is signed in, as the interfaces show it. */
export function presentSession(
  { id, name, role, factories, kind }: Identity,
  csrfToken: string | null,
  events: Pick<EventFeed, 'position'>,
) {
  return { user: { id, name, role, factories, kind }, csrf_token: csrfToken, last_event_id: events.position() };
}
