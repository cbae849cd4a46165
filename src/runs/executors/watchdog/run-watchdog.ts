import { type ChildProcess, fork } from 'node:child_process';
import type { Engine } from '../../../config/executors/container-kind.ts';
import { AppError } from '../../../domain/errors.ts';
import type { RunId } from '../../../domain/ids.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { machineNowMs } from '../../../domain/time/machine-time.ts';
import { builtFile } from '../../../platform/files/package-files.ts';
import type { AttemptKey } from '../files/run-paths.ts';

/** How what is left of an attempt is found and ended. */
export type EndMeans =
  /** `payload`: as for `endLeftovers`. */
  | { type: 'command'; payload: string }
  /** `environment`: what the client of the engine needs. */
  | { type: 'container'; engine: Engine; environment: Readonly<Record<string, string>>; attempt: AttemptKey };

/** A message to the process that watches. */
export type WatchMessage =
  | { kind: 'watch'; run: RunId; means: EndMeans }
  | { kind: 'release'; run: RunId }
  /** This run may be executed until then, as `machineNowMs`; `null` for all runs without a separate time. */
  | { kind: 'until'; run: RunId | null; at: number };

/** Ends the processes of runs if the daemon no longer can. */
export interface RunWatchdog {
  /** Call before a process of the run starts. Rejects if the lease has ended, or if nothing would end the process. */
  watch(run: RunId, means: EndMeans): Promise<void>;
  /** No process of the run is left. */
  release(run: RunId): void;
}

/** For a daemon with its own storage: its next start ends what is left of its runs. */
export const NO_WATCHDOG: RunWatchdog = { watch: async () => {}, release: () => {} };

/** A small heap: the process keeps the IDs of running runs. */
const SMALL_HEAP = ['--max-semi-space-size=1', '--max-old-space-size=64'];

/**
 * A separate process that outlives the daemon, and that no frozen daemon delays. It ends the processes of all runs when the
 * daemon has ended, and while the lease of the runs is not renewed: then another machine may start them.
 *
 * It starts with the first run, and again if it ended.
 */
export class WatchdogProcess implements RunWatchdog {
  readonly #logger: Logger;
  readonly #watched = new Map<RunId, EndMeans>();
  /** Until when each run may be executed; under `null` for all others. */
  readonly #until = new Map<RunId | null, number>();
  #child: ChildProcess | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * The lease was renewed until then, as `machineNowMs`.
   *
   * @param run whose lease it is; `null` for the lease of all runs without a separate one
   */
  extend(at: number, run: RunId | null = null): void {
    this.#until.set(run, at);
    if (this.#child !== null) void this.#send(this.#child, { kind: 'until', run, at }).catch(() => undefined);
  }

  async watch(run: RunId, means: EndMeans): Promise<void> {
    const until = this.#until.get(run) ?? this.#until.get(null) ?? 0;
    if (machineNowMs() >= until) throw new AppError('storage_unavailable', 'the lease of the runs has ended');
    this.#watched.set(run, means);
    await this.#send(this.#child ?? this.#start(), { kind: 'watch', run, means });
  }

  release(run: RunId): void {
    this.#watched.delete(run);
    this.#until.delete(run);
    if (this.#child !== null) void this.#send(this.#child, { kind: 'release', run }).catch(() => undefined);
  }

  /** Ends the process. It ends the processes of the runs that it still watches. */
  close(): void {
    if (this.#child?.connected) this.#child.disconnect();
  }

  #start(): ChildProcess {
    // A separate session: signals to the process group of a terminal are for the daemon. Each engine brings its variables.
    const child = fork(builtFile('runs/executors/watchdog/watchdog-process.js'), {
      detached: true,
      env: { PATH: process.env.PATH },
      execArgv: SMALL_HEAP,
    });
    child.unref();
    child.channel?.unref();
    const forget = () => {
      if (this.#child !== child) return;
      this.#child = null;
      if (this.#watched.size > 0) this.#restart();
    };
    child.once('error', forget);
    child.once('exit', forget);
    this.#child = child;
    for (const [run, at] of this.#until) void this.#send(child, { kind: 'until', run, at }).catch(() => undefined);
    for (const [run, means] of this.#watched)
      void this.#send(child, { kind: 'watch', run, means }).catch(() => undefined);
    return child;
  }

  #restart(): void {
    this.#logger.warn({ runs: this.#watched.size }, 'the process that watches runs ended and is started again');
    this.#start();
  }

  /** Resolves when the message has left this process: the process receives it even if the daemon ends now. */
  #send(child: ChildProcess, message: WatchMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      child.send(message, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
