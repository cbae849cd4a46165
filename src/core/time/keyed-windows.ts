import { SlidingWindow } from './sliding-window.ts';

const DEFAULT_MAX_KEYS = 10_000;

export interface KeyedWindowsOptions {
  /** Number of admissions for each key in any window of `windowMs`. */
  limit: number;
  windowMs: number;
  /** Number of keys that are counted; beyond it, the key used longest ago is forgotten. Default: 10,000. */
  maxKeys?: number;
}

/** A sliding window for each key, for example a client address, in bounded memory. */
export class KeyedWindows {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #windows = new Map<string, SlidingWindow>();

  constructor({ limit, windowMs, maxKeys = DEFAULT_MAX_KEYS }: KeyedWindowsOptions) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  /** As `SlidingWindow.admit`: returns 0 and counts one, or returns the milliseconds until the next one may come. */
  admit(key: string, nowMs: number): number {
    const window = this.#windows.get(key) ?? new SlidingWindow(this.#limit, this.#windowMs);
    // A map lists its keys in the order in which they were added: the first one is the one used longest ago.
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > this.#maxKeys) this.#windows.delete(this.#windows.keys().next().value!);
    return window.admit(nowMs);
  }

  /** Milliseconds until one more may come for this key; 0 for now. Counts nothing. */
  waitMs(key: string, nowMs: number): number {
    return this.#windows.get(key)?.waitMs(nowMs) ?? 0;
  }
}
