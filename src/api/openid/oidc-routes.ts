import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { networkOf } from '../../domain/network/client-address.ts';
import type { UserTable } from '../../domain/ports/access.ts';
import { SlidingWindow } from '../../domain/time/sliding-window.ts';
import type { FailedAttempts } from '../auth/failed-attempts.ts';
import { refTo } from '../openapi/schemas.ts';
import { PUBLIC } from '../server/access-rules.ts';
import { openSession, type SessionParts } from '../sessions/open-session.ts';
import { createPendingCookie } from './pending-cookie.ts';
import { readReturnPath } from './return-path.ts';
import {
  finishOidcSignIn,
  OIDC_REJECTIONS,
  type OidcOutcome,
  type OidcRejection,
  type OpenIdSignIn,
} from './sign-in-oidc.ts';

interface OidcRouteParts extends SessionParts {
  /** `null` if no OpenID provider is configured. */
  openId: OpenIdSignIn | null;
  users: UserTable;
  failedAttempts: FailedAttempts;
}

const tags = ['Sign-in'];
const LOGIN = '/auth/oidc/login';
const CALLBACK = '/auth/oidc/callback';

const redirect = (description: string) => ({ description, type: 'null' });
const config = { access: PUBLIC };

const loginQuery = {
  type: 'object',
  properties: {
    return_to: { type: 'string', description: 'The page of the dashboard to go to afterwards, as a path.' },
    here: { type: 'string', description: 'The browser was sent here from another address of this daemon.' },
  },
};

interface LoginQuery {
  return_to?: string;
  here?: string;
}

/** Sends browsers to the OpenID provider, and receives them back. Both are visited, not called by scripts. */
export function openIdPlugin(app: FastifyInstance, parts: OidcRouteParts): void {
  const { randomBytes, adminUrl, clock } = parts;
  const cookie = createPendingCookie(randomBytes, { adminUrl, nowMs: () => clock.wallMs() });
  const shared = { ...parts, cookie, reject: createRejection(parts) };
  registerLogin(app, shared);
  registerCallback(app, shared);
}

interface SignInParts extends OidcRouteParts {
  /** What a browser keeps while it is at the provider. */
  cookie: ReturnType<typeof createPendingCookie>;
  reject: Reject;
}

function registerLogin(app: FastifyInstance, parts: SignInParts): void {
  const { adminUrl, cookie, reject } = parts;
  app.get<{ Querystring: LoginQuery }>(
    LOGIN,
    {
      config,
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Sign in at the OpenID provider',
        querystring: loginQuery,
        response: { 303: redirect('To the provider, or back to the sign-in page.'), 404: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { provider } = requireOpenId(parts);
      const returnTo = readReturnPath(request.query.return_to);
      if (isElsewhere(request, adminUrl())) return reply.redirect(composeLogin(adminUrl(), returnTo), 303);
      const begun = await provider.begin();
      if (!begun.ok) return reject(request, reply, begun, returnTo);
      cookie.write(request, reply, { ...begun.pending, returnTo });
      return reply.redirect(begun.url, 303);
    },
  );
}

function registerCallback(app: FastifyInstance, parts: SignInParts): void {
  const { cookie, reject } = parts;
  app.get(
    CALLBACK,
    {
      config,
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Return from the OpenID provider',
        description: `A rejected sign-in leads to the sign-in page with one of these as \`error\`: ${OIDC_REJECTIONS.map((reason) => `\`${reason}\``).join(', ')}.`,
        response: {
          303: redirect('To the dashboard, or to the sign-in page with the reason as `error`.'),
          404: refTo('Problem'),
        },
      },
    },
    async (request, reply) => {
      const openId = requireOpenId(parts);
      request.signIn = { method: 'oidc', identity: null, about: null, rejection: null };
      const pending = cookie.take(request, reply);
      const query = readQuery(request);
      const isOurs = pending !== null && new URLSearchParams(query).get('state') === pending.state;
      const outcome = isOurs ? await finishWithin(parts, openId, request, query, pending) : EXPIRED;
      // The path is signed together with the state: if the state differs, neither is used.
      const returnTo = isOurs ? readReturnPath(pending.returnTo) : '/';
      if (!outcome.ok) {
        request.signIn.about = outcome.about;
        request.signIn.rejection = { status: outcome.reason === 'too_many' ? 429 : 401, reason: outcome.reason };
        return reject(request, reply, outcome, returnTo);
      }
      request.signIn.identity = outcome.user;
      await openSession(parts, request, reply, { user: outcome.user.id });
      return reply.redirect(returnTo, 303);
    },
  );
}

/** The sign-in page asks which ways there are. */
export function signInWaysPlugin(app: FastifyInstance, { openId }: Pick<OidcRouteParts, 'openId'>): void {
  app.get(
    '/sign-in',
    { config, schema: { tags, summary: 'Ways to sign in', response: { 200: refTo('SignInWays') } } },
    async () => ({ oidc: openId === null ? null : { label: openId.label, url: LOGIN } }),
  );
}

const EXPIRED: OidcOutcome = {
  ok: false,
  reason: 'expired',
  about: null,
  problem: 'no sign-in was started in this browser, or it was completed before',
};

function requireOpenId({ openId }: OidcRouteParts): OpenIdSignIn {
  if (openId === null) throw new AppError('not_found', 'No OpenID provider is configured (admin.oidc).');
  return openId;
}

/**
 * The provider sends browsers back to the one address that it knows, and cookies stay at theirs: `localhost` is another
 * than `127.0.0.1`. Once only, since a proxy may hide what the browser asked for.
 */
function isElsewhere({ headers, query }: FastifyRequest<{ Querystring: LoginQuery }>, adminUrl: string): boolean {
  return query.here === undefined && headers.host?.toLowerCase() !== new URL(adminUrl).host;
}

function composeLogin(adminUrl: string, returnTo: string): string {
  return `${adminUrl}${LOGIN}?${new URLSearchParams({ return_to: returnTo, here: '1' })}`;
}

function readQuery({ url }: FastifyRequest): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

/** Each attempt sends requests to the provider, so an address that keeps failing is limited. */
async function finishWithin(
  parts: OidcRouteParts,
  openId: OpenIdSignIn,
  { ip }: FastifyRequest,
  ...[query, pending]: [string, Parameters<typeof finishOidcSignIn>[3]]
): Promise<OidcOutcome> {
  try {
    const network = networkOf(ip);
    parts.failedAttempts.check(network);
    const outcome = await finishOidcSignIn(openId, parts, query, pending);
    if (!outcome.ok && outcome.reason !== 'too_many') parts.failedAttempts.charge(network);
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many_requests') throw error;
    return { ok: false, reason: 'too_many', problem: error.message, about: null };
  }
}

/** Log lines per minute about failed sign-ins, which anyone can cause. Metrics count all of them. */
const MAX_LINES_PER_MINUTE = 60;

type Reject = (
  request: FastifyRequest,
  reply: FastifyReply,
  rejection: { reason: OidcRejection; problem: string },
  returnTo: string,
) => FastifyReply;

/** Only the reason is sent to the page, which has the sentence: an untrusted link must not add text to it. */
function createRejection({ clock }: OidcRouteParts): Reject {
  const window = new SlidingWindow(MAX_LINES_PER_MINUTE, 60_000);
  return (request, reply, { reason, problem }, returnTo) => {
    if (window.admit(clock.monotonicMs()) === 0) {
      request.log.warn({ reason, problem, address: request.ip }, 'sign-in at the OpenID provider failed');
    }
    const query = new URLSearchParams({ error: reason, ...(returnTo === '/' ? {} : { return_to: returnTo }) });
    return reply.redirect(`/login?${query}`, 303);
  };
}
