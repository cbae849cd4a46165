import type { IdSource } from '../../domain/ids.ts';
import type { RejectionEntry } from '../../domain/resources/delivery.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { type Schedule, scheduleCall } from '../../domain/time/schedule.ts';
import { describeRateLimited } from '../../domain/words/deliveries.ts';

const MINUTE_MS = 60_000;
/** Delivery IDs by which one row is found. A sender that sends more than this in a minute sends them again later. */
const MAX_IDS = 100;
/** Client addresses of one row. */
const MAX_ADDRESSES = 5;

/** A request over the delivery rate of its webhook. */
interface RateLimitedRequest {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  clientAddress: string;
  /** The commit that was live. */
  revision: string | null;
  /** Its delivery ID; `null` if it carries none. Not called for more than `MAX_IDS` requests of a minute. */
  readDeliveryId(): string | null;
}

interface Tally {
  /** Wall time in whole minutes since the epoch. */
  minute: number;
  count: number;
  addresses: Map<string, number>;
  deliveryIds: Set<string>;
  revision: string | null;
}

interface RateLimitedRowsParts {
  write(row: RejectionEntry): void;
  ids: Pick<IdSource, 'deliveryId'>;
  clock: Pick<Clock, 'wallMs'>;
  schedule?: Schedule;
}

/**
 * One row of the delivery log for the requests of one minute that exceeded the delivery rate of a webhook. The row is
 * written when its minute ends, with the end of the minute as its time. So the log stays in the order of time.
 */
export class RateLimitedRows {
  readonly #parts: Required<RateLimitedRowsParts>;
  readonly #tallies = new Map<number, Tally>();
  #isScheduled = false;

  constructor(parts: RateLimitedRowsParts) {
    this.#parts = { schedule: scheduleCall, ...parts };
  }

  add({ webhook, clientAddress, revision, readDeliveryId }: RateLimitedRequest): void {
    const tally = this.#findTally(webhook, revision);
    tally.count += 1;
    const { addresses, deliveryIds } = tally;
    const known = addresses.get(clientAddress);
    if (known !== undefined || addresses.size < MAX_ADDRESSES) addresses.set(clientAddress, (known ?? 0) + 1);
    if (deliveryIds.size === MAX_IDS) return;
    const deliveryId = readDeliveryId();
    if (deliveryId !== null) deliveryIds.add(deliveryId);
  }

  /** Writes the rows of past minutes, and with `everything` those of the current minute (for a clean stop). */
  flush(everything = false): void {
    const minute = this.#minute();
    for (const [webhook, tally] of this.#tallies) {
      if (!everything && tally.minute === minute) continue;
      this.#tallies.delete(webhook);
      this.#write(webhook, tally);
    }
  }

  #findTally(webhook: number, revision: string | null): Tally {
    const minute = this.#minute();
    const current = this.#tallies.get(webhook);
    if (current?.minute === minute) return current;
    if (current !== undefined) this.#write(webhook, current);
    const tally = { minute, count: 0, addresses: new Map(), deliveryIds: new Set<string>(), revision };
    this.#tallies.set(webhook, tally);
    this.#flushAtEndOfMinute();
    return tally;
  }

  #flushAtEndOfMinute(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const { schedule, clock } = this.#parts;
    // A timer may fire a millisecond early.
    schedule(MINUTE_MS - (clock.wallMs() % MINUTE_MS) + 1, () => {
      this.#isScheduled = false;
      this.flush();
      if (this.#tallies.size > 0) this.#flushAtEndOfMinute();
    });
  }

  #minute(): number {
    return Math.floor(this.#parts.clock.wallMs() / MINUTE_MS);
  }

  #write(webhook: number, { minute, count, addresses, deliveryIds, revision }: Tally): void {
    const { write, ids, clock } = this.#parts;
    const receivedAt = Math.min(clock.wallMs(), (minute + 1) * MINUTE_MS - 1);
    const byCount = [...addresses].sort(([, a], [, b]) => b - a);
    write({
      kind: 'rejection',
      id: ids.deliveryId(receivedAt),
      webhook,
      label: null,
      reason: 'delivery_rate',
      detail: describeRateLimited({ startedAt: minute * MINUTE_MS, count, addresses: byCount }),
      identity: null,
      deliveryIds: [...deliveryIds],
      size: 0,
      count,
      receivedAt,
      clientAddress: byCount[0]![0],
      headers: null,
      revision,
    });
  }
}
