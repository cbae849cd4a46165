import type { Transferable, Worker } from 'node:worker_threads';
import type { AppError } from '../../domain/errors.ts';
import { PendingCalls, type Reply } from './pending-calls.ts';

/** A request as it arrives in the worker thread. */
export interface RequestMessage<Request> {
  id: number;
  request: Request;
}

/** How a worker thread ended: by an error that it did not catch, or with an exit code. */
export type ThreadEnd = { error: Error } | { exitCode: number };

interface WorkerCallsOptions {
  /** The error of every call that is open when the thread ends, and of every later call. */
  describeEnd(end: ThreadEnd): AppError;
  /** Receives messages of the thread that are not replies. */
  onMessage?(message: unknown): void;
  /** Called with the error of each call that the thread rejected. */
  onRejected?(error: AppError): void;
}

/** Requests to one worker thread and their replies. The thread answers each request with a `Reply`, in any order. */
export class WorkerCalls<Request> {
  /** Resolves when the thread has ended. */
  readonly exited: Promise<void>;
  readonly #worker: Worker;
  readonly #options: WorkerCallsOptions;
  readonly #pending = new PendingCalls();
  #end: AppError | null = null;

  constructor(worker: Worker, options: WorkerCallsOptions) {
    this.#worker = worker;
    this.#options = options;
    worker.on('message', (message: Reply) => this.#receive(message));
    worker.on('error', (error) => this.#fail(options.describeEnd({ error })));
    this.exited = new Promise((resolve) => {
      worker.once('exit', (exitCode) => {
        this.#fail(options.describeEnd({ exitCode }));
        resolve();
      });
    });
  }

  /** Has the thread ended, or has `terminate` been called? Then every call rejects. */
  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /**
   * Sends a request. Rejects with the `AppError` of the thread, or with that of `describeEnd`.
   * @param transfer buffers that change threads without a copy; this thread cannot read them afterwards
   */
  call(request: Request, transfer: readonly Transferable[] = []): Promise<unknown> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return this.#pending.open((id) => this.#worker.postMessage({ id, request }, transfer));
  }

  /** Sends a message that gets no reply. */
  post(message: unknown, transfer: readonly Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** The processor time that the thread has used, in milliseconds. Rejects if it has ended. */
  async measureCpuMs(): Promise<number> {
    return countCpuMs(await this.#worker.cpuUsage());
  }

  /** Ends the thread; open and later calls reject with `error`. */
  async terminate(error: AppError): Promise<void> {
    this.#fail(error);
    await this.#worker.terminate();
  }

  #receive(message: Reply): void {
    // A reply that was sent before `terminate` comes too late.
    if (this.#end !== null) return;
    if (!('id' in message)) {
      this.#options.onMessage?.(message);
      return;
    }
    const error = this.#pending.settle(message);
    if (error !== null) this.#options.onRejected?.(error);
  }

  /** The first reason counts: a thread that is terminated also exits. */
  #fail(error: AppError): void {
    this.#end ??= error;
    this.#pending.rejectAll(this.#end);
  }
}

/** The milliseconds of `process.threadCpuUsage()`, or of the same figures of another thread. */
export function countCpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
