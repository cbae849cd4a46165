import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity, SessionOwner, User } from '../../domain/access/access.ts';
import type { SignInMethod } from '../../domain/access/audit.ts';
import { AppError } from '../../domain/errors.ts';
import { networkOf } from '../../domain/network/client-address.ts';
import type { TokenTable } from '../../domain/ports/access.ts';
import type { EventFeed } from '../../domain/ports/event-feed.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { hasExpired } from '../../domain/words/credentials.ts';
import { isApiTokenText } from '../../platform/secrets/create-api-token.ts';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { describeExpiry } from '../auth/authenticator.ts';
import type { FailedAttempts } from '../auth/failed-attempts.ts';
import { findByPassword, type PasswordParts } from '../auth/find-by-password.ts';
import { requireGoodPassword } from '../auth/passwords.ts';
import { requireSameOrigin } from '../auth/require-same-origin.ts';
import { noBody, refTo } from '../openapi/schemas.ts';
import { PUBLIC, requireRole } from '../server/access-rules.ts';
import { principalOf } from '../server/reach.ts';
import { createLoginLink, type LoginLinkParts, takeLoginLink } from './create-login-link.ts';
import { openSession, presentSession, type SessionParts } from './open-session.ts';
import { clearSessionCookie, deriveCsrfToken, readSessionCookie } from './session-cookie.ts';

interface SessionRouteParts extends SessionParts, LoginLinkParts, PasswordParts {
  tokens: TokenTable;
  failedAttempts: FailedAttempts;
  events: Pick<EventFeed, 'position'>;
}

const tags = ['Sign-in'];

type SignInBody = { username: string; password: string } | { login_token: string } | { api_token: string };

const credential = { type: 'string', minLength: 1, maxLength: 1024 };

function bodyWith(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, credential]));
  return { type: 'object', required: names, additionalProperties: false, properties };
}

const signInSchema = {
  anyOf: [bodyWith('username', 'password'), bodyWith('login_token'), bodyWith('api_token')],
  description: 'One kind of credentials: a name and a password, the token of a login link, or an API token.',
};

/** Signing in, asking who is signed in, signing out; and links that sign somebody in once. */
export function registerSessionRoutes(app: FastifyInstance, parts: SessionRouteParts): void {
  registerSignIn(app, parts);
  registerLoginLinks(app, parts);
  registerPassword(app, parts);
  const config = { access: requireRole('viewer', 'listed') };

  app.get(
    '/session',
    { config, schema: { tags, summary: 'Show the signed-in user', response: { 200: refTo('SignedIn') } } },
    async (request) => {
      const text = readSessionCookie(request, parts.adminUrl());
      const principal = principalOf(request);
      return presentSession(principal, principal.sessionId === null ? null : deriveCsrfToken(text!), parts.events);
    },
  );

  app.delete(
    '/session',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags,
        summary: 'Sign out',
        body: noBody,
        response: {
          204: { type: 'null', description: 'The session has ended, and its cookie is invalid.' },
        },
      },
    },
    async (request, reply) => {
      const { sessionId } = principalOf(request);
      if (sessionId !== null) await parts.sessions.end(sessionId);
      clearSessionCookie(request, reply, parts.adminUrl());
      return reply.code(204).send();
    },
  );
}

function registerSignIn(app: FastifyInstance, parts: SessionRouteParts): void {
  app.post<{ Body: SignInBody }>(
    '/session',
    {
      config: { access: PUBLIC },
      schema: {
        tags,
        summary: 'Sign in',
        description:
          'Sets the session cookie. Requests with the cookie that change something need the `csrf_token` of the response in `X-CSRF-Token`. Too many failed attempts from one address return `too_many_requests`.',
        body: signInSchema,
        response: { 200: refTo('SignedIn'), 401: refTo('Problem'), 403: refTo('Problem'), 429: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { method, authenticate } = readCredentials(parts, request);
      request.signIn = { method, identity: null, about: await findNamedUser(parts, request.body), rejection: null };
      requireSameOrigin(request);
      const found = await authenticate();
      if (found === null) throw reject(parts, request);
      request.signIn.identity = found.identity;
      return signIn(parts, request, reply, found);
    },
  );
}

/** Credentials, and how to find out whose they are: `null` if they are wrong in any way. */
interface Credentials {
  method: SignInMethod;
  authenticate(): Promise<SigningIn | null>;
}

function readCredentials(parts: SessionRouteParts, { body, ip }: FastifyRequest<{ Body: SignInBody }>): Credentials {
  if ('login_token' in body) return { method: 'login_link', authenticate: () => useLink(parts, body.login_token) };
  if ('api_token' in body) return { method: 'api_token', authenticate: () => useToken(parts, body.api_token) };
  return { method: 'password', authenticate: () => usePassword(parts, body, ip) };
}

/** Only a name that exists is noted: people type passwords into the wrong field. */
async function findNamedUser({ users }: SessionRouteParts, body: SignInBody): Promise<string | null> {
  return 'username' in body ? ((await users.findLocal(body.username))?.user.name ?? null) : null;
}

/** Somebody whose credentials were good. */
interface SigningIn {
  identity: Identity;
  owner: SessionOwner;
}

async function signIn(parts: SessionRouteParts, request: FastifyRequest, reply: FastifyReply, found: SigningIn) {
  const csrfToken = await openSession(parts, request, reply, found.owner);
  return reply.send(presentSession(found.identity, csrfToken, parts.events));
}

async function useLink(parts: SessionRouteParts, token: string): Promise<SigningIn | null> {
  const link = await takeLoginLink(parts, token);
  if (link === null) return null;
  const identity = { kind: 'link', id: link.id, name: 'login link', role: 'owner', factories: null } as const;
  return { identity, owner: { link: link.id } };
}

async function useToken(parts: SessionRouteParts, text: string): Promise<SigningIn | null> {
  const token = isApiTokenText(text) ? await parts.tokens.findByHash(hashCredential(text)) : null;
  if (token === null) return null;
  if (hasExpired(token, parts.clock.wallMs())) throw describeExpiry(token);
  if (token.role === 'worker') throw new AppError('forbidden', 'A token with the role worker cannot sign in.');
  return { identity: { kind: 'token', ...token }, owner: { token: token.id } };
}

async function usePassword(
  parts: SessionRouteParts,
  { username, password }: { username: string; password: string },
  address: string,
): Promise<SigningIn | null> {
  const user = await findByPassword(parts, { name: username, password, address });
  if (user === null) return null;
  await parts.users.noteSignIn(user.id, parts.clock.wallMs());
  return { identity: user, owner: { user: user.id } };
}

/** One response for every kind of wrong credentials. It counts against the client's address. */
function reject({ failedAttempts }: SessionRouteParts, request: FastifyRequest): AppError {
  failedAttempts.charge(networkOf(request.ip));
  const help = 'A login link works once and for a short time; "dockbell login-link" makes a new one.';
  return new AppError('unauthorized', `These credentials are not valid. ${help}`);
}

interface PasswordBody {
  current_password: string;
  new_password: string;
}

function registerPassword(app: FastifyInstance, parts: SessionRouteParts): void {
  app.post<{ Body: PasswordBody }>(
    '/session/password',
    {
      config: { access: requireRole('viewer', 'listed'), changes: 'stored' },
      schema: {
        tags,
        summary: 'Change the password of the signed-in user',
        description:
          'All sessions of the user end; the response sets the cookie of a new one. Too many failed attempts return `too_many_requests`.',
        body: bodyWith('current_password', 'new_password'),
        response: { 200: refTo('SignedIn'), 409: refTo('Problem'), 429: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const user = await requirePasswordUser(parts, request);
      requireGoodPassword(request.body.new_password, user.name);
      const passwordHash = await parts.passwords.hash(request.body.new_password);
      await parts.users.change(user.id, { passwordHash }, parts.clock.wallMs());
      return signIn(parts, request, reply, { identity: user, owner: { user: user.id } });
    },
  );
}

/** The user who is signed in, after they sent their current password. */
async function requirePasswordUser(
  parts: SessionRouteParts,
  request: FastifyRequest<{ Body: PasswordBody }>,
): Promise<User> {
  const { kind, name } = principalOf(request);
  if (kind !== 'local') throw new AppError('conflict', 'Only users with a password here can change it.');
  const { current_password: password } = request.body;
  const user = await findByPassword(parts, { name, password, address: request.ip });
  if (user === null) throw new AppError('forbidden', 'The current password is wrong.');
  return user;
}

function registerLoginLinks(app: FastifyInstance, parts: SessionRouteParts): void {
  app.post(
    '/login-links',
    {
      config: { access: requireRole('owner', 'team'), idempotent: true, changes: 'stored' },
      schema: {
        tags,
        summary: 'Create a link that signs in as an owner, once',
        description: 'Works for 15 minutes. The token is the fragment of the URL, which browsers never send.',
        body: noBody,
        response: { 201: refTo('LoginLink') },
      },
    },
    async (_request, reply) => {
      const { link, url } = await createLoginLink(parts, 'request');
      return reply.code(201).send({ id: link.id, url, expires_at: formatInstant(link.expiresAt) });
    },
  );
}
