import type { RunGate } from '../../../core/resources/run.ts';

/** When a queued run may start. */
export interface Start {
  gate: RunGate | null;
  not_before: number | null;
}

/** The run only waits for a slot. */
export const NOW = { gate: null, not_before: null } as const;
