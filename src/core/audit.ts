import type { Actor } from './access.ts';
import type { AuditId } from './ids.ts';
import type { JsonObject } from './json.ts';

/** Ways to sign in. */
const SIGN_IN_METHODS = ['password', 'login_link', 'api_token', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Outcomes of a change: `refused` for a status of 4xx, `failed` for a status of 5xx. */
export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** One change or one sign-in attempt, with its actor, time, client and outcome. Contains no secret value. */
export interface AuditEntry {
  id: AuditId;
  /** Wall time in milliseconds. */
  at: number;
  /** The actor with their name at that time; `null` if the request was not authenticated. */
  actor: Actor | null;
  method: string;
  /** The route with placeholders, such as `/api/v1/users/:id`. */
  route: string;
  /** The changed object as a path below the API, such as `users/usr_…`. */
  object: string;
  /** The requested changes without confidential values; `null` if the request had none or changed nothing. */
  changes: JsonObject | null;
  /** The HTTP status of the answer. */
  status: number;
  clientAddress: string;
}
