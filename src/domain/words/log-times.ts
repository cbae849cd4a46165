/** When output of a run was written: that at and after `offset`, at `at` or a moment later. */
export interface LogTime {
  offset: number;
  at: string;
}

/** The time of the last entry at or before the offset; `null` if no such entry exists. */
export function findLogTime(times: readonly LogTime[], offset: number): string | null {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (times[middle]!.offset <= offset) from = middle + 1;
    else to = middle;
  }
  return times[from - 1]?.at ?? null;
}

/** A line of a log, or a part of one. */
interface LogPiece {
  /** Ends with the line break, unless the line continues. */
  text: string;
  /** Where its line begins in the log. */
  lineOffset: number;
}

const LINE_FEED = 0x0a;

/** Decodes a log that is read in chunks, and splits it after each line break. A chunk may end within a character. */
export class LogPieces {
  readonly #decoder = new TextDecoder();
  /** Number of bytes so far. */
  #offset = 0;
  #lineOffset = 0;

  split(bytes: Uint8Array): LogPiece[] {
    const lines = this.#decoder.decode(bytes, { stream: true }).split('\n');
    const pieces: LogPiece[] = [];
    let at = 0;
    for (const [i, text] of lines.entries()) {
      const isLast = i === lines.length - 1;
      if (!isLast || text !== '') pieces.push({ text: isLast ? text : `${text}\n`, lineOffset: this.#lineOffset });
      if (isLast) break;
      // No other character contains this byte in UTF-8, so text and bytes have the same number of line breaks.
      at = bytes.indexOf(LINE_FEED, at) + 1;
      this.#lineOffset = this.#offset + at;
    }
    this.#offset += bytes.length;
    return pieces;
  }
}
