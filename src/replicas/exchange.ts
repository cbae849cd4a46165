import type { DeliveryId, RunId } from '../core/ids.ts';
import type { AdmissionKind, Counts, ReplicaMessage, UnacceptedKind } from '../core/ports/replicas.ts';

/**
 * How long the others do not know what this replica admitted. So a limit can be exceeded by what each of the other replicas
 * admits in this time.
 */
const EXCHANGE_MS = 1000;

/** How long a message about runs waits for others. */
const RUNS_MS = 50;

/** PostgreSQL rejects messages of 8,000 bytes. A key has at most 80 bytes, and an ID 30. */
const KEYS_PER_MESSAGE = 80;
const MAX_IDS = 200;

/** What this replica counted and recorded since its last messages. */
export class Exchange {
  readonly #announce: (message: ReplicaMessage) => void;
  readonly #admitted: Record<AdmissionKind, Map<string, number>> = { deliveries: new Map(), failures: new Map() };
  readonly #unaccepted: Record<UnacceptedKind, Map<string, number>> = { rejected: new Map(), limited: new Map() };
  #recorded: DeliveryId[] | null = [];
  readonly #startable = new Set<string>();
  readonly #changed = new Set<RunId>();
  #runsTimer: NodeJS.Timeout | null = null;
  readonly #timer: NodeJS.Timeout;

  /** @param announce sends a message to the other replicas */
  constructor(announce: (message: ReplicaMessage) => void) {
    this.#announce = announce;
    this.#timer = setInterval(() => this.flush(), EXCHANGE_MS).unref();
  }

  noteAdmitted(kind: AdmissionKind, key: string): void {
    add(this.#admitted[kind], key, 1);
  }

  /** @param webhook its number in the storage */
  noteUnaccepted(kind: UnacceptedKind, webhook: number, count: number): void {
    add(this.#unaccepted[kind], String(webhook), count);
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
    for (const of of ['deliveries', 'failures'] as const) {
      for (const counts of takeParts(this.#admitted[of])) this.#announce({ kind: 'admitted', of, counts });
    }
    for (const of of ['rejected', 'limited'] as const) {
      for (const counts of takeParts(this.#unaccepted[of])) this.#announce({ kind: 'unaccepted', of, counts });
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

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function takeParts(counts: Map<string, number>): Counts[] {
  const all = [...counts];
  counts.clear();
  const parts: Counts[] = [];
  for (let start = 0; start < all.length; start += KEYS_PER_MESSAGE)
    parts.push(all.slice(start, start + KEYS_PER_MESSAGE));
  return parts;
}
