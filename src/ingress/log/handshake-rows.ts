import type { HandshakeEntry } from '../../core/handshake.ts';
import { CappedRows } from './capped-rows.ts';

/** Rows that one webhook's handshakes of one outcome may write in a minute. A provider sends one now and then. */
const MAX_ROWS_PER_MINUTE = 60;

/** Rows of handshakes, by webhook and outcome. */
export class HandshakeRows extends CappedRows<HandshakeEntry> {
  constructor(write: (entry: HandshakeEntry) => void) {
    const keyOf = ({ webhook, outcome }: HandshakeEntry) => `${webhook} ${outcome}`;
    super({ maxRowsPerMinute: MAX_ROWS_PER_MINUTE, keyOf, summarise, write });
  }
}

function summarise(entry: HandshakeEntry, count: number): HandshakeEntry {
  const detail = `${count} further handshakes of this minute, over the ${MAX_ROWS_PER_MINUTE} that have a row of their own`;
  return { ...entry, detail, count };
}
