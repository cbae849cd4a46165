import type { DeliveryId, RunId } from '../../domain/ids.ts';
import type { ReplicaMessage, UnacceptedKind } from '../../domain/ports/replicas.ts';
import { addCount, KEYS_PER_MESSAGE, splitCounts } from './counts.ts';

const EXCHANGE_MS = 1000;

/** How long a message about runs waits for others. */
const RUNS_MS = 50;

/** PostgreSQL rejects messages of 8,000 bytes. An ID has 30 bytes. */
const MAX_IDS = 200;

/** What this replica counted and recorded since its last messages. */
export class Exchange {
  readonly #announce: (message: ReplicaMessage) => void;
  readonly #unaccepted: Record<UnacceptedKind, Map<string, number>> = { rejected: new Map(), limited: new Map() };
  #recorded: DeliveryId[] | null = [];
  readonly #startable = new Set<string>();
  readonly #changed = new Set<RunId>();
  #runsTimer: NodeJS.Timeout | null = null;
  readonly #timer: NodeJS.Timeout;

  /**
   * @param announce sends a message to the other replicas
   * @param countReplicas the number of replicas, with this one: without others, nothing is sent
   */
  constructor(announce: (message: ReplicaMessage) => void, countReplicas: () => number) {
    this.#announce = (message) => {
      if (countReplicas() > 1) announce(message);
    };
    this.#timer = setInterval(() => this.flush(), EXCHANGE_MS).unref();
  }

  /** @param webhook its number in the storage */
  noteUnaccepted(kind: UnacceptedKind, webhook: number, count: number): void {
    addCount(this.#unaccepted[kind], String(webhook), count);
  }

  noteRecorded(id: DeliveryId): void {
    this.#recorded?.push(id);
    if (this.#recorded !== null && this.#recorded.length > MAX_IDS) this.#recorded = null;
  }

  /** Runs of this factory are queued, or one ended, so that another daemon may start one. */
  noteStartable(factory: string): void {
    this.#startable.add(factory);
    this.#runsTimer ??= setTimeout(() => this.#flushRuns(), RUNS_MS).unref();
  }

  noteRunChanged(id: RunId): void {
    this.#changed.add(id);
    this.#runsTimer ??= setTimeout(() => this.#flushRuns(), RUNS_MS).unref();
  }

  flush(): void {
    for (const of of ['rejected', 'limited'] as const) {
      for (const counts of splitCounts(this.#unaccepted[of])) this.#announce({ kind: 'unaccepted', of, counts });
      this.#unaccepted[of].clear();
    }
    const deliveries = this.#recorded;
    this.#recorded = [];
    if (deliveries === null || deliveries.length > 0) this.#announce({ kind: 'recorded', deliveries });
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#runsTimer ?? undefined);
    this.#flushRuns();
  }

  #flushRuns(): void {
    this.#runsTimer = null;
    const runs = this.#changed.size > MAX_IDS ? null : [...this.#changed];
    this.#changed.clear();
    if (runs === null || runs.length > 0) this.#announce({ kind: 'runsChanged', runs });
    const factories = [...this.#startable];
    this.#startable.clear();
    for (let start = 0; start < factories.length; start += KEYS_PER_MESSAGE)
      this.#announce({ kind: 'runs', factories: factories.slice(start, start + KEYS_PER_MESSAGE) });
  }
}
