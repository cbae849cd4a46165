import type { FastifyInstance } from 'fastify';
import { type Session, type SessionOwner, sessionOwnerOf } from '../../domain/access/access.ts';
import { AppError } from '../../domain/errors.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { SessionTable, UserTable } from '../../domain/ports/access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { presentBrowser } from '../auth/present-access.ts';
import { listOf, noBody } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { principalOf } from '../server/reach.ts';
import { findUser } from '../users/require-known.ts';

interface SessionListRouteParts {
  sessions: SessionTable;
  users: UserTable;
  /** How long a session lasts without being used. */
  sessionIdleMs: number;
  clock: Pick<Clock, 'wallMs'>;
}

const tags = ['Sign-in'];

/** Where somebody is signed in: for everybody the own sessions, for owners those of each user. */
export function registerSessionListRoutes(app: FastifyInstance, parts: SessionListRouteParts): void {
  registerOwnSessions(app, parts);
  registerSessionsOfUsers(app, parts);
}

function registerOwnSessions(app: FastifyInstance, parts: SessionListRouteParts): void {
  const config = { access: requireRole('viewer', 'listed') };

  app.get(
    '/sessions',
    {
      config,
      schema: { tags, summary: 'List the sessions of the signed-in user', response: { 200: listOf('Session') } },
    },
    async (request) => {
      const principal = principalOf(request);
      return presentSessions(await listOpen(parts, sessionOwnerOf(principal)), principal.sessionId);
    },
  );

  app.delete(
    '/sessions',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags,
        summary: 'Sign out everywhere else',
        body: noBody,
        response: { 204: { type: 'null', description: 'All other sessions of this user were signed out.' } },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      await parts.sessions.endAll(sessionOwnerOf(principal), principal.sessionId);
      return reply.code(204).send();
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    {
      config: { ...config, changes: 'found' },
      schema: {
        tags,
        summary: 'End one session of the signed-in user',
        body: noBody,
        response: { 204: { type: 'null', description: 'The session has ended.' } },
      },
    },
    async (request, reply) => {
      const own = await parts.sessions.listOf(sessionOwnerOf(principalOf(request)), parts.clock.wallMs());
      const wanted = own.find(({ id }) => id === request.params.id);
      // A session of somebody else answers as one that does not exist.
      const hasEnded = wanted !== undefined && (await parts.sessions.end(wanted.id));
      if (!hasEnded) throw new AppError('not_found', 'You have no such session.');
      return reply.code(204).send();
    },
  );
}

function registerSessionsOfUsers(app: FastifyInstance, parts: SessionListRouteParts): void {
  const config = { access: requireRole('owner', 'team') };

  app.get<{ Params: { id: string } }>(
    '/users/:id/sessions',
    {
      config,
      schema: { tags: ['Users'], summary: 'List the sessions of a user', response: { 200: listOf('Session') } },
    },
    async (request) => {
      const { id } = await findUser(parts, request.params.id);
      return presentSessions(await listOpen(parts, { user: id }), principalOf(request).sessionId);
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/users/:id/sessions',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags: ['Users'],
        summary: 'Sign a user out everywhere',
        body: noBody,
        response: { 204: { type: 'null', description: 'All sessions of the user have ended.' } },
      },
    },
    async (request, reply) => {
      const { id } = await findUser(parts, request.params.id);
      await parts.sessions.endAll({ user: id }, null);
      return reply.code(204).send();
    },
  );
}

/** Those whose next request would be answered: what was idle for too long is still stored until it expires. */
async function listOpen(
  { sessions, sessionIdleMs, clock }: SessionListRouteParts,
  owner: SessionOwner,
): Promise<Session[]> {
  const now = clock.wallMs();
  return (await sessions.listOf(owner, now)).filter(({ lastUsedAt }) => now - lastUsedAt < sessionIdleMs);
}

function presentSessions(sessions: readonly Session[], current: SessionId | null) {
  return { data: sessions.map((session) => presentBrowser(session, current)), next_cursor: null };
}
