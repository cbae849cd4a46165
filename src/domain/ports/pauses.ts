import type { Actor } from '../access/access.ts';

/** A factory or an automation whose runs do not start. */
export interface Pause {
  factory: string;
  /** Empty if the whole factory is paused. */
  automation: string;
  pausedAt: number;
  pausedBy: Actor;
  reason: string | null;
}

/** What somebody paused. Deliveries are kept, and runs wait until it is resumed. */
export interface PauseTable {
  list(): Promise<Pause[]>;
  /** Replaces an earlier pause of the same factory or automation. */
  pause(pause: Pause): Promise<void>;
  /** Lets the runs be claimed that waited. Changes nothing if it was not paused. */
  resume(paused: Pick<Pause, 'factory' | 'automation'>): Promise<void>;
}

/** Keeps runs from starting, of a factory or of one automation. */
export interface PauseControl {
  /** What is paused. Does not read from disk. */
  list(): readonly Pause[];
  /** Who paused an automation or its factory, why, and how to resume it, as sentences; `null` if it is not paused. */
  explain(factory: string, automation: string): string | null;
  /** No further run starts when this resolves. Replaces an earlier pause of the same factory or automation. */
  pause(paused: Pick<Pause, 'factory' | 'automation' | 'reason'>, by: Actor): Promise<Pause>;
  /** A factory was renamed or forgotten, and its pauses with it. */
  reload(): Promise<void>;
  /** Runs start again. Changes nothing if it was not paused. */
  resume(paused: Pick<Pause, 'factory' | 'automation'>): Promise<void>;
}

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
