/** Pseudo-random numbers that repeat with the same seed. */
export interface SeededRandom {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number from `from` (inclusive) to `to` (exclusive). */
  integer(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32: 32 bits of state are sufficient for delays and choices. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from));
  return { next, integer, pick: (items) => items[integer(0, items.length)]! };
}

/** The seed of this test run: `DOCKBELL_SEED`, or a random one. Print it before anything else. */
export function chooseSeed(): number {
  const given = process.env.DOCKBELL_SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given) >>> 0;
}
