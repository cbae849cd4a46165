import type { AppError } from '../errors.ts';
import { rateLimited } from '../network/rate-limit.ts';

interface TaskQueueOptions {
  /** Number of tasks that run at the same time. Default: 1. */
  concurrency?: number;
  /** Maximum number of tasks that wait. Default: no limit. */
  maxWaiting?: number;
  /** Message of the error beyond `maxWaiting`, one sentence. */
  tooMany?: string;
}

const RETRY_AFTER_SECONDS = 2;

/** Runs tasks in the order of arrival, by default one after another. A task that fails does not affect the next one. */
export class TaskQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #tooMany: string;
  readonly #waiting: (() => void)[] = [];
  readonly #idleListeners: (() => void)[] = [];
  #running = 0;

  constructor(options: TaskQueueOptions = {}) {
    this.#concurrency = options.concurrency ?? 1;
    this.#maxWaiting = options.maxWaiting ?? Number.POSITIVE_INFINITY;
    this.#tooMany = options.tooMany ?? 'Too many of these requests are in progress.';
  }

  /** Resolves or rejects as the task does. Rejects with `too_many_requests` if the queue is full. */
  async run<T>(task: () => Promise<T> | T): Promise<T> {
    await this.#enter();
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  /** Does no task run or wait? */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Resolves when no task runs or waits. */
  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #enter(): Promise<void> {
    if (this.#running < this.#concurrency) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#maxWaiting) throw this.#refuse();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the place to the next task, so that a new arrival cannot overtake it. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const listener of this.#idleListeners.splice(0)) listener();
  }

  #refuse(): AppError {
    const message = `${this.#tooMany} Try again in a few seconds.`;
    return rateLimited(message, { retryAfterSeconds: RETRY_AFTER_SECONDS, policy: null });
  }
}
