import { setTimeout as wait } from 'node:timers/promises';
import { machineNowMs } from '../../domain/time/machine-time.ts';
import type { OutputReader } from './output-reader.ts';
import { type Hold, HoldLost, type WorkerApi } from './worker-api.ts';

/** New output is sent this often, so that its readers see it while it is written. */
const OUTPUT_MS = 500;
/** Longest time between two heartbeats, so that a daemon that was restarted soon knows the worker. */
const MAX_BEAT_MS = 20_000;
/** A request without an answer is repeated on another connection. */
const ANSWER_MS = 10_000;
const LEASE_SHARE = 3;
const WATCH_MS = 100;

/** A point in time on both clocks. */
export interface LeaseTime {
  monotonic: number;
  wall: number;
}

export function readLeaseTime(): LeaseTime {
  return { monotonic: performance.now(), wall: Date.now() };
}

interface LeaseParts {
  hold: Hold;
  leaseMs: number;
  /** When the claim was sent. */
  claimedAt: LeaseTime;
  api: Pick<WorkerApi, 'heartbeat'>;
  output: OutputReader;
  /** The run may be executed until then, as `machineNowMs`. */
  onHeld(until: number): void;
  /**
   * The run must no longer be executed. With a grace period of 0, another worker may have it already: then no process
   * of the run may continue.
   */
  onLost(graceMs: number | null): void;
}

/**
 * The lease of an attempt, as its worker sees it. It ends earlier than for the daemon, because it begins when a request is
 * sent. So when it ends without a renewal, no other worker has the run yet.
 *
 * ```
 *   held ──── renew (heartbeat, start) ────▶ held
 *    │ │
 *    │ └─ `leaseMs` elapsed, or the daemon says so (`HoldLost`) ──▶ lost: `onLost` ends the command
 *    └─ end ──▶ ended
 * ```
 */
export class HeldLease {
  readonly #parts: LeaseParts;
  readonly #ended = new AbortController();
  readonly #watch: NodeJS.Timeout;
  #renewedAt: LeaseTime;
  #leaseMs: number;
  #beatAt = performance.now();
  #isLost = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#leaseMs = parts.leaseMs;
    this.#renewedAt = parts.claimedAt;
    this.#reportHeld();
    this.#watch = setInterval(() => {
      if (this.#elapsed().monotonic >= this.#leaseMs) this.#lose(0);
    }, WATCH_MS);
  }

  /** Aborted when the run is lost, or the lease is no longer needed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends heartbeats and output until the lease ends. */
  async keep(): Promise<void> {
    while (await this.#pause()) {
      const { text } = await this.#parts.output.next();
      if (text !== '' || this.#isDue()) await this.#beat();
    }
  }

  /** Sends all output but the last part, which the end of the run contains. */
  async flush(): Promise<void> {
    while (!this.#ended.signal.aborted && !(await this.#parts.output.isLast())) {
      if (!(await this.#beat())) await this.#pause();
    }
  }

  /** Sends a request that renews the lease. */
  async renew(send: () => Promise<number>): Promise<void> {
    const sentAt = readLeaseTime();
    this.#leaseMs = await send();
    this.#renewedAt = sentAt;
    this.#reportHeld();
  }

  #reportHeld(): void {
    this.#parts.onHeld(machineNowMs() - this.#elapsed().monotonic + this.#leaseMs);
  }

  /** The run has ended. */
  end(): void {
    clearInterval(this.#watch);
    this.#ended.abort();
  }

  #lose(graceMs: number | null): void {
    if (this.#ended.signal.aborted) return;
    this.#isLost = true;
    this.end();
    this.#parts.onLost(graceMs);
  }

  /** Returns whether the daemon has the output. */
  async #beat(): Promise<boolean> {
    const { api, hold, output } = this.#parts;
    this.#beatAt = performance.now();
    const part = await output.next();
    // The wall clock also counts the time in which this machine was suspended.
    const wasSuspended = this.#elapsed().wall >= this.#leaseMs;
    try {
      await this.renew(() => this.#withinLimit(api.heartbeat(hold, part)));
      output.confirm(part);
      return true;
    } catch (error) {
      if (error instanceof HoldLost) this.#lose(wasSuspended ? 0 : null);
      return false;
    }
  }

  async #withinLimit<T>(answer: Promise<T>): Promise<T> {
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, this.#ended.signal]);
    const timeout = wait(ANSWER_MS, undefined, { signal }).then(() => {
      throw new Error('the daemon did not answer in time');
    });
    try {
      return await Promise.race([answer, timeout]);
    } finally {
      answer.catch(() => undefined);
      timeout.catch(() => undefined);
      enough.abort();
    }
  }

  #isDue(): boolean {
    const { wall } = this.#elapsed();
    const beatMs = Math.min(this.#leaseMs / LEASE_SHARE, MAX_BEAT_MS);
    return performance.now() - this.#beatAt >= beatMs || wall >= this.#leaseMs;
  }

  /** Time since the last renewal. */
  #elapsed(): LeaseTime {
    const { monotonic, wall } = readLeaseTime();
    return { monotonic: monotonic - this.#renewedAt.monotonic, wall: wall - this.#renewedAt.wall };
  }

  async #pause(): Promise<boolean> {
    await wait(OUTPUT_MS, undefined, { signal: this.#ended.signal }).catch(() => undefined);
    return !this.#ended.signal.aborted;
  }
}
