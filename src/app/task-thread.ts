import { parentPort, Worker } from 'node:worker_threads';
import { AppError } from '../core/errors.ts';

export interface TaskThreadOptions {
  /** A task that takes longer than this ends the thread, and all that waits for it. */
  timeoutMs: number;
  /** What could not be done, to complete "…: why". */
  failure: string;
  /** Tasks under way and waiting; more are refused with `too_many_requests`. */
  maxPending?: number;
  /** Does the thread end when nothing is left to do, so that nothing of a task stays in its memory? */
  endsWhenIdle?: boolean;
}

interface TaskMessage<Task> {
  id: number;
  task: Task;
}

interface ResultMessage<Result> {
  id: number;
  result: Result;
}

interface Pending<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Does tasks in a thread of its own, one after the other; started when first needed and again after it broke. */
export class TaskThread<Task, Result> {
  readonly #workerUrl: URL;
  readonly #options: TaskThreadOptions;
  readonly #pending = new Map<number, Pending<Result>>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  /** @param workerUrl a built module that calls `answerTasks` */
  constructor(workerUrl: URL, options: TaskThreadOptions) {
    this.#workerUrl = workerUrl;
    this.#options = options;
  }

  /** Rejects with `internal` where the thread broke or took too long, and after `close`. */
  run(task: Task): Promise<Result> {
    const { timeoutMs, maxPending = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#isClosed) return Promise.reject(this.#refuse('the daemon stops'));
    if (this.#pending.size >= maxPending) {
      return Promise.reject(
        new AppError('too_many_requests', 'Too many of these are under way: try again in a moment.'),
      );
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const worker = this.#start();
      const giveUp = () => this.#break(worker, `it took longer than ${timeoutMs / 1000} s`);
      this.#pending.set(id, { resolve, reject, timer: setTimeout(giveUp, timeoutMs).unref() });
      worker.postMessage({ id, task } satisfies TaskMessage<Task>);
    });
  }

  /** Fails what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#worker !== null) await this.#break(this.#worker, 'the daemon stops');
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(this.#workerUrl);
    worker.unref();
    worker.on('message', (message: ResultMessage<Result>) => this.#settle(worker, message));
    worker.on('error', (error) => this.#break(worker, error.message));
    worker.on('exit', (code) => this.#break(worker, `its thread ended with ${code}`));
    this.#worker = worker;
    return worker;
  }

  #settle(worker: Worker, { id, result }: ResultMessage<Result>): void {
    this.#take(id)?.resolve(result);
    const isIdle = this.#worker === worker && this.#pending.size === 0;
    if (isIdle && this.#options.endsWhenIdle) void this.#break(worker, 'it was idle');
  }

  #take(id: number): Pending<Result> | undefined {
    const pending = this.#pending.get(id);
    if (pending) clearTimeout(pending.timer);
    this.#pending.delete(id);
    return pending;
  }

  /** Everything under way goes with the thread; the next call starts another. What a thread of the past tells is old. */
  async #break(worker: Worker, reason: string): Promise<void> {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(this.#refuse(reason));
    await worker.terminate();
  }

  #refuse(reason: string): AppError {
    return new AppError('internal', `${this.#options.failure}: ${reason}`);
  }
}

/** The other side: does what a `TaskThread` hands over. To be called once, by the module that is the thread. */
export function answerTasks<Task, Result>(carryOut: (task: Task) => Result): void {
  parentPort!.on('message', ({ id, task }: TaskMessage<Task>) => {
    const message: ResultMessage<Result> = { id, result: carryOut(task) };
    parentPort!.postMessage(message);
  });
}
