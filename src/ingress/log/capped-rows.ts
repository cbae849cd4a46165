import type { HandshakeEntry } from '../../domain/deliveries/handshake.ts';
import type { RejectionEntry } from '../../domain/resources/delivery.ts';

const MINUTE_MS = 60_000;

/** Maximum number of rejection rows per webhook, label and minute (decisions, "Receiving a delivery"). */
const MAX_REJECTIONS_PER_MINUTE = 600;

/** Maximum number of handshake rows per webhook, outcome and minute. Providers send handshakes rarely. */
const MAX_HANDSHAKES_PER_MINUTE = 60;

interface RowCap<Row> {
  maxRowsPerMinute: number;
  /** Rows with the same key share a cap. */
  keyOf(row: Row): string;
  /** The row that represents `count` more rows like this one. */
  summarise(row: Row, count: number): Row;
  write(row: Row): void;
}

interface Tally<Row> {
  startedAtMs: number;
  rows: number;
  /** The row that represents the suppressed ones. `null` if none was suppressed. */
  suppressed: Row | null;
}

/**
 * Prevents a flood of requests from filling the disk. Rows beyond the cap are counted, and one row states their number.
 */
class CappedRows<Row extends { count: number }> {
  readonly #tallies = new Map<string, Tally<Row>>();
  readonly #cap: RowCap<Row>;

  constructor(cap: RowCap<Row>) {
    this.#cap = cap;
  }

  /** Writes or counts the row. `false` if it was only counted. */
  add(row: Row, nowMs: number): boolean {
    const key = this.#cap.keyOf(row);
    let tally = this.#tallies.get(key);
    if (tally === undefined || nowMs - tally.startedAtMs >= MINUTE_MS) {
      this.#writeSummary(tally);
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

  /** Writes the summaries of past minutes, and with `everything` that of the current minute (for a clean stop). */
  flush(nowMs: number, everything = false): void {
    for (const [key, tally] of this.#tallies) {
      if (!everything && nowMs - tally.startedAtMs < MINUTE_MS) continue;
      this.#writeSummary(tally);
      this.#tallies.delete(key);
    }
  }

  #writeSummary(tally: Tally<Row> | undefined): void {
    if (tally?.suppressed) this.#cap.write(tally.suppressed);
  }
}

/** Rows of rejections, capped by webhook and label. */
export class RejectionRows extends CappedRows<RejectionEntry> {
  constructor(write: (entry: RejectionEntry) => void) {
    super({
      maxRowsPerMinute: MAX_REJECTIONS_PER_MINUTE,
      keyOf: ({ webhook, label }) => `${webhook} ${label}`,
      summarise: (entry, count) => ({
        ...entry,
        reason: 'summed_up',
        detail: `${count} more rejections in this minute; only the first ${MAX_REJECTIONS_PER_MINUTE} have separate rows`,
        identity: null,
        count,
      }),
      write,
    });
  }
}

/** Rows of handshakes, capped by webhook and outcome. */
export class HandshakeRows extends CappedRows<HandshakeEntry> {
  constructor(write: (entry: HandshakeEntry) => void) {
    super({
      maxRowsPerMinute: MAX_HANDSHAKES_PER_MINUTE,
      keyOf: ({ webhook, outcome }) => `${webhook} ${outcome}`,
      summarise: (entry, count) => ({
        ...entry,
        detail: `${count} more handshakes in this minute; only the first ${MAX_HANDSHAKES_PER_MINUTE} have separate rows`,
        count,
      }),
      write,
    });
  }
}
