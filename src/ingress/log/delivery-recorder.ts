// What the ingress writes. In: deliveries of the last step, and rejections. Out: batches for the storage. Deliveries wait for
// their batch here. Rejections first pass `capped-rows.ts` and `rate-limited-rows.ts`, which sum up floods. Requests without a
// row are counted in `unlogged-tally.ts`. In memory only: `capture-window.ts`, `url-probes.ts`, `backfill-marks.ts`.

import { AppError } from '../../domain/errors.ts';
import type { DeliveryLog } from '../../domain/ports/delivery-log.ts';
import type {
  DeliveryLogEntry,
  DeliveryOffer,
  OfferOutcome,
  RecordOutcome,
  RejectionEntry,
  ReplayEntry,
} from '../../domain/resources/delivery.ts';

/** Maximum number of entries per transaction: large enough for full throughput, small enough for a short wait. */
const MAX_BATCH_ENTRIES = 256;
/** Maximum number of bytes per transaction. A single entry may exceed it. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Maximum number of waiting entries. Beyond it, an early `503` is better than a late answer. */
const MAX_WAITING_ENTRIES = 4096;

interface Waiting {
  entry: DeliveryLogEntry;
  settle(outcome: RecordOutcome): void;
  fail(error: unknown): void;
}

type OnRecorded = (entry: DeliveryLogEntry, outcome: RecordOutcome) => void;
type OnLost = (entry: RejectionEntry) => void;

/**
 * Group commit: entries that arrive while a batch is written wait for the next one and share its fsync. There is no
 * timer: an idle recorder writes a single delivery immediately, a busy one batches automatically.
 */
export class DeliveryRecorder {
  readonly #log: DeliveryLog;
  readonly #onRecorded: OnRecorded;
  readonly #onLost: OnLost;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;

  /**
   * @param onRecorded called with every entry after its batch is on disk; must not throw
   * @param onLost called with every rejection that cannot be written; must not throw
   */
  constructor(log: DeliveryLog, onRecorded: OnRecorded = () => {}, onLost: OnLost = () => {}) {
    this.#log = log;
    this.#onRecorded = onRecorded;
    this.#onLost = onLost;
  }

  /**
   * Resolves when the entry is on disk. Rejects with the storage's error, or `storage_unavailable` if too many wait.
   */
  offer(entry: DeliveryOffer | ReplayEntry): Promise<OfferOutcome> {
    if (this.#waiting.length >= MAX_WAITING_ENTRIES) {
      return Promise.reject(new AppError('storage_unavailable', 'too many deliveries are waiting to be written'));
    }
    return new Promise((resolve, fail) =>
      this.#enqueue({ entry, settle: (outcome) => resolve(outcome as OfferOutcome), fail }),
    );
  }

  /** Writes a rejection with the next batch, without waiting. Under overload it is dropped. */
  note(entry: RejectionEntry): void {
    const fail = () => this.#onLost(entry);
    const settle = (outcome: RecordOutcome) => {
      if ('message' in outcome) fail();
    };
    if (this.#waiting.length >= MAX_WAITING_ENTRIES) fail();
    else this.#enqueue({ entry, settle, fail });
  }

  /** Resolves when no entry waits. */
  async drain(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#takeBatch());
    this.#writing = null;
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && count < MAX_BATCH_ENTRIES) {
      const { entry } = this.#waiting[count]!;
      bytes += entry.kind === 'rejection' ? 0 : entry.size;
      if (count > 0 && bytes > MAX_BATCH_BYTES) break;
      count += 1;
    }
    if (count === this.#waiting.length) {
      const all = this.#waiting;
      this.#waiting = [];
      return all;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#log.record(batch.map((waiting) => waiting.entry));
      batch.forEach((waiting, index) => {
        const outcome = outcomes[index]!;
        dropGuarded(waiting.entry, outcome);
        waiting.settle(outcome);
        this.#onRecorded(waiting.entry, outcome);
      });
    } catch (error) {
      for (const waiting of batch) waiting.fail(error);
    }
  }
}

/** From now on, the entry has only the runs that the storage created. */
function dropGuarded(entry: DeliveryLogEntry, outcome: RecordOutcome): void {
  const guarded = outcome.label === 'Accepted' ? outcome.guarded : undefined;
  if (entry.kind === 'rejection' || guarded === undefined) return;
  entry.runs = entry.runs.filter(({ automation }) => !guarded.includes(automation));
}
