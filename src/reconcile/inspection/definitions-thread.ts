import type { ValidatedTree, ValidationContext } from '../../definitions/check/check-definition.ts';
import { describeSlowTree } from '../../definitions/check/unread-tree.ts';
import { FileResults } from '../../definitions/file-results.ts';
import type { DefinitionFile } from '../../definitions/read/definition-file.ts';
import type { FileResult, ReadSettings } from '../../definitions/read/file-result.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { SlowTaskError, type StepLimits } from '../../platform/threads/step-limits.ts';
import { TaskThread } from '../../platform/threads/task-thread.ts';

/** How long a tree may take. Limits of files are processor time of the thread. */
interface ValidationLimits {
  /** One tree, from the moment the thread receives it: after that the thread counts as broken. */
  timeoutMs: number;
  /** One file (threat model G4). */
  fileMs: number;
  /** All files of a tree. */
  treeMs: number;
}

const DEFAULT_LIMITS: ValidationLimits = { timeoutMs: 60_000, fileMs: 2_000, treeMs: 30_000 };

/** Then the thread ends, and its memory is released: it is large after the files of a large factory. */
const IDLE_MS = 60_000;

/** The limits for a thread that validates trees among other tasks. */
export const VALIDATION_STEPS: StepLimits = { stepMs: DEFAULT_LIMITS.fileMs, allMs: DEFAULT_LIMITS.treeMs };

export interface ReadTask {
  files: DefinitionFile[];
  settings: ReadSettings;
}

/** Reads the files of definitions in a separate thread, started when needed. */
export class DefinitionsThread {
  readonly #thread: TaskThread<ReadTask, FileResult[]>;

  /** @param workerUrl the built `definitions-worker.js` */
  constructor(workerUrl: URL, limits: Partial<ValidationLimits> = {}) {
    const { timeoutMs, fileMs, treeMs } = { ...DEFAULT_LIMITS, ...limits };
    this.#thread = new TaskThread(workerUrl, {
      timeoutMs,
      steps: { stepMs: fileMs, allMs: treeMs },
      idleMs: IDLE_MS,
      failure: 'the definition could not be validated',
    });
  }

  /**
   * Validates a tree. Files whose results are kept are not read. A tree that is too slow is invalid, like one that is too
   * large: the next attempt would take as long. Rejects with `internal` if the thread failed, and with `shutting_down` after
   * `close`.
   *
   * @param results of the files of the factory. Default: none
   * @param options as in `FileResults.validate`
   */
  async validate(
    tree: SourceTree,
    context: ValidationContext,
    results: FileResults = new FileResults(),
    options: { keep?: boolean } = {},
  ): Promise<ValidatedTree> {
    try {
      return await results.validate(tree, context, (files, settings) => this.#thread.run({ files, settings }), options);
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
    ? `To read this file takes more than ${seconds} seconds of processor time.`
    : `To read the definition takes more than ${seconds} seconds of processor time; this file was the last that was read.`;
}
