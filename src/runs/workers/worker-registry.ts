import type { WorkerCaller } from '../../domain/ports/workers.ts';
import { hasAllLabels } from '../../domain/runs/worker-labels.ts';
import type { Clock } from '../../domain/time/clock.ts';

/** Identifies a worker: its token, and its ID among the workers with this token. */
export type WorkerKey = string;

export function keyOf({ token, id }: Pick<WorkerCaller, 'token' | 'id'>): WorkerKey {
  return JSON.stringify([token, id]);
}

/** A worker that does not wait for runs counts as online for this time after its last request. */
const ONLINE_MS = 90_000;
/** A worker that was not seen for this time is forgotten. */
const FORGET_MS = 24 * 3_600_000;
const MAX_WORKERS = 1000;

/** A worker that has sent a request since the daemon started. */
export interface SeenWorker {
  caller: WorkerCaller;
  factories: ReadonlySet<string>;
  isOnline: boolean;
  /** Wall time. */
  lastSeenAt: number;
}

interface Entry {
  caller: WorkerCaller;
  factories: Set<string>;
  lastSeenAt: number;
  /** Monotonic. */
  seenMs: number;
  /** Number of claims that wait. */
  waiting: number;
}

/** Can a worker that is known take a run? */
export type WorkerSupply = 'able' | 'without_labels' | 'offline' | 'none';

/** The workers that have sent requests since the daemon started. Only in memory, and bounded. */
export class WorkerRegistry {
  readonly #clock: Clock;
  /** The worker that was seen last is the last one. */
  readonly #entries = new Map<WorkerKey, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a request of a worker. */
  note(caller: WorkerCaller, factories: Iterable<string> = []): WorkerKey {
    const key = keyOf(caller);
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    this.#forget();
    this.#entries.set(key, {
      caller,
      factories: new Set([...(known?.factories ?? []), ...factories]),
      lastSeenAt: this.#clock.wallMs(),
      seenMs: this.#clock.monotonicMs(),
      waiting: known?.waiting ?? 0,
    });
    return key;
  }

  /** A claim of this worker waits until the returned function is called. */
  noteWaiting(caller: WorkerCaller): () => void {
    const key = keyOf(caller);
    this.#change(key, 1);
    return () => {
      this.#change(key, -1);
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.note(entry.caller);
    };
  }

  list(): SeenWorker[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry, isOnline: this.#isOnline(entry) }));
  }

  /** Which workers there are for runs of this factory that need these labels. */
  supply(factory: string, runsOn: readonly string[] | null): WorkerSupply {
    const known = [...this.#entries.values()].filter(({ factories }) => factories.has(factory));
    const online = known.filter((entry) => this.#isOnline(entry));
    if (online.some(({ caller }) => hasAllLabels(caller.labels, runsOn))) return 'able';
    if (online.length > 0) return 'without_labels';
    return known.length > 0 ? 'offline' : 'none';
  }

  #isOnline({ waiting, seenMs }: Entry): boolean {
    return waiting > 0 || this.#clock.monotonicMs() - seenMs < ONLINE_MS;
  }

  #change(key: WorkerKey, by: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.waiting = Math.max(0, entry.waiting + by);
  }

  /** Makes room for one entry. */
  #forget(): void {
    const oldestMs = this.#clock.monotonicMs() - FORGET_MS;
    for (const [key, { waiting, seenMs }] of this.#entries) {
      if (waiting > 0) continue;
      if (seenMs > oldestMs && this.#entries.size < MAX_WORKERS) return;
      this.#entries.delete(key);
    }
  }
}
