import type { Diagnostic } from '../definitions/diagnostic.ts';
import type { ReconciliationId } from '../ids.ts';
import type { Plan } from './plan.ts';

/**
 * `invalid`: the definition is invalid and needs a new commit. `failed`: something outside the definition is missing or
 * broken (secret, git, storage), and the attempt is repeated.
 */
export const RECONCILIATION_RESULTS = ['applied', 'unchanged', 'invalid', 'failed'] as const;
export type ReconciliationResult = (typeof RECONCILIATION_RESULTS)[number];

/** Begins what the message of a pass says about a force-push. */
export const HISTORY_REWRITTEN = 'the history of the branch was rewritten';

/** Who made a revision, and why. All texts come from outside. */
export interface Commit {
  /** The first paragraph of the message, on one line. */
  subject: string;
  author: string;
  /** Wall time in milliseconds, to the second. */
  committedAt: number;
  /** Its page at the host of the repository; `null` if the host is not known. */
  url: string | null;
}

/** One attempt to apply a commit or an edit. */
export interface Reconciliation {
  id: ReconciliationId;
  factory: string;
  /** `null` if the pass failed before the commit was known. */
  revision: string | null;
  /** `null` if it is not known. */
  commit: Commit | null;
  result: ReconciliationResult;
  /** Reason code, as in the condition `Reconciled`, for example `ValidationFailed`. */
  reason: string;
  message: string;
  diagnostics: Diagnostic[];
  plan: Plan;
  startedAt: number;
  finishedAt: number;
  /** Time of the last attempt with the same commit and outcome. */
  attemptedAt: number;
}

/** The end of a pass for those who follow passes: without the plan, which can be as large as the factory. */
export type ReconciliationEnd = Omit<Reconciliation, 'plan'>;

/** A condition as in Kubernetes. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  /** Wall time in milliseconds at which status or reason last changed. */
  since: number;
}

/** Severity of a condition. `error`: something does not work. `warning`: something is missing or can fail later. */
type ConditionSeverity = 'ok' | 'warning' | 'error';

/** Conditions whose normal status is `True`; `True` of the others is a problem. */
const GOOD_WHEN_TRUE: ReadonlySet<string> = new Set(['Ready', 'Reconciled', 'SecretsReadable']);

const ERROR_WHEN_TRUE: ReadonlySet<string> = new Set(['RunsNotStarting', 'RunsNotRecorded', 'DatabaseLocked']);

/** The severity of a condition. It depends on the type as well as the status. */
export function rateCondition({ type, status }: Pick<Condition, 'type' | 'status'>): ConditionSeverity {
  if (GOOD_WHEN_TRUE.has(type)) return { True: 'ok', False: 'error', Unknown: 'warning' }[status] as ConditionSeverity;
  if (status === 'False') return 'ok';
  return ERROR_WHEN_TRUE.has(type) && status === 'True' ? 'error' : 'warning';
}

/**
 * Does a factory that was never applied only wait for a secret that somebody has to create? This is a step of its first start
 * and no failure: nothing that worked before is affected, and the apply is repeated as soon as the secret exists.
 */
export function waitsForFirstSecret(conditions: readonly Pick<Condition, 'type' | 'status' | 'reason'>[]): boolean {
  const has = (type: string, reason: string) =>
    conditions.some(
      (condition) => condition.type === type && condition.status === 'False' && condition.reason === reason,
    );
  return has('Ready', 'NothingApplied') && has('Reconciled', 'SecretMissing');
}

/** A factory as the management API reads it. */
export interface FactoryView extends FactoryStatus {
  /** The commit of `appliedRevision`; `null` if it is not known. */
  appliedCommit: Commit | null;
}

/** Which factory it is, and what it serves. */
export type FactoryHead = Pick<FactoryView, 'name' | 'appliedRevision' | 'appliedCommit'>;

/** The applied and the last attempted revision of a factory. */
export interface FactoryStatus {
  name: string;
  appliedRevision: string | null;
  appliedAt: number | null;
  /** `AppliedChange.source` of the last apply. */
  appliedSource: string | null;
  attemptedRevision: string | null;
  attemptedAt: number | null;
  conditions: Condition[];
}
