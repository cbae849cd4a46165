import type { SourceTree } from '../core/source-tree.ts';
import { describeSlowTree, type ValidatedTree, type ValidationContext } from '../definitions/validate-tree.ts';
import { SlowTaskError, type StepLimits } from '../threads/step-limits.ts';
import { TaskThread } from '../threads/task-thread.ts';

/** How long a tree may take. */
export interface ValidationLimits {
  /** One tree, from the moment the thread receives it: after that the thread counts as broken. */
  timeoutMs: number;
  /** One file (threat model G4). */
  fileMs: number;
  /** All files of a tree. */
  treeMs: number;
}

const DEFAULT_LIMITS: ValidationLimits = { timeoutMs: 60_000, fileMs: 2_000, treeMs: 30_000 };

/** The limits for a thread that validates trees among other tasks. */
export const VALIDATION_STEPS: StepLimits = { stepMs: DEFAULT_LIMITS.fileMs, allMs: DEFAULT_LIMITS.treeMs };

export interface ValidationTask {
  tree: SourceTree;
  context: ValidationContext;
}

/** Validates definition trees in a separate thread, started when first needed and again after it failed. */
export class DefinitionsThread {
  readonly #thread: TaskThread<ValidationTask, ValidatedTree>;

  /** @param workerUrl the built `definitions-worker.js` */
  constructor(workerUrl: URL, limits: Partial<ValidationLimits> = {}) {
    const { timeoutMs, fileMs, treeMs } = { ...DEFAULT_LIMITS, ...limits };
    this.#thread = new TaskThread(workerUrl, {
      timeoutMs,
      steps: { stepMs: fileMs, allMs: treeMs },
      failure: 'the definition could not be validated',
    });
  }

  /**
   * A tree that is too slow is invalid, as too large a one is: the next attempt would take as long. Rejects with
   * `internal` where the thread broke, and after `close`.
   */
  async validate(tree: SourceTree, context: ValidationContext): Promise<ValidatedTree> {
    try {
      return await this.#thread.run({ tree, context });
    } catch (error) {
      return describeSlowness(error);
    }
  }

  /** Fails what is in progress. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** The invalid tree that a `SlowTaskError` stands for; throws any other error. */
export function describeSlowness(error: unknown): ValidatedTree {
  if (!(error instanceof SlowTaskError)) throw error;
  return describeSlowTree(error.step, explainSlowness(error));
}

function explainSlowness({ limitMs, isStep }: SlowTaskError): string {
  const seconds = limitMs / 1000;
  return isStep
    ? `The file could not be validated within ${seconds} seconds.`
    : `The definition could not be validated within ${seconds} seconds; this file was the last that was read.`;
}
