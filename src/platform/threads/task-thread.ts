import { type MessagePort, Worker } from 'node:worker_threads';
import { AppError } from '../../domain/errors.ts';
import { type CancelCall, scheduleCall } from '../../domain/time/schedule.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { copyError, type Reply } from './pending-calls.ts';
import { type StepLimits, StepWatch } from './step-limits.ts';
import { type ThreadEnd, WorkerCalls } from './worker-calls.ts';

export interface TaskThreadOptions {
  /** A task that takes longer ends the thread and rejects with `internal`. */
  timeoutMs: number;
  /** Limits for tasks that name their steps; a task that exceeds them ends the thread and rejects with `SlowTaskError`. */
  steps?: StepLimits;
  /** What failed, to complete "…: why". */
  failure: string;
  /** Maximum number of tasks that wait. Default: no limit. */
  maxWaiting?: number;
  /** Message of the error beyond `maxWaiting`, one sentence. */
  tooMany?: string;
  /** The thread ends after this time without a task, and its memory is released. Default: never. */
  idleMs?: number;
  /** Functions of this side that the thread may call while it works on a task, by name. */
  host?: object;
  /** Opens a channel for the thread each time it starts. The thread finds it in `TaskThreadData`. */
  openChannel?(): MessagePort;
}

/** The `workerData` of a thread with `openChannel`. */
export interface TaskThreadData {
  channel: MessagePort;
}

/** A call of the thread to a function of its host. */
export interface HostCall {
  hostCall: number;
  name: string;
  args: unknown[];
}

/** The answer to a `HostCall`. */
export interface HostReply {
  hostReply: Reply;
}

/** The step that begins, and the processor time that the thread has used, in milliseconds; `null` ends the steps. */
export interface StepMessage {
  step: { name: string; atMs: number } | null;
}

/** Runs tasks in a worker thread, one after another. The thread starts with the first task and again after a failure. */
export class TaskThread<Task, Result> {
  readonly #workerUrl: URL;
  readonly #options: TaskThreadOptions;
  readonly #queue: TaskQueue;
  #calls: WorkerCalls<Task> | null = null;
  /** Of the task that runs. */
  #steps: StepWatch | null = null;
  #isClosed = false;
  #cancelIdleEnd: CancelCall = () => {};

  /** @param workerUrl a built module that calls `serveTasks` */
  constructor(workerUrl: URL, options: TaskThreadOptions) {
    const { maxWaiting, tooMany } = options;
    this.#workerUrl = workerUrl;
    this.#options = options;
    this.#queue = new TaskQueue({ maxWaiting, tooMany });
  }

  /**
   * Rejects with the `AppError` that the task threw, with `too_many_requests` if too many tasks wait, with `internal` if
   * the thread failed or took too long, and with `shutting_down` after `close`.
   */
  async run(task: Task): Promise<Result> {
    this.#cancelIdleEnd();
    try {
      return await this.#queue.run(() => this.#perform(task));
    } finally {
      this.#endWhenIdle();
    }
  }

  /** Ends the thread; the current task and those that wait reject with `shutting_down`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdleEnd();
    await this.#calls?.terminate(describeStop());
  }

  async #perform(task: Task): Promise<Result> {
    if (this.#isClosed) throw describeStop();
    const { timeoutMs, steps } = this.#options;
    const calls = this.#start();
    const end = (error: AppError) => void calls.terminate(error);
    const onTimeout = () => end(this.#describeFailure(`it took longer than ${timeoutMs / 1000} s`));
    const cancelTimeout = scheduleCall(timeoutMs, onTimeout);
    this.#steps = steps === undefined ? null : new StepWatch(steps, () => calls.measureCpuMs(), end);
    try {
      return (await calls.call(task)) as Result;
    } finally {
      cancelTimeout();
      this.#steps?.stop();
      this.#steps = null;
    }
  }

  #start(): WorkerCalls<Task> {
    if (this.#calls !== null && !this.#calls.hasEnded) return this.#calls;
    const channel = this.#options.openChannel?.();
    const data = channel && { workerData: { channel } satisfies TaskThreadData, transferList: [channel] };
    const worker = new Worker(this.#workerUrl, data);
    worker.unref();
    const calls = new WorkerCalls<Task>(worker, {
      describeEnd: (end) => this.#describeEnd(end),
      onMessage: (message) => this.#receive(calls, message as StepMessage | HostCall),
    });
    this.#calls = calls;
    return calls;
  }

  #receive(calls: WorkerCalls<Task>, message: StepMessage | HostCall): void {
    if ('hostCall' in message) void this.#answerHostCall(calls, message);
    else if (message.step === null) this.#steps?.stop();
    else this.#steps?.begin(message.step.name, message.step.atMs);
  }

  async #answerHostCall(calls: WorkerCalls<Task>, { hostCall: id, name, args }: HostCall): Promise<void> {
    const host = this.#options.host as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const hostReply: Reply = await host[name]!(...args).then(
      (value) => ({ id, value }),
      (error: unknown) => ({ id, error: copyError(error) }),
    );
    calls.post({ hostReply } satisfies HostReply);
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || !this.#queue.isIdle) return;
    const end = () => void this.#calls?.terminate(this.#describeFailure('it was idle'));
    if (idleMs === 0) end();
    else this.#cancelIdleEnd = scheduleCall(idleMs, end);
  }

  #describeEnd(end: ThreadEnd): AppError {
    return this.#describeFailure('error' in end ? end.error.message : `its thread ended with ${end.exitCode}`);
  }

  #describeFailure(reason: string): AppError {
    return new AppError('internal', `${this.#options.failure}: ${reason}`);
  }
}

function describeStop(): AppError {
  return new AppError('shutting_down', 'The daemon is stopping. Try again once it has started again.');
}
