import type { Identity } from './access.ts';
import type { AuditId } from './ids.ts';
import type { JsonObject } from './json.ts';

/** Ways to sign in. */
export const SIGN_IN_METHODS = ['password', 'login_link', 'api_token', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What came of a change: a refusal is a status of 4xx, a failure one of 5xx. */
export const AUDIT_OUTCOMES = ['done', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** One change, or one try to sign in: who, what, when, from where, and what came of it. Holds no secret value. */
export interface AuditEntry {
  id: AuditId;
  /** Wall time in milliseconds. */
  at: number;
  /** The name as it was then. `null` where nobody was recognised. */
  actor: Pick<Identity, 'kind' | 'id' | 'name'> | null;
  method: string;
  /** The route with its parameters open, such as `/api/v1/users/:id`. */
  route: string;
  /** What it is about, as a path below the API, such as `users/usr_…`. */
  object: string;
  /** What was asked for, as far as it may be shown; `null` where nothing was sent or nothing was done. */
  changes: JsonObject | null;
  /** The HTTP status of the answer. */
  status: number;
  clientAddress: string;
}
