import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../../core/access.ts';
import type { AuditEntry, SignInMethod } from '../../core/audit.ts';
import { messageOf } from '../../core/errors.ts';
import type { IdSource } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import type { AuditLog } from '../../core/ports/access/audit-log.ts';
import type { SignInOutcome } from '../../core/ports/metrics.ts';
import { AUTOMATION_FIELDS } from '../../core/resources/automation.ts';
import { auditedNames } from '../../core/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../core/resources/webhook.ts';
import type { Clock } from '../../core/time/clock.ts';
import { SlidingWindow } from '../../core/time/sliding-window.ts';
import { API_PREFIX } from '../server/enforce-access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `false` for a route that changes nothing although its method could. `'found'` for a route whose objects end
     * automatically at any time: a 404 is then no rejected change.
     */
    changes?: false | 'found';
  }
  interface FastifyRequest {
    /** An attempt to sign in, successful or not; `null` for all other requests. */
    signIn: SignInAttempt | null;
    /** What the request has changed, if its body does not say it. Shown in the audit log in addition to the body. */
    auditResult: JsonObject | null;
    /** Further objects that the change is about; `null` for none. */
    auditObjects: readonly string[] | null;
  }
}

/** An attempt to sign in. */
export interface SignInAttempt {
  method: SignInMethod;
  /** Who it was; `null` if the credentials were wrong. */
  identity: Identity | null;
  /** Name of the user it was about; `null` if no user has the name that was sent, which may be a password. */
  about: string | null;
  /** If a browser is sent back to the sign-in page: the status that the redirect represents, and the reason. */
  rejection: { status: number; reason: string } | null;
}

export interface AuditParts {
  auditLog: AuditLog;
  clock: Clock;
  ids: IdSource;
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
}

/** Failed attempts to sign in that are logged per minute. The others are counted, so that a flood does not fill the disk. */
const MAX_FAILURES_PER_MINUTE = 60;

/**
 * The one place where the audit log is written: for every route that changes something, and every attempt to sign
 * in, before the response is sent. If it cannot be written, the daemon logs an error and the response is sent anyway:
 * the change has been made.
 */
export function auditChanges(app: FastifyInstance, parts: AuditParts): void {
  const admitFailure = createFailureCap(parts.clock);
  app.decorateRequest('signIn', null);
  app.decorateRequest('auditResult', null);
  app.decorateRequest('auditObjects', null);
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isLogged(request, reply)) return;
    if (request.signIn !== null) parts.countSignIn(request.signIn.method, rateStatus(statusOf(request, reply)));
    const entry = describe(parts, request, reply, payload);
    const omitted = entry.actor === null ? admitFailure() : 0;
    if (omitted === null) return;
    if (omitted > 0) entry.changes = { ...entry.changes, omitted_before: omitted };
    await parts.auditLog.append(entry, request.auditObjects ?? []).catch((error: unknown) => {
      request.log.error({ problem: messageOf(error), route: entry.route }, 'audit entry not written');
    });
  });
}

function rateStatus(status: number): SignInOutcome {
  return status < 400 ? 'success' : status === 429 ? 'limited' : 'failure';
}

function statusOf({ signIn }: FastifyRequest, { statusCode }: FastifyReply): number {
  return signIn?.rejection?.status ?? statusCode;
}

/** Returns the number of failures omitted since the last one that was logged; `null` if this one is omitted, too. */
function createFailureCap(clock: Clock): () => number | null {
  const window = new SlidingWindow(MAX_FAILURES_PER_MINUTE, 60_000);
  let omitted = 0;
  return () => {
    if (window.admit(clock.monotonicMs()) > 0) {
      omitted += 1;
      return null;
    }
    const before = omitted;
    omitted = 0;
    return before;
  };
}

function isLogged(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.signIn !== null) return true;
  const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  if (reads || request.is404 || request.principal === null) return false;
  const { changes } = request.routeOptions.config;
  if (changes === false || (changes === 'found' && reply.statusCode === 404)) return false;
  // A replayed response represents no new change.
  return reply.getHeader('idempotent-replayed') === undefined;
}

function describe(
  { clock, ids }: AuditParts,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): AuditEntry {
  const at = clock.wallMs();
  const who = request.signIn === null ? request.principal : request.signIn.identity;
  const status = statusOf(request, reply);
  const route = request.routeOptions.url ?? '';
  return {
    id: ids.auditId(at),
    at,
    method: request.method,
    route,
    status,
    actor: who === null ? null : { kind: who.kind, id: who.id, name: who.name },
    object: nameObject(request, status === 201 ? readNewId(payload) : null),
    changes: status < 400 || request.signIn !== null ? summarise(request) : null,
    clientAddress: request.ip,
  };
}

/**
 * The route below the API with its parameters filled in, and behind it what a `POST` has made. All ways to sign in are
 * about the session.
 */
function nameObject({ method, routeOptions, params, signIn }: FastifyRequest, made: string | null): string {
  if (signIn !== null) return 'session';
  const route = routeOptions.url ?? '';
  const path = route.startsWith(`${API_PREFIX}/`) ? route.slice(API_PREFIX.length + 1) : route.slice(1);
  const values = params as Record<string, string>;
  const filled = path.replaceAll(/:(\w+)/g, (_open, name: string) => encodeURIComponent(values[name] ?? ''));
  return made === null || method !== 'POST' ? filled : `${filled}/${encodeURIComponent(made)}`;
}

function readNewId(payload: unknown): string | null {
  try {
    const body: unknown = typeof payload === 'string' ? JSON.parse(payload) : null;
    const id = isJsonObject(body) ? (body.id ?? body.uid ?? body.name) : null;
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

/** Keys whose values are shown. What is not listed is not shown: no body has a secret under one of these. */
const SHOWN = new Set([
  ...auditedNames(WEBHOOK_FIELDS),
  ...auditedNames(AUTOMATION_FIELDS),
  'automation',
  'dead_letter',
  'delivery',
  'delivery_id',
  'disabled',
  'exit_code',
  'factories',
  'fence',
  'for_seconds',
  'force',
  'include_key',
  'logs',
  'mode',
  'note',
  'revision',
  'role',
  'since',
  'state',
  'webhook',
  'to',
  'as_of',
  'event',
  'from',
  'rate',
  'unmatched',
  'add',
  'uses',
  'expires_in',
  'expires_at',
]);
const HIDDEN = '[not shown]';
const MAX_SHOWN_CHARACTERS = 500;

function summarise({ body, query, signIn, auditResult }: FastifyRequest): JsonObject | null {
  if (signIn !== null) return describeAttempt(signIn);
  const entries = [query, body].flatMap((part) => (isJsonObject(part) ? Object.entries(part) : []));
  const shown = entries.map(([key, value]) => [key, SHOWN.has(key) ? clip(value) : HIDDEN] as const);
  return shown.length === 0 && auditResult === null ? null : Object.assign(Object.fromEntries(shown), auditResult);
}

function describeAttempt({ method, about, rejection }: SignInAttempt): JsonObject {
  return {
    sign_in: method,
    ...(about === null ? {} : { user: about }),
    ...(rejection === null ? {} : { reason: rejection.reason }),
  };
}

function clip(value: Json): Json {
  return JSON.stringify(value).length > MAX_SHOWN_CHARACTERS ? '[too long]' : value;
}
