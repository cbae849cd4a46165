import type { MessagePort } from 'node:worker_threads';
import type { RequestMessage } from '../../../platform/threads/worker-calls.ts';
import { OPERATION_RIGHTS, rightOf } from '../../thread/operation-rights.ts';
import type { PortName, StorageRequest } from '../../thread/worker-protocol.ts';

/** A request and the thread that waits for its reply. */
export interface Waiting {
  message: RequestMessage<StorageRequest>;
  client: MessagePort;
  /** Since when it waits for the write lock, on the monotonic clock; `null` if it does not. */
  lockedSince: number | null;
}

/** Which requests can be performed now. */
export type Performable =
  | 'all'
  /** Another process holds the write lock: reads that have not met it. */
  | 'unlocked reads'
  | 'reads';

/** The requests that wait for the storage thread. Batches of deliveries go first. */
export class RequestQueue {
  readonly #batches: Waiting[] = [];
  readonly #others: Waiting[] = [];

  get size(): number {
    return this.#batches.length + this.#others.length;
  }

  get hasBatch(): boolean {
    return this.#batches.length > 0;
  }

  add(waiting: Waiting): void {
    this.#listOf(waiting).push(waiting);
  }

  /** Puts a request back to the place from which it was taken: it was first. */
  putBack(waiting: Waiting): void {
    this.#listOf(waiting).unshift(waiting);
  }

  /** Takes the next request; `undefined` if all that wait need the write lock. */
  take(performable: Performable): Waiting | undefined {
    if (performable === 'all') return this.#batches.shift() ?? this.#others.shift();
    const at = this.#others.findIndex(
      (waiting) => isRead(waiting) && (performable === 'reads' || waiting.lockedSince === null),
    );
    return at === -1 ? undefined : this.#others.splice(at, 1)[0];
  }

  /** Marks the requests that need the write lock, and takes those that have waited for it since `before` or longer. */
  takeLocked(nowMs: number, before: number): Waiting[] {
    return [this.#batches, this.#others].flatMap((list) => {
      for (const waiting of list) waiting.lockedSince ??= isRead(waiting) ? null : nowMs;
      const expired = list.filter(({ lockedSince }) => lockedSince !== null && lockedSince <= before);
      for (const waiting of expired) list.splice(list.indexOf(waiting), 1);
      return expired;
    });
  }

  #listOf({ message }: Waiting): Waiting[] {
    return message.request.port === 'deliveryLog' ? this.#batches : this.#others;
  }
}

function isRead({ message: { request } }: Waiting): boolean {
  const { port, operation } = request;
  return isOfStorage(port) && rightOf(port, operation) === 'reads';
}

function isOfStorage(port: PortName): port is keyof typeof OPERATION_RIGHTS {
  return port in OPERATION_RIGHTS;
}
