const MINUTE_MS = 60_000;

/** What a row has to have to be counted and summed up. */
export interface Countable {
  /** How many requests it stands for. */
  count: number;
}

export interface RowCap<Row> {
  maxRowsPerMinute: number;
  /** Rows of one key share a cap. */
  keyOf(row: Row): string;
  /** The row that stands for `count` further ones like it. */
  summarise(row: Row, count: number): Row;
  write(row: Row): void;
}

interface Tally<Row> {
  startedAtMs: number;
  rows: number;
  /** What the row that sums up the rest will look like; its `count` grows. */
  suppressed: Row | null;
}

/** Keeps a flood from filling the disk: beyond the cap rows are counted and summed up in one. */
export class CappedRows<Row extends Countable> {
  readonly #tallies = new Map<string, Tally<Row>>();
  readonly #cap: RowCap<Row>;

  constructor(cap: RowCap<Row>) {
    this.#cap = cap;
  }

  /** Writes the row, or counts it. `false` where it was only counted. */
  add(row: Row, nowMs: number): boolean {
    const key = this.#cap.keyOf(row);
    let tally = this.#tallies.get(key);
    if (tally === undefined || nowMs - tally.startedAtMs >= MINUTE_MS) {
      this.#sumUp(tally);
      tally = { startedAtMs: nowMs, rows: 0, suppressed: null };
      this.#tallies.set(key, tally);
    }
    if (tally.rows < this.#cap.maxRowsPerMinute) {
      tally.rows += 1;
      this.#cap.write(row);
      return true;
    }
    tally.suppressed = this.#cap.summarise(row, (tally.suppressed?.count ?? 0) + row.count);
    return false;
  }

  /** Writes the sums of minutes that are over; with `everything`, also of the one that runs (at a clean stop). */
  flush(nowMs: number, everything = false): void {
    for (const [key, tally] of this.#tallies) {
      if (!everything && nowMs - tally.startedAtMs < MINUTE_MS) continue;
      this.#sumUp(tally);
      this.#tallies.delete(key);
    }
  }

  #sumUp(tally: Tally<Row> | undefined): void {
    if (tally?.suppressed) this.#cap.write(tally.suppressed);
  }
}
