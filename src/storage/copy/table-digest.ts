import { createHash, type Hash } from 'node:crypto';
import type { Row, StoredValue } from './copied-table.ts';

/** The content of a table: the number of its rows, and a digest of all values in the order of the primary key. */
export interface TableDigest {
  rows: number;
  /** SHA-256, in hexadecimal. */
  digest: string;
}

/** Computes the digest of a table from its rows, one batch after another. */
export class TableHash {
  readonly #hash: Hash = createHash('sha256');

  add(rows: readonly Row[]): void {
    for (const row of rows) for (const value of row) addValue(this.#hash, value);
  }

  /** Of the rows up to now. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** The digest of one row, to find the row that differs. */
export function digestRow(row: Row): string {
  const hash = new TableHash();
  hash.add([row]);
  return hash.digest();
}

/** Type and length before each value, so that different rows never have the same bytes. */
function addValue(hash: Hash, value: StoredValue): void {
  if (value === null) hash.update('n');
  else if (typeof value === 'number') hash.update(`i${value};`);
  else if (typeof value === 'string') hash.update(`t${Buffer.byteLength(value)};`).update(value);
  else hash.update(`b${value.length};`).update(value);
}
