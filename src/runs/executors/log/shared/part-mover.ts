import type { Logger } from '../../../../domain/ports/logger.ts';
import type { RunLogParts } from '../../../../domain/ports/run-files.ts';
import { Loop } from '../../../../platform/loop.ts';
import { keyOfPart, type LogObjects } from './log-objects.ts';

/** Number of parts that are moved at the same time. */
const BATCH_PARTS = 16;
const PAUSE_MS = 2_000;

export interface MoverParts {
  parts: Pick<RunLogParts, 'complete' | 'noteMoved'>;
  objects: Pick<LogObjects, 'put'>;
  /** One daemon moves the parts of all. */
  isLeader: () => boolean;
  logger: Logger;
}

/**
 * Moves the parts of logs that no longer change from the database to an object store. If the store is not available, the
 * parts stay in the database until it is.
 */
export class PartMover {
  readonly #parts: MoverParts;
  readonly #loop: Loop;

  constructor(parts: MoverParts) {
    this.#parts = parts;
    this.#loop = new Loop({
      turn: async () => ((await this.#moveBatch()) === BATCH_PARTS ? 0 : PAUSE_MS),
      onFailure: (error, failures) => this.#noteFailure(error, failures),
    });
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Resolves with the number of parts that were moved. */
  async #moveBatch(): Promise<number> {
    const { parts, objects, isLeader } = this.#parts;
    if (!isLeader()) return 0;
    const batch = await parts.complete(BATCH_PARTS);
    await Promise.all(
      batch.map(async ({ run, offset, bytes }) => {
        const part = { offset, size: bytes.length };
        await objects.put(keyOfPart(run, part), bytes);
        await parts.noteMoved({ run, ...part });
      }),
    );
    return batch.length;
  }

  #noteFailure(error: unknown, failures: number): void {
    if (failures === 1)
      this.#parts.logger.warn({ err: error }, 'moving logs of runs to the object store failed, retrying');
  }
}
