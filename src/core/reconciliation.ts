import type { Diagnostic } from './diagnostic.ts';
import type { ReconciliationId } from './ids.ts';
import type { Plan } from './plan.ts';

/**
 * `invalid`: the definition itself is wrong and waits for a new commit. `failed`: something outside is missing or
 * broken (secret, git, storage) and the attempt is repeated.
 */
export type ReconciliationResult = 'applied' | 'unchanged' | 'invalid' | 'failed';

/** One full pass of the loop. */
export interface Reconciliation {
  id: ReconciliationId;
  factory: string;
  /** `null` where the pass failed before it knew a commit. */
  revision: string | null;
  result: ReconciliationResult;
  /** Reason code, as in the condition `Reconciled`, for example `ValidationFailed`. */
  reason: string;
  message: string;
  diagnostics: Diagnostic[];
  plan: Plan;
  startedAt: number;
  finishedAt: number;
  /** The last time that the same commit had the same outcome. */
  attemptedAt: number;
}

/** State for humans and machines, as Kubernetes has it. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  /** Wall time in milliseconds at which status or reason last changed. */
  since: number;
}

/** How much a condition matters. `error`: something does not work. `warning`: something is missing or can fail later. */
export type ConditionSeverity = 'ok' | 'warning' | 'error';

/** Conditions that are good when they are true; the others name a problem. */
const GOOD_WHEN_TRUE: ReadonlySet<string> = new Set(['Ready', 'Reconciled', 'SecretsReadable']);

const ERROR_WHEN_TRUE: ReadonlySet<string> = new Set(['RunsNotStarting']);

/** What a condition means to somebody who does not know its type: the status alone does not tell good from bad. */
export function rateCondition({ type, status }: Pick<Condition, 'type' | 'status'>): ConditionSeverity {
  if (GOOD_WHEN_TRUE.has(type)) return { True: 'ok', False: 'error', Unknown: 'warning' }[status] as ConditionSeverity;
  if (status === 'False') return 'ok';
  return ERROR_WHEN_TRUE.has(type) && status === 'True' ? 'error' : 'warning';
}

/** What a factory serves and what was last tried. */
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
