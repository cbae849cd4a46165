import type { Diagnostic } from './diagnostic.ts';
import type { NoticeId, ReconciliationId } from './ids.ts';
import type { ReconciliationResult } from './reconciliation.ts';
import type { Run } from './resources/run.ts';

/** `failure`: the definition is invalid. `error`: something outside the definition is missing or broken. */
export type CommitState = 'success' | 'failure' | 'error';

/** The report about one commit that targets receive. */
export interface CommitReport {
  reconciliation: ReconciliationId;
  result: ReconciliationResult;
  state: CommitState;
  reason: string;
  message: string;
  /** The commit that is live after this pass; `null` if none was ever applied. */
  liveRevision: string | null;
  /** The first hundred diagnostics. */
  diagnostics: Diagnostic[];
  /** Number of all diagnostics. */
  diagnosticCount: number;
  /** Wall time in milliseconds at which the pass ended. */
  finishedAt: number;
}

/** The report about a run that has ended. */
export interface RunReport {
  kind: 'run';
  state: CommitState;
  run: Run;
  /** Where it appears at a git host; `null` for a callback. */
  place: { repository: string; commit: string | null; number: string | null } | null;
  /** Wall time in milliseconds at which the run ended. */
  finishedAt: number;
}

export function isRunReport(report: CommitReport | RunReport): report is RunReport {
  return 'kind' in report;
}

/** The target of a commit status: a factory and the digest that identifies its target. */
export interface NoticeTarget {
  factory: string;
  target: string;
}

/** A commit status to post to one target. */
export interface NewNotice extends NoticeTarget {
  id: NoticeId;
  revision: string;
  /** Digest of the report; equal for equal outcomes. */
  outcome: string;
  report: CommitReport | RunReport;
  createdAt: number;
}

/** `waiting`: posted when it is due. `given_up`: rejected permanently, or all attempts failed for too long. */
export type NoticeState = 'waiting' | 'posted' | 'given_up';

export interface Notice extends NewNotice {
  state: NoticeState;
  /** Number of failed attempts. */
  attempts: number;
  /** Wall time in milliseconds of the next attempt. */
  dueAt: number;
  /** Why the last attempt failed; `null` if none failed. */
  problem: string | null;
  /** Time of the first failed attempt; `null` if none failed. */
  failingSince: number | null;
}
