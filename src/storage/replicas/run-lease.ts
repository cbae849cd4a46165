import { machineNowMs } from '../../domain/time/machine-time.ts';
import { type CancelCall, scheduleCall } from '../../domain/time/schedule.ts';

/** The part of the lease in which commands may run. In the rest of the time they have to end. */
const USABLE = 2 / 3;

/** The part after which a separate process ends the commands that are left. Then, clocks may differ by the rest. */
const FORCED = 5 / 6;

/**
 * The lease of the runs that this machine executes, as this daemon knows it:
 *
 * ```
 *  sign of life          commands get SIGTERM    SIGKILL        others may start the runs
 *  ├──────────────────────────────┼─────────────────┼──────────────────┤
 *  0                             2/3               5/6                 1
 * ```
 *
 * ```
 *            sign of life        none until 2/3
 *  not held ─────────────▶ held ───────────────▶ lost: `onLost`
 *                 `onHeld`  ▲ ▲ │                  │
 *                           │ └─┘ sign of life     │
 *                           └──────────────────────┘ sign of life
 * ```
 */
export class RunLease {
  readonly #leaseMs: number;
  readonly #extend: (until: number) => void;
  readonly #onLost: ((graceMs: number) => void)[] = [];
  readonly #onHeld: (() => void)[] = [];
  #endsAt = Number.NEGATIVE_INFINITY;
  #isHeld = false;
  #cancelEnd: CancelCall = () => {};

  /**
   * @param leaseMs how long others leave the runs alone after a sign of life
   * @param extend the commands may run until then, as `machineNowMs`
   */
  constructor(leaseMs: number, extend: (until: number) => void) {
    this.#leaseMs = leaseMs;
    this.#extend = extend;
  }

  get isHeld(): boolean {
    return machineNowMs() < this.#endsAt;
  }

  /** @param listener called with the time, in milliseconds, in which the commands have to end */
  onLost(listener: (graceMs: number) => void): void {
    this.#onLost.push(listener);
  }

  onHeld(listener: () => void): void {
    this.#onHeld.push(listener);
    if (this.isHeld) listener();
  }

  /**
   * The database has a sign of life that was sent at `at`, as `machineNowMs`.
   *
   * @param wasLost the lease had ended before it: this machine was suspended, and does not know how long
   */
  renew({ at, wasLost }: { at: number; wasLost: boolean }): void {
    if (wasLost) this.#lose(0);
    this.#endsAt = at + this.#leaseMs * USABLE;
    this.#extend(at + this.#leaseMs * FORCED);
    this.#cancelEnd();
    this.#cancelEnd = scheduleCall(Math.max(0, this.#endsAt - machineNowMs()), () =>
      this.#lose(this.#leaseMs * (FORCED - USABLE)),
    );
    if (this.#isHeld) return;
    this.#isHeld = true;
    for (const listener of this.#onHeld) listener();
  }

  stop(): void {
    this.#cancelEnd();
  }

  #lose(graceMs: number): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const listener of this.#onLost) listener(graceMs);
  }
}
