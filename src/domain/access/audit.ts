import type { AuditId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { ACTOR_KINDS, type Actor } from './access.ts';

/** Ways to sign in. */
const SIGN_IN_METHODS = ['password', 'login_link', 'api_token', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/**
 * Outcomes of a change: `refused` for a status of 4xx, `failed` for a status of 5xx. `unanswered`: the request is in progress, or the
 * daemon ended before it answered.
 */
export const AUDIT_OUTCOMES = ['done', 'refused', 'failed', 'unanswered'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Method of an entry about a read, in place of that of the request: a sign-in through OpenID Connect is a `GET`, too. */
export const READ = 'READ';

/** Which entries a list has. Changes include sign-ins. */
export const AUDIT_INCLUDES = ['changes', 'reads', 'all'] as const;
export type AuditInclude = (typeof AUDIT_INCLUDES)[number];

/** The status of an entry whose request has no answer yet. Only such an entry changes: the answer completes it. */
export const UNANSWERED = 0;

export function outcomeOf(status: number): AuditOutcome {
  if (status === UNANSWERED) return 'unanswered';
  return status < 400 ? 'done' : status < 500 ? 'refused' : 'failed';
}

/** Kinds of actors in the audit log: identities, and the daemon itself. */
export const AUDIT_ACTOR_KINDS = [...ACTOR_KINDS, 'daemon'] as const;

/** The loop that applies the commits of a repository. Nobody is authenticated: the commit names its author. */
export const RECONCILER = { kind: 'daemon', id: 'daemon', name: 'reconciler' } as const;

export type AuditActor = Actor | typeof RECONCILER;

/** One change, one sign-in attempt or the first read of a day, with its actor, time, client and outcome. Contains no secret value. */
export interface AuditEntry {
  id: AuditId;
  /** Wall time in milliseconds. */
  at: number;
  /** The actor with their name at that time; `null` if the request was not authenticated. */
  actor: AuditActor | null;
  method: string;
  /** The route with placeholders, such as `/api/v1/users/:id`. For `APPLY` and `PIN`: that of the object. For `READ`: that of the content. */
  route: string;
  /** The changed or read object as a path below the API, such as `users/usr_…`. */
  object: string;
  /** The requested changes without confidential values; `null` if the request had none or changed nothing. */
  changes: JsonObject | null;
  /** The HTTP status of the answer, or the one that it would have; `UNANSWERED` before it. */
  status: number;
  /** `local` if no request caused the change. */
  clientAddress: string;
}

/** An entry that is written in the transaction of its change. */
export interface AuditedChange {
  entry: AuditEntry;
  /** Further objects that the entry is about, as paths below the API. */
  objects: readonly string[];
}
