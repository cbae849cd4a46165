import { setTimeout as wait } from 'node:timers/promises';
import { AppError, messageOf } from '../domain/errors.ts';
import type { RunId } from '../domain/ids.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { FinishRequest, RunEnd, RunQueue } from '../domain/ports/run-queue.ts';
import type { Run, RunResult } from '../domain/resources/run.ts';
import { LOCAL_BACKOFF, retryWithBackoff } from '../domain/time/backoff.ts';
import { type Clock, formatInstant } from '../domain/time/clock.ts';

/** An end that a working storage rejects this often can never be stored (threat model D11). */
const MAX_REJECTIONS = 3;

/** Shorter failures are usual, for example while PostgreSQL restarts. */
const REPORTED_AFTER_MS = 60_000;

/** Why the ends of runs of a factory cannot be recorded. */
export interface RecordFailure {
  problem: string;
  /** Wall time in milliseconds. */
  since: number;
}

/** What `RunEnds.finish` recorded. */
export interface RecordedEnd {
  /** As `RunQueue.finish`. */
  end: RunEnd | null;
  /** The result of the request, or the one that replaced it. */
  result: RunResult;
}

/** Records the ends of attempts, and knows those that are not recorded yet. */
export class RunEnds {
  readonly #queue: Pick<RunQueue, 'finish'>;
  readonly #clock: Clock;
  readonly #open = new Map<RunId, RecordFailure & { factory: string }>();

  constructor(queue: Pick<RunQueue, 'finish'>, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /**
   * Records how an attempt ended. An end that can never be stored ends the attempt as failed, with the reason. Throws if the storage
   * is not available.
   */
  async finish(request: FinishRequest): Promise<RecordedEnd> {
    for (let rejections = 1; ; rejections += 1) {
      try {
        return { end: await this.#queue.finish(request), result: request.result };
      } catch (error) {
        if (!isRejection(error)) throw error;
        if (rejections === MAX_REJECTIONS) return this.#finishRejected(request, error);
      }
      await wait(LOCAL_BACKOFF.firstMs);
    }
  }

  /**
   * Repeats `record` until it succeeds. While it fails, the slot of the run stays in use, and the failure is reported.
   *
   * @param signal as `retryWithBackoff`
   * @param log the message of each failure
   */
  async untilRecorded<Value>(
    { id, factory }: Run,
    record: () => Promise<Value>,
    { signal, logger, log }: { signal: AbortSignal; logger: Logger; log: string },
  ): Promise<{ value: Value } | null> {
    try {
      return await retryWithBackoff(record, signal, (error, failures) => {
        const since = this.#open.get(id)?.since ?? this.#clock.wallMs();
        this.#open.set(id, { factory, problem: messageOf(error), since });
        logger.warn({ err: error, failures }, log);
      });
    } finally {
      this.#open.delete(id);
    }
  }

  /** Why ends of runs of this factory have not been recorded for a minute; `null` if all are recorded. */
  failure(factory: string): RecordFailure | null {
    const before = this.#clock.wallMs() - REPORTED_AFTER_MS;
    const [oldest] = [...this.#open.values()]
      .filter((open) => open.factory === factory && open.since <= before)
      .sort((a, b) => a.since - b.since);
    return oldest === undefined ? null : { problem: oldest.problem, since: oldest.since };
  }

  async #finishRejected(request: FinishRequest, error: AppError): Promise<RecordedEnd> {
    const text = `the end of the run cannot be stored: ${error.message}`;
    const result: RunResult = { state: 'failed', error: text, exitCode: null };
    return { end: await this.#queue.finish({ ...request, result }), result };
  }
}

/** The storage works, and rejected the values. */
function isRejection(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'internal';
}

/** Logs how an attempt ended. */
export function logEnd(logger: Logger, result: RunResult, { nextAttemptAt }: RunEnd): void {
  if (nextAttemptAt === null) logger.info({ ...result }, 'run ended');
  else logger.info({ ...result, nextAttemptAt: formatInstant(nextAttemptAt) }, 'attempt failed, the run is retried');
}
