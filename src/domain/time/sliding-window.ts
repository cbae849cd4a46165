/**
 * At most `limit` admissions in any window of `windowMs` (exact, not a bucket). A ring contains the times of the admissions in
 * the current window; the oldest of them decides when the next one may come.
 */
export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #admittedAt: number[] = [];
  /** Where the oldest one is in the ring. */
  #oldest = 0;
  #count = 0;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  get limit(): number {
    return this.#limit;
  }

  /** A window with another limit, and with the most recent admissions of this one. */
  withLimit(limit: number): SlidingWindow {
    const window = new SlidingWindow(limit, this.#windowMs);
    const kept = Math.min(this.#count, limit);
    for (let at = this.#count - kept; at < this.#count; at += 1) {
      window.#admittedAt.push(this.#admittedAt[(this.#oldest + at) % this.#limit]!);
    }
    window.#count = kept;
    return window;
  }

  /**
   * Admits one at `nowMs` (monotonic) and returns 0, or returns the milliseconds until the next one may come.
   */
  admit(nowMs: number): number {
    const waitMs = this.waitMs(nowMs);
    if (waitMs > 0) return waitMs;
    this.#admittedAt[(this.#oldest + this.#count) % this.#limit] = nowMs;
    this.#count += 1;
    return 0;
  }

  /** Counts admissions that somebody else made, as far as there is room for them. */
  note(count: number, nowMs: number): void {
    for (let left = count; left > 0 && this.admit(nowMs) === 0; left -= 1);
  }

  /** Milliseconds until one more may come; 0 for now. Admits nothing. */
  waitMs(nowMs: number): number {
    if (this.countFree(nowMs) > 0) return 0;
    return this.#admittedAt[this.#oldest]! + this.#windowMs - nowMs;
  }

  /** The number that may come now. */
  countFree(nowMs: number): number {
    while (this.#count > 0 && this.#admittedAt[this.#oldest]! + this.#windowMs <= nowMs) {
      this.#oldest = (this.#oldest + 1) % this.#limit;
      this.#count -= 1;
    }
    return this.#limit - this.#count;
  }
}
