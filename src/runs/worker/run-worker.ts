// `dockbell worker`: the other end of a claim, on another machine. In: runs of the management API. Out: their output and end.
// The way of a run: `ClaimLoop` below, `execute-claimed.ts`, `held-lease.ts` for heartbeats, `output-reader.ts` for output. It
// executes as the executor `command` of the daemon. `worker-state.ts` is what it remembers, `settle-earlier.ts` what it does
// about it after a crash.

import { setTimeout as wait } from 'node:timers/promises';
import type { ApiClient } from '../../client/create-api-client.ts';
import { messageOf } from '../../domain/errors.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import { createLogger, type LoggerOptions } from '../../platform/logger.ts';
import { WatchdogProcess } from '../executors/watchdog/run-watchdog.ts';
import { type ExecutionParts, executeClaimed, type HeldAttempt } from './execute-claimed.ts';
import { type LeaseTime, readLeaseTime } from './held-lease.ts';
import { settleEarlier } from './settle-earlier.ts';
import { type ClaimedRun, createWorkerApi, Rejected, type WorkerIdentity } from './worker-api.ts';
import { openWorkerState } from './worker-state.ts';

export { Rejected } from './worker-api.ts';

/** The requests for runs wait this long. */
const WAIT_SECONDS = 30;
const RETRY: Backoff = { firstMs: 1000, maxMs: 30_000, jitter: 0.2 };
/** After an answer without a run, which a daemon that drains sends immediately. */
const PAUSE_MS = 1000;

export interface WorkerOptions extends Pick<ExecutionParts, 'command' | 'searchPath' | 'environment'> {
  api: ApiClient;
  identity: Omit<WorkerIdentity, 'id'>;
  factory: string | null;
  /** Folder with the state of the worker. */
  stateDir: string;
  /** Time for running commands after `stopped`. */
  drainMs: number;
  log: Pick<LoggerOptions, 'format' | 'destination'>;
  /** No further run is claimed. */
  stopped: AbortSignal;
  /** The commands end immediately. */
  forced: AbortSignal;
}

/** Claims runs and executes them until it is stopped. Throws `Rejected` if the daemon does not accept the worker. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { identity, factory, log, stopped } = options;
  const logger = createLogger({
    level: () => 'info',
    redact: (text) => text,
    format: log.format,
    destination: log.destination,
  });
  const state = await openWorkerState(options.stateDir);
  const watchdog = new WatchdogProcess(logger);
  try {
    const api = createWorkerApi(options.api, Object.assign({ id: state.id }, identity), factory);
    await settleEarlier({ api, state, logger, stopped });
    const { command, searchPath, environment } = options;
    const parts: ExecutionParts = { command, searchPath, environment, api, state, watchdog, logger };
    logger.info({ worker: identity.name, labels: identity.labels }, 'worker started');
    await new ClaimLoop(parts, options).run();
  } finally {
    watchdog.close();
    state.release();
  }
}

class ClaimLoop {
  readonly #parts: ExecutionParts;
  readonly #options: WorkerOptions;
  readonly #held = new Set<HeldAttempt>();
  /** Runs in a row that this machine could not start. */
  #failures = 0;

  constructor(parts: ExecutionParts, options: WorkerOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { stopped, identity } = this.#options;
    const isStopped = onceAborted(stopped);
    const claiming = this.#claimUntilStopped();
    try {
      await Promise.race([claiming, isStopped]);
    } finally {
      claiming.catch(() => undefined);
      await this.#drain();
    }
    this.#parts.logger.info({ worker: identity.name }, 'worker stopped');
  }

  async #claimUntilStopped(): Promise<void> {
    const { identity, stopped } = this.#options;
    for (let failures = 0; !stopped.aborted; ) {
      if (this.#held.size >= identity.concurrency) {
        await Promise.race([...this.#held].map(({ done }) => done));
        continue;
      }
      if (this.#failures > 0) await this.#pause(backoffMs(RETRY, this.#failures, Math.random()));
      try {
        await this.#claim();
        failures = 0;
      } catch (error) {
        if (error instanceof Rejected) throw error;
        // A stop ends the connections, and with them the claim that waits.
        if (stopped.aborted) return;
        failures += 1;
        this.#parts.logger.warn({ problem: messageOf(error), failures }, 'claiming runs failed, retrying');
        await this.#pause(backoffMs(RETRY, failures, Math.random()));
      }
    }
  }

  async #claim(): Promise<void> {
    const { api } = this.#parts;
    const { identity, stopped } = this.#options;
    const limit = identity.concurrency - this.#held.size;
    const holding = [...this.#held].map(({ hold }) => hold);
    const claimed = await api.claim({ limit, waitSeconds: WAIT_SECONDS, holding });
    // Each lease is renewed before its command starts, so the time that the answer took does not matter.
    const claimedAt = readLeaseTime();
    for (const run of claimed) {
      const attempt = this.#begin(run, claimedAt);
      if (stopped.aborted) attempt.stop(null);
    }
    if (claimed.length === 0) await this.#pause(PAUSE_MS);
  }

  #begin(run: ClaimedRun, claimedAt: LeaseTime): HeldAttempt {
    const attempt = executeClaimed(run, claimedAt, this.#parts);
    this.#held.add(attempt);
    void attempt.done.then((isAble) => {
      this.#failures = isAble ? 0 : this.#failures + 1;
      this.#held.delete(attempt);
    });
    return attempt;
  }

  /** Lets the commands that run end, then ends them. */
  async #drain(): Promise<void> {
    const { drainMs, forced } = this.#options;
    const { logger } = this.#parts;
    if (this.#held.size > 0) logger.info({ runs: this.#held.size }, 'worker waits for its runs');
    const ended = this.#allDone();
    const enough = new AbortController();
    const limit = wait(drainMs, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([ended, limit, onceAborted(forced)]);
    enough.abort();
    for (const { stop } of this.#held) stop(forced.aborted ? 0 : null);
    forced.addEventListener('abort', () => {
      for (const { stop } of this.#held) stop(0);
    });
    await this.#allDone();
  }

  async #allDone(): Promise<void> {
    while (this.#held.size > 0) await Promise.all([...this.#held].map(({ done }) => done));
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#options.stopped }).catch(() => undefined);
  }
}

function onceAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
