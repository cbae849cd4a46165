import type { RejectionEntry } from '../../core/delivery.ts';
import { CappedRows } from './capped-rows.ts';

/** Rows of one label that one webhook's rejections may write in a minute (decisions, "Receiving a delivery"). */
const MAX_ROWS_PER_MINUTE = 600;

/** Rows of rejections, by webhook and label. */
export class RejectionRows extends CappedRows<RejectionEntry> {
  constructor(write: (entry: RejectionEntry) => void) {
    const keyOf = ({ webhook, label }: RejectionEntry) => `${webhook} ${label}`;
    super({ maxRowsPerMinute: MAX_ROWS_PER_MINUTE, keyOf, summarise, write });
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
