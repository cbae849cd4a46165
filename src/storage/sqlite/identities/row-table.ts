import type { Hash64 } from './keyed-hash.ts';

/** The number of parts. A part grows separately, so that no insertion moves more than a small share of all rows. */
const PARTS = 256;
const MIN_SLOTS = 16;
/** A part grows when more than this share of its slots is in use. */
const FULLEST = 0.8;
/** A part shrinks when less than this share is in use. */
const EMPTIEST = 0.3;
/** Share of slots in use after growing or shrinking. */
const RESIZED = 0.64;

/**
 * Finds row numbers by hash, in typed arrays: 10 bytes per slot. It stores 40 bits of a hash, so a candidate is usually
 * the row, and the caller has to compare the row itself.
 */
export class RowTable {
  readonly #parts: Part[];
  #size = 0;

  /** @param expected number of rows to come, so that the table does not have to grow for them */
  constructor(expected = 0) {
    this.#parts = Array.from({ length: PARTS }, () => new Part(Math.ceil(expected / PARTS)));
  }

  get size(): number {
    return this.#size;
  }

  /** The memory of all slots. */
  get bytes(): number {
    return this.#parts.reduce((sum, part) => sum + part.bytes, 0);
  }

  /** The first row with this hash that `isWanted` accepts; 0 if none is. */
  find({ low, high }: Hash64, isWanted: (row: number) => boolean): number {
    return this.#parts[low % PARTS]!.find(high, isWanted);
  }

  /** @param row a positive integer of at most 48 bits */
  add({ low, high }: Hash64, row: number): void {
    this.#parts[low % PARTS]!.add(high, row);
    this.#size += 1;
  }

  /** Does nothing if the table does not contain the row with this hash. */
  remove({ low, high }: Hash64, row: number): void {
    if (this.#parts[low % PARTS]!.remove(high, row)) this.#size -= 1;
  }
}

const TWO_32 = 2 ** 32;

/** A hash table with open addressing. A slot without a row is free. */
class Part {
  #used = 0;
  #slots = 0;
  #marks = new Uint32Array(0);
  #rowsLow = new Uint32Array(0);
  #rowsHigh = new Uint16Array(0);

  constructor(expected: number) {
    if (expected > 0) this.#resize(expected);
  }

  get bytes(): number {
    return this.#slots * 10;
  }

  find(mark: number, isWanted: (row: number) => boolean): number {
    if (this.#used === 0) return 0;
    for (let slot = this.#home(mark); ; slot = this.#next(slot)) {
      const row = this.#rowAt(slot);
      if (row === 0) return 0;
      if (this.#marks[slot] === mark && isWanted(row)) return row;
    }
  }

  add(mark: number, row: number): void {
    if (this.#used + 1 > this.#slots * FULLEST) this.#resize(this.#used + 1);
    this.#put(mark, row);
    this.#used += 1;
  }

  remove(mark: number, row: number): boolean {
    if (this.#used === 0) return false;
    let slot = this.#home(mark);
    for (let found = this.#rowAt(slot); found !== row || this.#marks[slot] !== mark; found = this.#rowAt(slot)) {
      if (found === 0) return false;
      slot = this.#next(slot);
    }
    this.#free(slot);
    this.#used -= 1;
    if (this.#slots > MIN_SLOTS && this.#used < this.#slots * EMPTIEST) this.#resize(this.#used);
    return true;
  }

  /** Moves later rows of the same sequence up, so that none is behind a free slot. */
  #free(slot: number): void {
    let hole = slot;
    for (let at = this.#next(hole); this.#rowAt(at) !== 0; at = this.#next(at)) {
      if (this.#distance(this.#home(this.#marks[at]!), at) < this.#distance(hole, at)) continue;
      this.#marks[hole] = this.#marks[at]!;
      this.#rowsLow[hole] = this.#rowsLow[at]!;
      this.#rowsHigh[hole] = this.#rowsHigh[at]!;
      hole = at;
    }
    this.#rowsLow[hole] = 0;
    this.#rowsHigh[hole] = 0;
  }

  #resize(rows: number): void {
    const [slots, marks, low, high] = [this.#slots, this.#marks, this.#rowsLow, this.#rowsHigh];
    this.#slots = Math.max(MIN_SLOTS, Math.ceil(rows / RESIZED));
    this.#marks = new Uint32Array(this.#slots);
    this.#rowsLow = new Uint32Array(this.#slots);
    this.#rowsHigh = new Uint16Array(this.#slots);
    for (let slot = 0; slot < slots; slot++) {
      const row = high[slot]! * TWO_32 + low[slot]!;
      if (row !== 0) this.#put(marks[slot]!, row);
    }
  }

  #put(mark: number, row: number): void {
    let slot = this.#home(mark);
    while (this.#rowAt(slot) !== 0) slot = this.#next(slot);
    this.#marks[slot] = mark;
    this.#rowsLow[slot] = row % TWO_32;
    this.#rowsHigh[slot] = Math.floor(row / TWO_32);
  }

  #rowAt(slot: number): number {
    return this.#rowsHigh[slot]! * TWO_32 + this.#rowsLow[slot]!;
  }

  #home(mark: number): number {
    return Math.floor((mark / TWO_32) * this.#slots);
  }

  #next(slot: number): number {
    return slot + 1 === this.#slots ? 0 : slot + 1;
  }

  /** Number of steps from one slot to another. */
  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#slots;
  }
}
