import type { FastifyRequest } from 'fastify';
import type { Identity } from '../../domain/access/access.ts';
import { type AuditEntry, type SignInMethod, UNANSWERED } from '../../domain/access/audit.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import { AUTOMATION_FIELDS } from '../../domain/resources/automation.ts';
import { auditedNames } from '../../domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { API_PREFIX } from '../server/enforce-access.ts';

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

/** An answer, as far as the audit log shows it. */
export interface DescribedAnswer {
  status: number;
  payload: unknown;
}

/** Before the answer. */
export const NO_ANSWER: DescribedAnswer = { status: UNANSWERED, payload: null };

/** Who requests which change of what, and what came of it. Contains no secret value. */
export function describeChange(
  request: FastifyRequest,
  { status, payload }: DescribedAnswer,
): Omit<AuditEntry, 'id' | 'at'> {
  const who = request.signIn === null ? request.principal : request.signIn.identity;
  return {
    method: request.method,
    route: request.routeOptions.url ?? '',
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
