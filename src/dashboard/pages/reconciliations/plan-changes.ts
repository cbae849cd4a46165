import type { Reconciliation } from '../../../client/api-types.ts';

export type ReconciliationPlan = Reconciliation['plan'];
export type ChangedSection = ReconciliationPlan['webhooks'];
export type ChangedEntry = ChangedSection['create'][number];
export type PlanVerb = keyof ChangedSection;

export const PLAN_VERBS: readonly PlanVerb[] = ['create', 'update', 'delete'];

/** For example `2 created, 1 deleted`; a dash for none. */
export function countChanges({ webhooks, automations }: ReconciliationPlan): string {
  const counts = PLAN_VERBS.map((verb) => [verb, webhooks[verb].length + automations[verb].length] as const);
  const words = counts.filter(([, count]) => count > 0).map(([verb, count]) => `${count} ${verb}d`);
  return words.length === 0 ? '–' : words.join(', ');
}

export function isEmpty(plan: ReconciliationPlan): boolean {
  return PLAN_VERBS.every((verb) => plan.webhooks[verb].length + plan.automations[verb].length === 0);
}
