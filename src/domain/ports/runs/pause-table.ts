import type { Actor } from '../../access.ts';

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
