import type { Row, StoredValue } from './copied-table.ts';

/** A batch ends with the row that reaches one of these limits, so that memory does not depend on the size of the database. */
const MAX_ROWS = 1000;
const MAX_BYTES = 1024 * 1024;

/** Divides rows into batches. */
export function* batchRows(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    bytes += row.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (batch.length < MAX_ROWS && bytes < MAX_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(value: StoredValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  return 8;
}
