import { SlidingWindow } from './sliding-window.ts';

const DEFAULT_MAX_KEYS = 10_000;

interface KeyedWindowsOptions {
  /** Number of admissions for each key in any window of `windowMs`. If it changes, the counts start again. */
  readonly limit: number;
  windowMs: number;
  /** Number of keys that are counted; beyond it, the key used longest ago is forgotten. Default: 10,000. */
  maxKeys?: number;
}

/** A sliding window for each key, for example a client address, in bounded memory. */
export class KeyedWindows {
  readonly #options: KeyedWindowsOptions;
  readonly #maxKeys: number;
  readonly #windows = new Map<string, SlidingWindow>();
  /** That of the windows. */
  #limit: number;

  constructor(options: KeyedWindowsOptions) {
    this.#options = options;
    this.#maxKeys = options.maxKeys ?? DEFAULT_MAX_KEYS;
    this.#limit = options.limit;
  }

  /** As `SlidingWindow.admit`: returns 0 and counts one, or returns the milliseconds until the next one may come. */
  admit(key: string, nowMs: number): number {
    return this.#use(key).admit(nowMs);
  }

  /** As `SlidingWindow.note`. */
  note(key: string, count: number, nowMs: number): void {
    this.#use(key).note(count, nowMs);
  }

  /** Milliseconds until one more may come for this key; 0 for now. Counts nothing. */
  waitMs(key: string, nowMs: number): number {
    this.#followLimit();
    return this.#windows.get(key)?.waitMs(nowMs) ?? 0;
  }

  /** As `SlidingWindow.countFree`. */
  countFree(key: string, nowMs: number): number {
    this.#followLimit();
    return this.#windows.get(key)?.countFree(nowMs) ?? this.#limit;
  }

  #use(key: string): SlidingWindow {
    this.#followLimit();
    const window = this.#windows.get(key) ?? new SlidingWindow(this.#limit, this.#options.windowMs);
    // A map lists its keys in the order in which they were added: the first one is the one used longest ago.
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > this.#maxKeys) this.#windows.delete(this.#windows.keys().next().value!);
    return window;
  }

  #followLimit(): void {
    const { limit } = this.#options;
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#windows.clear();
  }
}
