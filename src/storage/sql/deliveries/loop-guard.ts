import type { NewRun } from '../../../domain/resources/delivery.ts';
import { LOOP_GUARD } from '../../../domain/words/runs.ts';
import { type AcceptableEntry, type AdmittedRuns, limitOf } from './delivery-rows.ts';

/** What the loop guard counts runs for. */
export interface GuardKey {
  factory: string;
  automation: string;
  subject: string;
  /** Only later runs count. */
  since: number;
  /** The maximum number of these runs. */
  limit: number;
}

/** A row of `loop_guards`: the deliveries of a batch that did not start the automation. */
export interface GuardedRow {
  factory: string;
  automation: string;
  subject: string;
  deliveries: number;
  last_at: number;
}

/** The key of a run; `null` if the loop guard does not count it. */
export function findGuardKey(entry: AcceptableEntry, factory: string, { automation }: NewRun): GuardKey | null {
  const subject = entry.kind === 'offer' ? entry.subject : undefined;
  if (subject === undefined) return null;
  const { runs, windowMs } = limitOf(entry);
  return { factory, automation, subject, since: entry.receivedAt - windowMs, limit: runs };
}

/** Equal for the runs that are counted together. */
export function nameGuardKey({ factory, automation, subject }: Omit<GuardKey, 'since' | 'limit'>): string {
  return JSON.stringify([factory, automation, subject]);
}

/** The count begins again after a pause. */
export const SUM_OF_GUARDED = `
  CASE WHEN loop_guards.last_at > excluded.last_at - ${LOOP_GUARD.windowMs}
    THEN loop_guards.deliveries + excluded.deliveries ELSE excluded.deliveries END`;

/**
 * Decides which runs of a batch are created, inside its transaction. The runs of the batch count, too
 * (provider triggers, section 3, "loop guard").
 */
export class LoopGuard {
  readonly #countStored: (key: GuardKey) => number;
  readonly #counts = new Map<string, number>();
  readonly #rows = new Map<string, GuardedRow>();

  /** @param countStored the number of stored runs, at most that of the guard; called once for each subject */
  constructor(countStored: (key: GuardKey) => number) {
    this.#countStored = countStored;
  }

  /** What the guard did, for alerts. */
  get rows(): GuardedRow[] {
    return [...this.#rows.values()];
  }

  admit(entry: AcceptableEntry, factory: string): AdmittedRuns {
    const guarded: string[] = [];
    const runs = entry.runs.filter((run) => {
      const key = findGuardKey(entry, factory, run);
      if (key === null || this.#take(key)) return true;
      guarded.push(run.automation);
      this.#note(key, entry.receivedAt);
      return false;
    });
    return { runs, guarded };
  }

  #take(key: GuardKey): boolean {
    const name = nameGuardKey(key);
    const count = this.#counts.get(name) ?? this.#countStored(key);
    const isFree = count < key.limit;
    this.#counts.set(name, isFree ? count + 1 : count);
    return isFree;
  }

  #note({ factory, automation, subject }: GuardKey, at: number): void {
    const name = nameGuardKey({ factory, automation, subject });
    const deliveries = (this.#rows.get(name)?.deliveries ?? 0) + 1;
    this.#rows.set(name, { factory, automation, subject, deliveries, last_at: at });
  }
}
