import type { Reconciliation } from '../../domain/applies/reconciliation.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeStatusReason } from '../../domain/words/status-reasons.ts';
import { presentPlan } from '../../reconcile/plan-report/present-plan.ts';
import { presentCommit } from './present-commit.ts';

/** One pass of the loop as the interfaces show it. */
export function presentReconciliation(reconciliation: Reconciliation) {
  const { started_at, finished_at, attempted_at, ...summary } = presentReconciliationEnd(reconciliation);
  return {
    ...summary,
    diagnostics: reconciliation.diagnostics,
    plan: presentPlan(reconciliation.plan),
    started_at,
    finished_at,
    attempted_at,
  };
}

/** Without diagnostics and plan, which can be large. */
export function presentReconciliationEnd(reconciliation: Omit<Reconciliation, 'diagnostics' | 'plan'>) {
  return {
    id: reconciliation.id,
    factory: reconciliation.factory,
    revision: reconciliation.revision,
    commit: presentCommit(reconciliation.commit),
    result: reconciliation.result,
    reason: reconciliation.reason,
    reason_text: describeStatusReason(reconciliation.reason),
    message: reconciliation.message,
    started_at: formatInstant(reconciliation.startedAt),
    finished_at: formatInstant(reconciliation.finishedAt),
    attempted_at: formatInstant(reconciliation.attemptedAt),
  };
}
