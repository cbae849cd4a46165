import type { ExecutorKind } from './executor-kind.ts';

/** Executor `queue`: workers on any machine claim the runs under a lease (`run/run-leases.ts`). */
export const QUEUE_KIND = {
  summary: '`queue`: workers on any machine claim the runs over the management API.',
  options: {},
  create: null,
} as const satisfies ExecutorKind<object>;
