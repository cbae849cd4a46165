import { Worker } from 'node:worker_threads';
import { AppError } from '../core/errors.ts';
import type { SourceTree } from '../core/source-tree.ts';
import type { ValidatedTree, ValidationContext } from '../definitions/validate-tree.ts';

/** A tree that takes longer than this is given up. */
const TIMEOUT_MS = 60_000;

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
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #lastId = 0;

  /** @param workerUrl the built `definitions-worker.js` */
  constructor(workerUrl: URL) {
    this.#workerUrl = workerUrl;
  }

  /** Rejects with `internal` where the thread broke or took too long. */
  validate(tree: SourceTree, context: ValidationContext): Promise<ValidatedTree> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#break(`validation took over ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS).unref();
      this.#pending.set(id, { resolve, reject, timer });
      this.#start().postMessage({ id, tree, context } satisfies ValidationRequest);
    });
  }

  async close(): Promise<void> {
    this.#break('the daemon stops');
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(this.#workerUrl);
    worker.unref();
    worker.on('message', ({ id, validated }: ValidationReply) => this.#take(id)?.resolve(validated));
    worker.on('error', (error) => this.#break(error.message));
    this.#worker = worker;
    return worker;
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending) clearTimeout(pending.timer);
    this.#pending.delete(id);
    return pending;
  }

  #break(reason: string): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
    for (const id of [...this.#pending.keys()]) {
      this.#take(id)?.reject(new AppError('internal', `the definition could not be validated: ${reason}`));
    }
  }
}
