import type { ReconciliationResult } from '../applies/reconciliation.ts';
import type { Diagnostic } from '../definitions/diagnostic.ts';
import type { NoticeId, ReconciliationId, RunId } from '../ids.ts';
import type { Run } from '../resources/run.ts';

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
  /** Name of the target; omitted by an earlier version. */
  target?: string;
  /** Where it appears at a git host; `null` for a callback, and if the payload does not name the place. */
  place: { repository: string; commit: string | null; number: string | null } | null;
  /** Wall time in milliseconds at which the run ended. */
  finishedAt: number;
}

/** `pending`: the check has not ended. The others as for a commit. */
export type RequestState = CommitState | 'pending';

/** The report about the check of a pull request. */
export interface RequestReport {
  kind: 'request';
  number: number;
  /** The commit at its head. */
  commit: string;
  state: RequestState;
  /** One line. */
  description: string;
  /** Markdown of the comment; `null` for the commit status. */
  comment: string | null;
  /** Digest of what the check depended on. */
  inputs: string;
  /** Team secrets that do not exist and that an apply would wait for. */
  missingSecrets: string[];
  /** Wall time in milliseconds at which the check ended, or began. */
  finishedAt: number;
}

/** Identifies the comment on a request, as the commit identifies its status. */
export function revisionOfComment(number: number): string {
  return `request/${number}`;
}

/** Identifies the report about an attempt, as the commit identifies that about a commit. */
export function revisionOfRun(run: RunId, attempt: number): string {
  return `${run}/${attempt}`;
}

export type Report = CommitReport | RunReport | RequestReport;

export function isRunReport(report: Report): report is RunReport {
  return 'kind' in report && report.kind === 'run';
}

export function isRequestReport(report: Report): report is RequestReport {
  return 'kind' in report && report.kind === 'request';
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
  report: Report;
  createdAt: number;
}

/**
 * `waiting`: posted when it is due. `given_up`: rejected permanently, or all attempts failed for too long. `skipped`: the
 * result of a run that has nothing to post, or whose payload does not say where.
 */
export const NOTICE_STATES = ['waiting', 'posted', 'given_up', 'skipped'] as const;
export type NoticeState = (typeof NOTICE_STATES)[number];

export interface Notice extends NewNotice {
  state: NoticeState;
  /** Number of failed attempts. */
  attempts: number;
  /** Wall time in milliseconds of the next attempt. */
  dueAt: number;
  /** Why the last attempt failed, or why nothing is posted; `null` otherwise. */
  problem: string | null;
  /** Time of the first failed attempt; `null` if none failed. */
  failingSince: number | null;
}
