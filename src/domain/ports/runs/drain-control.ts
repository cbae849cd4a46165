export const DRAIN_PHASES = ['running', 'draining', 'stopping'] as const;

/** Does the daemon start runs? */
export interface DrainState {
  /** `stopping`: a stop of the daemon waits for its commands, and cannot be taken back. */
  phase: (typeof DRAIN_PHASES)[number];
  /** Wall time since when no run starts; `null` in phase `running`. */
  since: number | null;
  /** Runs whose commands the daemon executes now. */
  executing: number;
  /** Runs that workers and receivers hold. Their leases continue after a restart, so no drain waits for them. */
  held: number;
}

/** Control of maintenance: no run starts, while deliveries are accepted and their runs wait. */
export interface DrainControl {
  state(): DrainState;
  /** No further run starts. Runs that were started continue. */
  drain(): void;
  /** Runs start again. Throws `conflict` while the daemon stops. */
  resume(): void;
}
