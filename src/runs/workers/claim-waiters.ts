import { rateLimited } from '../../domain/network/rate-limit.ts';
import type { ClaimedRun, ClaimOrder } from '../../domain/ports/workers.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { callAt } from '../../domain/time/schedule.ts';
import { keyOf, type WorkerKey } from './worker-registry.ts';

/** Each holds a connection, and is asked for each new run. */
export const MAX_WAITING_CLAIMS = 500;
const RETRY_AFTER_SECONDS = 5;

interface ClaimWaiterParts {
  clock: Clock;
  /** Does the daemon give out runs? Otherwise no claim waits. */
  mayWait(): boolean;
  /** Claims what is queued now. */
  claimNow(order: ClaimOrder): Promise<ClaimedRun[]>;
  /** Returns runs to the queue whose worker has disconnected. They were not sent to it. */
  takeBack(claimed: readonly ClaimedRun[]): Promise<void>;
}

interface Waiter {
  order: ClaimOrder;
  worker: WorkerKey;
  /** Claims with the same factories and labels find the same runs. */
  group: string;
  isDone: boolean;
  settle(claimed: ClaimedRun[]): void;
  fail(error: unknown): void;
}

/** Claims that wait for a run (long polling), in the order of arrival. */
export class ClaimWaiters {
  readonly #parts: ClaimWaiterParts;
  readonly #waiting = new Set<Waiter>();
  /** Factories with runs that a waiting claim may get. */
  #wanted = new Set<string>();
  /** Number of wakes, so that none is lost between a claim and its wait. */
  #wakes = 0;
  #pumping = false;

  constructor(parts: ClaimWaiterParts) {
    this.#parts = parts;
  }

  /** Claims now, or as soon as a run is queued. A worker has one claim that waits: a newer one ends it. */
  async claim(order: ClaimOrder): Promise<ClaimedRun[]> {
    const worker = keyOf(order.worker);
    for (const waiter of this.#waiting) if (waiter.worker === worker && order.worker.id !== null) waiter.settle([]);
    const wakesBefore = this.#wakes;
    const claimed = await this.#parts.claimNow(order);
    if (order.signal.aborted) return this.#takeBack(claimed);
    if (claimed.length > 0 || order.waitMs === 0 || !this.#parts.mayWait()) return claimed;
    if (this.#waiting.size >= MAX_WAITING_CLAIMS) {
      const message = `${MAX_WAITING_CLAIMS} claims are waiting for runs already. Try again later, or use fewer workers.`;
      throw rateLimited(message, { retryAfterSeconds: RETRY_AFTER_SECONDS, policy: null });
    }
    const waiting = this.#wait(order, worker);
    if (this.#wakes !== wakesBefore) for (const factory of order.factories) this.wake(factory);
    return waiting;
  }

  /** A run of this factory may be claimed. */
  wake(factory: string): void {
    this.#wakes += 1;
    if (this.#waiting.size === 0) return;
    this.#wanted.add(factory);
    void this.#pump();
  }

  /** Ends all waits without a run. */
  endAll(): void {
    for (const waiter of this.#waiting) waiter.settle([]);
  }

  #wait(order: ClaimOrder, worker: WorkerKey): Promise<ClaimedRun[]> {
    const group = JSON.stringify([[...order.factories].sort(), [...order.worker.labels].sort()]);
    return new Promise((resolve, reject) => {
      const end = () => {
        waiter.isDone = true;
        cancelTimeout();
        order.signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        order,
        worker,
        group,
        isDone: false,
        settle: (claimed) => {
          end();
          resolve(claimed);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const onAbort = () => waiter.settle([]);
      const { clock } = this.#parts;
      const cancelTimeout = callAt(clock.monotonicMs() + order.waitMs, clock, onAbort);
      order.signal.addEventListener('abort', onAbort);
      this.#waiting.add(waiter);
    });
  }

  /** Claims for those who wait, one after another, until no run is left for them. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted;
      this.#wanted = new Set();
      const empty = new Set<string>();
      for (const waiter of [...this.#waiting]) {
        const mayGet = waiter.order.factories.some((factory) => wanted.has(factory));
        if (waiter.isDone || !mayGet || empty.has(waiter.group)) continue;
        if (!(await this.#claimFor(waiter))) empty.add(waiter.group);
      }
    }
    this.#pumping = false;
  }

  /** Returns whether a run was claimed. */
  async #claimFor(waiter: Waiter): Promise<boolean> {
    try {
      const claimed = await this.#parts.claimNow(waiter.order);
      if (waiter.isDone) await this.#takeBack(claimed);
      else if (claimed.length > 0) waiter.settle(claimed);
      return claimed.length > 0;
    } catch (error) {
      waiter.fail(error);
      return true;
    }
  }

  async #takeBack(claimed: ClaimedRun[]): Promise<ClaimedRun[]> {
    if (claimed.length > 0) await this.#parts.takeBack(claimed);
    return [];
  }
}
