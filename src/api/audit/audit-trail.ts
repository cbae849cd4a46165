import type { FastifyRequest } from 'fastify';
import type { AuditedChange } from '../../domain/access/audit.ts';
import type { ChangeRecord, ChangingRequest } from '../../domain/access/change-record.ts';
import type { AuditId, IdSource } from '../../domain/ids.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { type DescribedAnswer, describeChange, NO_ANSWER } from './describe-change.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Is this an attempt to sign in, or a request of an authenticated caller that may change something? */
export function mayChange({ signIn, method, is404, principal, routeOptions }: FastifyRequest): boolean {
  if (signIn !== null) return true;
  return !READS.has(method) && !is404 && principal !== null && routeOptions.config.changes !== false;
}

/** The audit entry of one request, and the key that is stored with it. */
export class AuditTrail implements ChangingRequest {
  /** Is the entry in the log? */
  isStored = false;
  /** Was it stored in the transaction of a change, so that a change exists? */
  hasChanged = false;
  readonly #request: FastifyRequest;
  readonly #id: AuditId;
  readonly #at: number;
  #isAnswered = false;

  constructor(request: FastifyRequest, { clock, ids }: { clock: Clock; ids: IdSource }) {
    this.#request = request;
    this.#at = clock.wallMs();
    this.#id = ids.auditId(this.#at);
  }

  record(): ChangeRecord | null {
    if (this.isStored || this.#isAnswered || !mayChange(this.#request)) return null;
    return { audited: this.describe(NO_ANSWER), key: this.#request.idempotency?.reserved ?? null };
  }

  noteStored(): void {
    this.isStored = true;
    this.hasChanged = true;
  }

  /** The entry is stored, and the change is not made yet. */
  noteAhead(): void {
    this.isStored = true;
  }

  /** What changes now is no longer a change of this request. */
  noteAnswered(): void {
    this.#isAnswered = true;
  }

  describe(answer: DescribedAnswer): AuditedChange {
    const entry = { id: this.#id, at: this.#at, ...describeChange(this.#request, answer) };
    return { entry, objects: this.#request.auditObjects ?? [] };
  }
}
