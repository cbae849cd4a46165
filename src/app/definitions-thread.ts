import { Worker } from 'node:worker_threads';
import { AppError } from '../core/errors.ts';
import type { SourceTree } from '../core/source-tree.ts';
import type { ValidatedTree, ValidationContext } from '../definitions/validate-tree.ts';

/** A tree that takes longer than this is given up. */
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ValidationRequest {
  id: number;
  tree: SourceTree;
  context: ValidationContext;
}

export interface ValidationReply {
  id: number;
  validated: ValidatedTree;
}

interface Pending {
  resolve(validated: ValidatedTree): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Validates definition trees in a thread of its own, started when first needed and again after it broke. */
export class DefinitionsThread {
  readonly #workerUrl: URL;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  /** @param workerUrl the built `definitions-worker.js` */
  constructor(workerUrl: URL, timeoutMs = DEFAULT_TIMEOUT_MS) {
    this.#workerUrl = workerUrl;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with `internal` where the thread broke or took too long, and after `close`. */
  validate(tree: SourceTree, context: ValidationContext): Promise<ValidatedTree> {
    if (this.#isClosed) return Promise.reject(refuse('the daemon stops'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const worker = this.#start();
      const giveUp = () => this.#break(worker, `it took longer than ${this.#timeoutMs / 1000} s`);
      this.#pending.set(id, { resolve, reject, timer: setTimeout(giveUp, this.#timeoutMs).unref() });
      worker.postMessage({ id, tree, context } satisfies ValidationRequest);
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
    worker.on('message', ({ id, validated }: ValidationReply) => this.#take(id)?.resolve(validated));
    worker.on('error', (error) => this.#break(worker, error.message));
    worker.on('exit', (code) => this.#break(worker, `its thread ended with ${code}`));
    this.#worker = worker;
    return worker;
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending) clearTimeout(pending.timer);
    this.#pending.delete(id);
    return pending;
  }

  /** Everything under way goes with the thread; the next call starts another. What a thread of the past tells is old. */
  async #break(worker: Worker, reason: string): Promise<void> {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(refuse(reason));
    await worker.terminate();
  }
}

function refuse(reason: string): AppError {
  return new AppError('internal', `the definition could not be validated: ${reason}`);
}
