import type { Received } from '../../../domain/definitions/trigger.ts';
import type { Json } from '../../../domain/json.ts';
import type { Decision, PastListener } from '../../../domain/resources/delivery.ts';
import { IGNORED_ACTORS } from '../../triggers/ignored-actors.ts';
import { compileFilters, describeInvalid } from '../evaluate-filters.ts';
import { FULL_MATCH, measureNearness } from '../nearness.ts';

/** Why an automation did or did not start. */
export type ListenerDecision = Omit<Decision, 'automation' | 'run'>;

/** Whether decisions for these automations depend on the delivery. */
export function needDelivery(listeners: readonly PastListener[]): boolean {
  return listeners.some(({ filters }) => !filters.some(isEmpty));
}

/** The decision for a delivery. */
export function decideListener({ enabled, filters }: PastListener, received: Received): ListenerDecision {
  const decision = filters.some(isEmpty) ? describe('started', 'no filter') : evaluate(filters, received);
  if (enabled) return decision;
  const nearness = decision.outcome === 'started' ? FULL_MATCH : decision.nearness;
  return { ...describe('disabled', 'the automation is disabled'), nearness };
}

function evaluate(filters: PastListener['filters'], received: Received): ListenerDecision {
  const evaluation = compileFilters(filters).evaluate(received);
  if (evaluation.outcome === 'matched') return describe('started', 'all filter conditions matched');
  if (evaluation.outcome === 'invalid') return describe('filter_error', describeInvalid(evaluation.problems));
  const { path, expected, actual, message } = evaluation.decidedBy;
  const outcome = path === IGNORED_ACTORS ? 'ignored_actor' : 'filtered';
  const nearness = measureNearness(evaluation.trace);
  return { ...describe(outcome, message, { path, expected, actual }), nearness };
}

function isEmpty(filter: object): boolean {
  return Object.keys(filter).length === 0;
}

const NO_KEY: { path: string | null; expected: Json; actual: Json } = { path: null, expected: null, actual: null };

function describe(outcome: Decision['outcome'], message: string, key = NO_KEY): ListenerDecision {
  return { outcome, ...key, message };
}
