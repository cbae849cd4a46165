import { setTimeout as pause } from 'node:timers/promises';
import type { RunId } from '../../../domain/ids.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { machineNowMs } from '../../../domain/time/machine-time.ts';
import { endLeftovers } from '../command/leftovers.ts';
import { endContainerOf } from '../container/container-leftovers.ts';
import { ContainerEngine } from '../container/engine.ts';
import type { EndMeans, WatchMessage } from './run-watchdog.ts';

/** A process that starts at the moment at which the lease ends is found by the next look. */
const LOOK_AGAIN_MS = 500;

/**
 * The task of the process that `WatchdogProcess` starts: it ends the processes of runs when the daemon has ended, or does not
 * renew the lease of its runs. The process ends when the daemon has ended and no process is left.
 */
export function watchRuns(logger: Logger): void {
  const runs = new WatchedRuns(logger);
  process.on('message', (message: WatchMessage) => runs.follow(message));
  process.once('disconnect', async () => {
    await runs.endAll();
    process.exit(0);
  });
  // The daemon decides when it stops. These signals reach the whole process group of a terminal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
}

/** The runs of the daemon, with the end of the lease of each. */
class WatchedRuns {
  readonly #logger: Logger;
  readonly #watched = new Map<RunId, EndMeans>();
  /** As in `WatchMessage`; under `null` for all runs without a separate time. */
  readonly #until = new Map<RunId | null, number>();
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  follow(message: WatchMessage): void {
    if (message.kind === 'watch') {
      this.#watched.set(message.run, message.means);
    } else if (message.kind === 'release') {
      this.#watched.delete(message.run);
      this.#until.delete(message.run);
    } else {
      this.#until.set(message.run, message.at);
    }
    this.#setTimer();
  }

  /** The daemon has ended. Resolves when the processes of all runs have. */
  async endAll(): Promise<void> {
    const runs = [...this.#watched];
    this.#logEnds(runs, 'the program that started it ended');
    await this.#end(runs);
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#watched.size === 0) return;
    const next = Math.min(...[...this.#watched.keys()].map((run) => this.#untilOf(run)));
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, next - machineNowMs()));
  }

  #onTimer(): void {
    if (this.#findLost().length === 0) this.#setTimer();
    else if (!this.#isEnding) void this.#endLost();
  }

  #untilOf(run: RunId): number {
    return this.#until.get(run) ?? this.#until.get(null) ?? 0;
  }

  #findLost(): [RunId, EndMeans][] {
    return [...this.#watched].filter(([run]) => machineNowMs() >= this.#untilOf(run));
  }

  /** Until the leases are renewed, or the daemon knows that no process of the runs is left. */
  async #endLost(): Promise<void> {
    this.#isEnding = true;
    let lost = this.#findLost();
    this.#logEnds(lost, 'its lease was not renewed');
    while (lost.length > 0) {
      await this.#end(lost);
      await pause(LOOK_AGAIN_MS);
      lost = this.#findLost();
    }
    this.#isEnding = false;
    this.#setTimer();
  }

  #logEnds(runs: readonly [RunId, EndMeans][], why: string): void {
    for (const [run] of runs) this.#logger.warn({ run, why }, 'ending the processes of a run');
  }

  async #end(runs: readonly [RunId, EndMeans][]): Promise<void> {
    await Promise.all(runs.map(([, means]) => this.#endProcesses(means)));
  }

  async #endProcesses(means: EndMeans): Promise<void> {
    if (means.type === 'command') return endLeftovers(means.payload, 0);
    const engine = new ContainerEngine(means.engine, means.environment, this.#logger);
    await endContainerOf(means.attempt, engine, 0);
  }
}
