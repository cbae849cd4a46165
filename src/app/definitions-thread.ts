import type { SourceTree } from '../core/source-tree.ts';
import type { ValidatedTree, ValidationContext } from '../definitions/validate-tree.ts';
import { TaskThread } from './task-thread.ts';

/** A tree that takes longer than this is given up. */
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ValidationTask {
  tree: SourceTree;
  context: ValidationContext;
}

/** Validates definition trees in a thread of its own, started when first needed and again after it broke. */
export class DefinitionsThread {
  readonly #thread: TaskThread<ValidationTask, ValidatedTree>;

  /** @param workerUrl the built `definitions-worker.js` */
  constructor(workerUrl: URL, timeoutMs = DEFAULT_TIMEOUT_MS) {
    this.#thread = new TaskThread(workerUrl, { timeoutMs, failure: 'the definition could not be validated' });
  }

  /** Rejects with `internal` where the thread broke or took too long, and after `close`. */
  validate(tree: SourceTree, context: ValidationContext): Promise<ValidatedTree> {
    return this.#thread.run({ tree, context });
  }

  /** Fails what is under way. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
