import type { RetryPlan, Scheme } from '../scheme.ts';

/** Seconds from the first attempt to the last retry; `null` if the provider documents none. */
export function findLastRetry(plan: RetryPlan | null): number | null {
  if (plan === null) return null;
  return 'withinSeconds' in plan ? plan.withinSeconds : plan.delaysSeconds.reduce((sum, delay) => sum + delay, 0);
}

/** The age in seconds that the timestamp of a delivery may have; `null` if the scheme checks none. */
export function findTimeWindow(scheme: Scheme): number | null {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return null;
  return scheme.timestamp.toleranceSeconds;
}
