import { parentPort, Worker } from 'node:worker_threads';
import { AppError, type ErrorCode, messageOf } from '../core/errors.ts';

export interface TaskThreadOptions {
  /** A task that takes longer than this, with its wait for others, ends the thread and all that waits for it. */
  timeoutMs: number;
  /** Bounds for tasks that name their steps; one that exceeds them rejects with `SlowTaskError`. */
  steps?: StepLimits;
  /** What could not be done, to complete "…: why". */
  failure: string;
  /** Tasks under way and waiting; more are refused with `too_many_requests`. */
  maxPending?: number;
  /** The thread ends after this time without a task, and its memory with it. Default: never. */
  idleMs?: number;
  /** What the thread may ask of this side while it works on a task, by name. */
  host?: object;
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

/** An expected error, as it crosses threads. */
interface ErrorCopy {
  code: ErrorCode;
  message: string;
  details: unknown;
}

/** A question of the thread to the side that started it. */
interface HostCall {
  call: number;
  name: string;
  args: unknown[];
}

type HostAnswer = { call: number; value: unknown } | { call: number; error: ErrorCopy };

type Outcome<Result> = { id: number; result: Result } | { id: number; error: ErrorCopy };

type ReplyMessage<Result> = Outcome<Result> | { id: number; step: string | null } | HostCall;

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
  #idleTimer: NodeJS.Timeout | undefined;

  /** @param workerUrl a built module that calls `answerTasks` */
  constructor(workerUrl: URL, options: TaskThreadOptions) {
    this.#workerUrl = workerUrl;
    this.#options = options;
  }

  /**
   * Rejects with the `AppError` that the task threw, and with `internal` if the thread broke or took too long, and after
   * `close`.
   */
  run(task: Task): Promise<Result> {
    const { timeoutMs, maxPending = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#isClosed) return Promise.reject(describeStop());
    if (this.#pending.size >= maxPending) {
      return Promise.reject(
        new AppError('too_many_requests', 'Too many of these are under way: try again in a moment.'),
      );
    }
    clearTimeout(this.#idleTimer);
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
    if (this.#worker !== null) await this.#break(this.#worker, 'the daemon is stopping');
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(this.#workerUrl);
    worker.unref();
    worker.on('message', (message: ReplyMessage<Result>) => {
      if ('step' in message) this.#noteStep(worker, message);
      else if ('call' in message) void this.#answer(worker, message);
      else this.#settle(worker, message);
    });
    worker.on('error', (error) => this.#break(worker, error.message));
    worker.on('exit', (code) => this.#break(worker, `its thread ended with ${code}`));
    this.#worker = worker;
    return worker;
  }

  #noteStep(worker: Worker, { id, step }: { id: number; step: string | null }): void {
    const { steps } = this.#options;
    const pending = this.#pending.get(id);
    if (pending === undefined || steps === undefined) return;
    pending.steps ??= new StepWatch(steps, (error) => {
      this.#take(id)?.reject(error);
      void this.#break(worker, error.message);
    });
    if (step === null) pending.steps.stop();
    else pending.steps.begin(step);
  }

  #settle(worker: Worker, outcome: Outcome<Result>): void {
    const pending = this.#take(outcome.id);
    if ('error' in outcome) pending?.reject(restoreError(outcome.error));
    else pending?.resolve(outcome.result);
    const { idleMs } = this.#options;
    const isIdle = this.#worker === worker && this.#pending.size === 0;
    if (!isIdle || idleMs === undefined) return;
    const end = () => void this.#break(worker, 'it was idle');
    if (idleMs === 0) end();
    else this.#idleTimer = setTimeout(end, idleMs).unref();
  }

  async #answer(worker: Worker, { call, name, args }: HostCall): Promise<void> {
    const host = this.#options.host as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const answer: HostAnswer = await host[name]!(...args).then(
      (value) => ({ call, value }),
      (error: unknown) => ({ call, error: copyError(error) }),
    );
    worker.postMessage(answer);
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
    clearTimeout(this.#idleTimer);
    const error = this.#isClosed ? describeStop() : this.#refuse(reason);
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
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

function describeStop(): AppError {
  return new AppError('shutting_down', 'The daemon is stopping. Try again once it has started again.');
}

function copyError(error: unknown): ErrorCopy {
  if (error instanceof AppError) return { code: error.code, message: error.message, details: error.details };
  return { code: 'internal', message: messageOf(error), details: undefined };
}

function restoreError({ code, message, details }: ErrorCopy): AppError {
  return new AppError(code, message, { details });
}

/** Names the step that begins, for the limits on steps; `null` ends them. */
type OnStep = (step: string | null) => void;

/**
 * The other side: does what a `TaskThread` hands over, one task after the other. To be called once, by the module that is
 * the thread. `carryOut` may name its steps. `host` calls the functions that the options of the `TaskThread` name;
 * arguments and results are copied.
 */
export function answerTasks<Task, Result, Host extends object = object>(
  carryOut: (task: Task, onStep: OnStep, host: Host) => Result | Promise<Result>,
): void {
  const reply = (message: ReplyMessage<Result>) => parentPort!.postMessage(message);
  const calls = new HostCalls(reply);
  const answer = async ({ id, task }: TaskMessage<Task>) => {
    try {
      reply({ id, result: await carryOut(task, (step) => reply({ id, step }), calls.host as Host) });
    } catch (error) {
      // Anything else is a defect: it ends the thread, and the other side reports it.
      if (!(error instanceof AppError)) throw error;
      reply({ id, error: copyError(error) });
    }
  };
  let last: Promise<void> = Promise.resolve();
  parentPort!.on('message', (message: TaskMessage<Task> | HostAnswer) => {
    if ('call' in message) calls.settle(message);
    else last = last.then(() => answer(message));
  });
}

/** Questions of a thread to its host that are not answered yet. */
class HostCalls {
  readonly host: object;
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: AppError): void }>();
  #lastCall = 0;

  constructor(send: (call: HostCall) => void) {
    const ask = (name: string, args: unknown[]) =>
      new Promise((resolve, reject) => {
        const call = ++this.#lastCall;
        this.#open.set(call, { resolve, reject });
        send({ call, name, args });
      });
    this.host = new Proxy(
      {},
      {
        get:
          (_target, name) =>
          (...args: unknown[]) =>
            ask(String(name), args),
      },
    );
  }

  settle(answer: HostAnswer): void {
    const asked = this.#open.get(answer.call);
    this.#open.delete(answer.call);
    if ('error' in answer) asked?.reject(restoreError(answer.error));
    else asked?.resolve(answer.value);
  }
}
