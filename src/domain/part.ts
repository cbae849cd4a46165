import type { PartCondition } from './conditions.ts';
import type { Handlers } from './happenings.ts';

/** How a daemon stops. */
export interface Stopping {
  /** Aborts when the stop has to hurry: nothing waits longer for answers of others. */
  hurry: AbortSignal;
}

/**
 * Something that lives in a daemon. All methods are optional, and each can be called in any state:
 * - `start` is called at most once, and `lead` once for each term, after `start`. Terms do not overlap.
 * - `stop` is called at most once: without `start`, while `start` is in progress, or after it.
 * - A happening can come before `start` and after `stop`. It is then ignored, or noted for later.
 *
 * @template Change a change of the configuration
 */
export interface Part<Change = never> {
  /** For the log. */
  readonly name: string;
  /** Begins to serve or to work. The daemon does not start if this fails. */
  start?(): void | Promise<void>;
  /**
   * Begins what one daemon of the group does for all. A failure is logged, and the other parts lead.
   *
   * @param term aborts when this daemon leads no longer, and after the call of `stop`. No step of that work begins any more then,
   *   and a step in progress ends soon. The next term can begin before that: it begins like the first one, with what the
   *   storage has
   */
  lead?(term: AbortSignal): void | Promise<void>;
  /** The configuration has changed. */
  reload?(change: Change): void | Promise<void>;
  /** Ends the work. Resolves when nothing of this part runs any more. */
  stop?(how: Stopping): void | Promise<void>;
  /**
   * The bad states that it is in now. Somebody asks, so the answer must be cheap.
   *
   * @param factory those that this factory shows; `null` for those of the daemon, which all factories show
   */
  conditions?(factory: string | null): readonly PartCondition[];
  /** What it does when something happened. */
  readonly on?: Handlers;
}
