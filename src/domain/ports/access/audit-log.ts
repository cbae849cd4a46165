import type { AuditEntry, AuditInclude, AuditOutcome } from '../../audit.ts';
import type { ChangeRecord } from '../../change-record.ts';
import type { Page, PageRequest } from '../../page.ts';

/** Filters and page of a request for audit entries. */
export interface AuditRequest extends PageRequest {
  /** ID of the actor; `null` for all. */
  actor: string | null;
  /** The object and every object below it; `null` for all. */
  object: string | null;
  /** `null` for all. */
  outcome: AuditOutcome | null;
  /** Default: `changes`. */
  include?: AuditInclude;
  /** Start (inclusive) and end (exclusive) of the period, as wall time in milliseconds. */
  fromAt?: number;
  untilAt?: number;
}

/** The log of changes and reads. Entries never change after the answer; retention removes them. */
export interface AuditLog {
  /** Stores the record of a change that is not made in the storage, before it is made. */
  begin(record: ChangeRecord): Promise<void>;
  /**
   * Stores an entry, or completes the one with its ID if that has no answer yet.
   * @param objects further objects that the entry is about
   */
  append(entry: AuditEntry, objects?: readonly string[]): Promise<void>;
  /** Newest first. */
  list(request: AuditRequest): Promise<Page<AuditEntry>>;
}
