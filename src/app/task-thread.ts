import { parentPort, Worker } from 'node:worker_threads';
import { AppError } from '../core/errors.ts';

export interface TaskThreadOptions {
  /** A task that takes longer than this, with its wait for others, ends the thread and all that waits for it. */
  timeoutMs: number;
  /** Bounds for tasks that name their steps; one that exceeds them rejects with `SlowTaskError`. */
  steps?: StepLimits;
  /** What could not be done, to complete "…: why". */
  failure: string;
  /** Tasks under way and waiting; more are refused with `too_many_requests`. */
  maxPending?: number;
  /** Does the thread end when nothing is left to do, so that nothing of a task stays in its memory? */
  endsWhenIdle?: boolean;
}

/** Counted from the first step that a task names. */
export interface StepLimits {
  stepMs: number;
  allMs: number;
}

/** A task took too long, at the step named. */
export class SlowTaskError extends AppError {
  readonly step: string;
  readonly limitMs: number;
  /** Was it this step alone, not all of them together? */
  readonly isStep: boolean;

  constructor(step: string, limitMs: number, isStep: boolean) {
    super('internal', `it took longer than ${limitMs / 1000} s, at ${step}`);
    this.step = step;
    this.limitMs = limitMs;
    this.isStep = isStep;
  }
}

interface TaskMessage<Task> {
  id: number;
  task: Task;
}

type ReplyMessage<Result> = { id: number; result: Result } | { id: number; step: string };

interface Pending<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
  /** Once the task has named one. */
  steps: StepWatch | null;
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
      this.#pending.set(id, { resolve, reject, timer: setTimeout(giveUp, timeoutMs).unref(), steps: null });
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
    worker.on('message', (message: ReplyMessage<Result>) => {
      if ('step' in message) this.#noteStep(worker, message);
      else this.#settle(worker, message.id, message.result);
    });
    worker.on('error', (error) => this.#break(worker, error.message));
    worker.on('exit', (code) => this.#break(worker, `its thread ended with ${code}`));
    this.#worker = worker;
    return worker;
  }

  #noteStep(worker: Worker, { id, step }: { id: number; step: string }): void {
    const { steps } = this.#options;
    const pending = this.#pending.get(id);
    if (pending === undefined || steps === undefined) return;
    pending.steps ??= new StepWatch(steps, (error) => {
      this.#take(id)?.reject(error);
      void this.#break(worker, error.message);
    });
    pending.steps.begin(step);
  }

  #settle(worker: Worker, id: number, result: Result): void {
    this.#take(id)?.resolve(result);
    const isIdle = this.#worker === worker && this.#pending.size === 0;
    if (isIdle && this.#options.endsWhenIdle) void this.#break(worker, 'it was idle');
  }

  #take(id: number): Pending<Result> | undefined {
    const pending = this.#pending.get(id);
    if (pending) clearTimeout(pending.timer);
    pending?.steps?.stop();
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

/** How much later than planned a timer may run before this thread itself counts as held up. */
const MAX_TIMER_DELAY_MS = 500;

/** Watches the steps of one task and reports once when they take too long. */
class StepWatch {
  readonly #limits: StepLimits;
  readonly #onSlow: (error: SlowTaskError) => void;
  readonly #cancelAll: () => void;
  #cancelStep = () => {};
  #step = '';

  constructor(limits: StepLimits, onSlow: (error: SlowTaskError) => void) {
    this.#limits = limits;
    this.#onSlow = onSlow;
    this.#cancelAll = startTimer(limits.allMs, () => this.#report(limits.allMs, false));
  }

  begin(step: string): void {
    this.#step = step;
    this.#cancelStep();
    this.#cancelStep = startTimer(this.#limits.stepMs, () => this.#report(this.#limits.stepMs, true));
  }

  stop(): void {
    this.#cancelStep();
    this.#cancelAll();
  }

  #report(limitMs: number, isStep: boolean): void {
    this.stop();
    this.#onSlow(new SlowTaskError(this.#step, limitMs, isStep));
  }
}

/**
 * Calls back after a time in which this thread was awake. A timer that runs late says that the process was suspended or
 * this thread busy, so the time starts again; messages that wait meanwhile are read before the call.
 */
function startTimer(delayMs: number, callback: () => void): () => void {
  let isCancelled = false;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const dueMs = performance.now() + delayMs;
    timer = setTimeout(() => {
      if (performance.now() - dueMs > MAX_TIMER_DELAY_MS) return arm();
      setImmediate(() => {
        if (!isCancelled) callback();
      });
    }, delayMs).unref();
  };
  arm();
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

/**
 * The other side: does what a `TaskThread` hands over. To be called once, by the module that is the thread. `carryOut`
 * may name its steps, for the limits on them.
 */
export function answerTasks<Task, Result>(carryOut: (task: Task, onStep: (step: string) => void) => Result): void {
  const reply = (message: ReplyMessage<Result>) => parentPort!.postMessage(message);
  parentPort!.on('message', ({ id, task }: TaskMessage<Task>) => {
    reply({ id, result: carryOut(task, (step) => reply({ id, step })) });
  });
}
