import type { AuditEntry, AuditOutcome } from '../../audit.ts';
import type { Page, PageRequest } from '../../page.ts';

/** Which entries are asked for. */
export interface AuditRequest extends PageRequest {
  /** ID of who did it; `null` for all. */
  actor: string | null;
  /** The object, with all that lies below it; `null` for all. */
  object: string | null;
  /** What came of it; `null` for all. */
  outcome: AuditOutcome | null;
  /** Wall time in milliseconds: at it or later, and before it. */
  fromAt?: number;
  untilAt?: number;
}

/** The log of changes. Entries are added, and go when they are too old; nothing changes one. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(request: AuditRequest): Promise<Page<AuditEntry>>;
}
