import { AppError, messageOf } from '../../domain/errors.ts';
import type { IdSource, ReplayId } from '../../domain/ids.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { ReplaySlice, ReplayStep, Replays } from '../../domain/ports/replays.ts';
import type { DeliveryTracer, ReplayTrace } from '../../domain/ports/tracing.ts';
import type { DeliveryLogEntry, NewRun, RecordOutcome, ReplayEntry } from '../../domain/resources/delivery.ts';
import { addSkips, isOpenReplay, type Replay, type SkipCounts } from '../../domain/resources/replay.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { Loop } from '../../platform/loop.ts';
import type { Registry } from '../registry/registry.ts';
import { composeReplay } from './compose-replay.ts';
import { evaluateReplay } from './evaluate-replay.ts';
import { toSearch } from './replay-search.ts';
import { traceReplay } from './trace-replay.ts';

export interface ReplayLoopParts {
  replays: Replays;
  registry: Registry;
  /** `null` if tracing is off. */
  tracer: DeliveryTracer | null;
  clock: Clock;
  ids: IdSource;
  logger: Logger;
  /** An entry of the delivery log is on disk. */
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  onRunsCreated(factory: string, runs: readonly NewRun[]): void;
}

/** Small, because the storage writes received deliveries only between two steps. */
const MAX_EXAMINED = 200;
const MAX_BYTES = 256 * 1024;
/** A step takes at most what the rate allows in this time. */
const STEP_MS = 100;

/**
 * Executes the replays that are not finished, each at its own rate. The storage keeps the position of each, so a replay
 * continues after a restart where it was.
 *
 * ```
 *             step              last step
 *   pending ────────▶ running ─────────────▶ finished      (a replay with one step goes there directly)
 *      └───────┬─────────┘
 *              ├─ cancel ───────────────────▶ cancelled
 *              └─ a step that cannot succeed ▶ failed
 * ```
 *
 * A step names the position that it continues (`Replays.advance`). If another one was faster, or the replay has ended, it stores
 * nothing. A full disk or a busy storage repeats the step.
 */
export class ReplayLoop {
  readonly #parts: ReplayLoopParts;
  /** Of the current term, or of the last one. */
  readonly #loops = new Map<ReplayId, Loop>();
  /** In which this daemon leads; `null` before the first one. */
  #term: AbortSignal | null = null;

  constructor(parts: ReplayLoopParts) {
    this.#parts = parts;
  }

  /** Continues the replays of an earlier daemon, until `term` aborts. */
  async start(term: AbortSignal): Promise<void> {
    await this.stop();
    this.#loops.clear();
    this.#term = term;
    for (const replay of await this.#parts.replays.open()) this.begin(replay);
  }

  /** Takes the steps of this replay. Without a term, the next one continues it. */
  begin(replay: Replay): void {
    const { id } = replay;
    if (this.#term === null || this.#term.aborted || this.#loops.has(id)) return;
    let current = replay;
    const loop = new Loop({
      turn: async () => {
        const taken = await this.#continue(current);
        if (taken === null) {
          this.#loops.delete(id);
          void loop.stop();
          return null;
        }
        current = taken.replay;
        return taken.waitMs;
      },
      onFailure: (error) =>
        this.#parts.logger.warn({ replay: id, problem: messageOf(error) }, 'replay step failed, retrying'),
    });
    this.#loops.set(id, loop);
    loop.start({ term: this.#term });
  }

  /** Takes no further step. Resolves when none is in progress. */
  async stop(): Promise<void> {
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }

  /** `null` if the replay has ended. Rejects if the step can be repeated. */
  async #continue(replay: Replay): Promise<Taken | null> {
    const taken = await this.#takeStep(replay).catch(async (error: unknown) => {
      if (isTemporary(error)) throw error;
      await this.#fail(replay, error);
      return null;
    });
    if (taken === null || isOpenReplay(taken.replay)) return taken;
    if (taken.replay.state === 'finished') this.#logEnd(taken.replay);
    return null;
  }

  /** Replays the next deliveries. `null` if the replay has ended in the meantime, for example because it was cancelled. */
  async #takeStep(replay: Replay): Promise<Taken | null> {
    const { replays, clock } = this.#parts;
    const begunAt = clock.monotonicMs();
    const returned = Math.max(1, Math.floor((replay.rate * STEP_MS) / 1000));
    const span = { search: toSearch(replay), after: replay.position, last: replay.lastDelivery };
    const slice = await replays.read(span, { examined: MAX_EXAMINED, returned, bytes: MAX_BYTES });
    const { step, traces } = await this.#composeStep(replay, slice);
    const progress = await replays.advance(step);
    if (progress === null) return this.#readAgain(replay);
    step.entries.forEach((entry, index) => {
      if (progress.stored[index]) this.#announce(replay.factory, entry, traces[index] ?? null);
    });
    const tookMs = clock.monotonicMs() - begunAt;
    return { replay: progress.replay, waitMs: Math.max(0, (step.entries.length * 1000) / replay.rate - tookMs) };
  }

  async #composeStep(
    replay: Replay,
    slice: ReplaySlice,
  ): Promise<{ step: ReplayStep; traces: (ReplayTrace | null)[] }> {
    const { registry, tracer, clock, ids } = this.#parts;
    const { automation, clientAddress } = replay;
    const entries: ReplayEntry[] = [];
    const traces: (ReplayTrace | null)[] = [];
    let skipped: SkipCounts = {};
    for (const stored of slice.deliveries) {
      // One payload in a turn of the event loop, so that requests are not delayed.
      await new Promise(setImmediate);
      const nowMs = clock.wallMs();
      const evaluated = evaluateReplay({ registry, ids, nowMs }, replay, stored);
      if (evaluated.skip !== null) {
        skipped = addSkips(skipped, { [evaluated.skip]: 1 });
        continue;
      }
      const { webhook, match } = evaluated;
      traces.push(traceReplay(tracer, webhook, match.runs));
      entries.push(
        composeReplay(
          { ids, webhook: webhook.ref, replay: replay.id, automation, clientAddress, nowMs },
          stored,
          match,
        ),
      );
    }
    const { position, examined, isEnd } = slice;
    const at = clock.wallMs();
    return {
      step: {
        id: replay.id,
        of: { position: replay.position, factory: replay.factory },
        position,
        examined,
        skipped,
        entries,
        isEnd,
        at,
      },
      traces,
    };
  }

  /** The replay as it is stored. `null` if it has ended. */
  async #readAgain({ id }: Replay): Promise<Taken | null> {
    const replay = await this.#parts.replays.get(id);
    return replay === null || !isOpenReplay(replay) ? null : { replay, waitMs: 0 };
  }

  #announce(factory: string, entry: ReplayEntry, trace: ReplayTrace | null): void {
    const { onRecorded, onRunsCreated } = this.#parts;
    trace?.end(entry.id, entry.replayOf);
    onRecorded(entry, { label: 'Accepted' });
    if (entry.runs.length > 0) onRunsCreated(factory, entry.runs);
  }

  async #fail({ id }: Replay, error: unknown): Promise<void> {
    const { replays, clock, logger } = this.#parts;
    const problem = messageOf(error);
    logger.error({ err: error, replay: id }, 'replay failed');
    await replays
      .end(id, { state: 'failed', error: problem, at: clock.wallMs() })
      .catch((thrown: unknown) => logger.error({ err: thrown, replay: id }, 'failed replay not stored'));
  }

  #logEnd({ id, factory, replayed, runs }: Replay): void {
    this.#parts.logger.info({ replay: id, factory, replayed, runs }, 'replay finished');
  }
}

interface Taken {
  replay: Replay;
  /** What the rate requires before the next step. */
  waitMs: number;
}

/** A full or busy disk. A storage that is broken ends the daemon, and the replay continues after its restart. */
function isTemporary(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'internal';
}
