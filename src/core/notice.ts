import type { Diagnostic } from './diagnostic.ts';
import type { NoticeId, ReconciliationId } from './ids.ts';
import type { ReconciliationResult } from './reconciliation.ts';

/** `failure`: the definition itself is wrong. `error`: something outside is missing or broken, and goes on to be. */
export type CommitState = 'success' | 'failure' | 'error';

/** What there is to tell of one commit. */
export interface CommitReport {
  reconciliation: ReconciliationId;
  result: ReconciliationResult;
  state: CommitState;
  reason: string;
  message: string;
  /** The commit that serves after this pass; `null` where none ever did. */
  liveRevision: string | null;
  /** The first hundred findings. */
  diagnostics: Diagnostic[];
  /** How many there were. */
  diagnosticCount: number;
  /** Wall time in milliseconds at which the pass ended. */
  finishedAt: number;
}

/** Whom a notice is for: a target of a factory, by the digest that tells targets apart. */
export interface NoticeTarget {
  factory: string;
  target: string;
}

/** What one target is to be told of one commit. */
export interface NewNotice extends NoticeTarget {
  id: NoticeId;
  revision: string;
  /** Digest of the report: the same for the same outcome. */
  outcome: string;
  report: CommitReport;
  createdAt: number;
}

/** `waiting`: to be told when it is due. `given_up`: refused for good, or tried in vain for too long. */
export type NoticeState = 'waiting' | 'posted' | 'given_up';

export interface Notice extends NewNotice {
  state: NoticeState;
  /** Tries that failed. */
  attempts: number;
  /** Wall time in milliseconds before which it is not tried. */
  dueAt: number;
  /** Why the last try failed; `null` where none did. */
  problem: string | null;
  /** Since when it cannot be told; `null` where no try failed. */
  failingSince: number | null;
}
