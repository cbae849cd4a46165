import { formatInstant } from '../../core/clock.ts';
import type { PlanEntry, PlanSection } from '../../core/plan.ts';
import type { Reconciliation } from '../../core/reconciliation.ts';

/** One pass of the loop as the interfaces show it. */
export function presentReconciliation(reconciliation: Reconciliation) {
  const { webhooks, automations } = reconciliation.plan;
  return {
    id: reconciliation.id,
    factory: reconciliation.factory,
    revision: reconciliation.revision,
    result: reconciliation.result,
    reason: reconciliation.reason,
    message: reconciliation.message,
    diagnostics: reconciliation.diagnostics,
    plan: { webhooks: presentSection(webhooks), automations: presentSection(automations) },
    started_at: formatInstant(reconciliation.startedAt),
    finished_at: formatInstant(reconciliation.finishedAt),
    attempted_at: formatInstant(reconciliation.attemptedAt),
  };
}

function presentSection(section: PlanSection) {
  return {
    create: section.create.map(presentEntry),
    update: section.update.map(presentEntry),
    delete: section.delete.map(presentEntry),
  };
}

function presentEntry({ name, uid, restored, changes }: PlanEntry) {
  return { name, uid, restored, changes };
}
