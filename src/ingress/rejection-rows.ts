import type { RejectionEntry } from '../core/delivery.ts';

const MINUTE_MS = 60_000;

/** Rows of one label that one webhook's rejections may write in a minute (decisions, "Receiving a delivery"). */
const MAX_ROWS_PER_MINUTE = 600;

interface Tally {
  startedAtMs: number;
  rows: number;
  /** What the row that sums up the rest will look like; its `count` grows. */
  suppressed: RejectionEntry | null;
}

/** Keeps a flood of rejections from filling the disk: beyond the cap they are counted and summed up in one row. */
export class RejectionRows {
  readonly #tallies = new Map<string, Tally>();
  readonly #write: (entry: RejectionEntry) => void;

  constructor(write: (entry: RejectionEntry) => void) {
    this.#write = write;
  }

  /** Writes the entry, or counts it. `false` where it was only counted. */
  add(entry: RejectionEntry, nowMs: number): boolean {
    const key = `${entry.webhook} ${entry.label}`;
    let tally = this.#tallies.get(key);
    if (tally === undefined || nowMs - tally.startedAtMs >= MINUTE_MS) {
      this.#sumUp(tally);
      tally = { startedAtMs: nowMs, rows: 0, suppressed: null };
      this.#tallies.set(key, tally);
    }
    if (tally.rows < MAX_ROWS_PER_MINUTE) {
      tally.rows += 1;
      this.#write(entry);
      return true;
    }
    tally.suppressed = summarise(entry, (tally.suppressed?.count ?? 0) + entry.count);
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

  #sumUp(tally: Tally | undefined): void {
    if (tally?.suppressed) this.#write(tally.suppressed);
  }
}

function summarise(entry: RejectionEntry, count: number): RejectionEntry {
  return {
    ...entry,
    reason: 'summed_up',
    detail: `${count} further rejections of this minute, over the ${MAX_ROWS_PER_MINUTE} that have a row of their own`,
    identity: null,
    count,
  };
}
