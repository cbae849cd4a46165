import type { Actor } from '../../access.ts';
import type { Pause } from './pause-table.ts';

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
