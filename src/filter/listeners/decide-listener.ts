import type { Json } from '../../core/json.ts';
import type { Decision, PastListener } from '../../core/resources/delivery.ts';
import type { Received } from '../../core/trigger.ts';
import { IGNORED_ACTORS } from '../../triggers/ignored-actors.ts';
import { compileFilters, describeInvalid, type FilterDecision } from '../evaluate-filters.ts';

/** Why an automation did or did not start. */
export type ListenerDecision = Omit<Decision, 'automation' | 'run'>;

/** Whether decisions for these automations depend on the delivery. */
export function needDelivery(listeners: readonly PastListener[]): boolean {
  return listeners.some(({ enabled, filters }) => enabled && !filters.some(isEmpty));
}

/** The decision for a delivery. */
export function decideListener({ enabled, filters }: PastListener, received: Received): ListenerDecision {
  if (!enabled) return describe('disabled', 'the automation is disabled');
  if (filters.some(isEmpty)) return describe('started', 'no filter');
  return toDecision(compileFilters(filters).decide(received));
}

function isEmpty(filter: object): boolean {
  return Object.keys(filter).length === 0;
}

function toDecision(decision: FilterDecision): ListenerDecision {
  if (decision.outcome === 'matched') return describe('started', 'all filter conditions matched');
  if (decision.outcome === 'invalid') return describe('filter_error', describeInvalid(decision.problems));
  const { path, expected, actual, message } = decision.decidedBy;
  const outcome = path === IGNORED_ACTORS ? 'ignored_actor' : 'filtered';
  return describe(outcome, message, { path, expected, actual });
}

const NO_KEY: { path: string | null; expected: Json; actual: Json } = { path: null, expected: null, actual: null };

function describe(outcome: Decision['outcome'], message: string, key = NO_KEY): ListenerDecision {
  return { outcome, ...key, message };
}
