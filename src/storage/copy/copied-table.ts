import type { StoredType } from '../sql/schema/columns.ts';
import type { TableName } from '../sql/schema/table-keys.ts';

/** A value as both databases return it. */
export type StoredValue = number | string | Uint8Array | null;

/** The values of a row, in the order of the columns. */
export type Row = readonly StoredValue[];

/** A table that is copied, as the source has it. */
export interface CopiedTable {
  name: TableName;
  columns: readonly string[];
  /** How each of the columns is stored. */
  types: readonly StoredType[];
  /** The positions of the primary key in `columns`. */
  key: readonly number[];
}

/** The primary key of a row. */
export function keyOf({ key }: CopiedTable, row: Row): Row {
  return key.map((position) => row[position]!);
}

/** A primary key as JSON, for the progress of a copy and for messages. */
export function encodeKey(key: Row): string {
  return JSON.stringify(key.map((value) => (value instanceof Uint8Array ? { hex: toHex(value) } : value)));
}

export function decodeKey(text: string): Row {
  const values = JSON.parse(text) as (number | string | null | { hex: string })[];
  return values.map((value) => (typeof value === 'object' && value !== null ? Buffer.from(value.hex, 'hex') : value));
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
