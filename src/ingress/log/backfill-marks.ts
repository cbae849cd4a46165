import { randomUUID } from 'node:crypto';
import type { RequestHeaders } from '../../domain/deliveries/headers.ts';
import type { BackfillReason } from '../../domain/resources/delivery.ts';

/** The request header that carries a mark, in lowercase. */
const BACKFILL_HEADER = 'x-dockbell-backfill';

/** What posts for a backfill: the name of the header, and its values. */
export function markBackfills(marks: BackfillMarks) {
  return {
    header: BACKFILL_HEADER,
    issue: (reason: BackfillReason) => marks.issue(reason),
    withdraw: (mark: string) => marks.withdraw(mark),
  };
}

/**
 * Marks of requests that the daemon posts to its own ingress for a backfill. Each is valid until its request is answered, so
 * that no sender can mark its own.
 */
export class BackfillMarks {
  readonly #reasons = new Map<string, BackfillReason>();

  /** A new mark, for `BACKFILL_HEADER`. */
  issue(reason: BackfillReason): string {
    const mark = randomUUID();
    this.#reasons.set(mark, reason);
    return mark;
  }

  /** What the mark of a request says; `undefined` without a valid one. */
  find(headers: RequestHeaders): BackfillReason | undefined {
    // Nearly always, so that other deliveries cost nothing.
    if (this.#reasons.size === 0) return undefined;
    return this.#reasons.get(headers.get(BACKFILL_HEADER) ?? '');
  }

  /** The request is answered. */
  withdraw(mark: string): void {
    this.#reasons.delete(mark);
  }
}
