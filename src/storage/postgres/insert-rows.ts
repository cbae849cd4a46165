import type { ClientBase } from 'pg';
import type { StoredType } from '../sql/schema/columns.ts';
import { escapeNul } from './text-without-nul.ts';

const TYPES: Readonly<Record<StoredType, string>> = { integer: 'bigint', text: 'text', bytes: 'bytea' };

/** Inserts rows in one statement, with the values in the order of the mapping. */
export type InsertRows<Fields> = (client: ClientBase, rows: readonly Fields[]) => Promise<void>;

/**
 * The text of the statement does not depend on the number of rows, because each parameter has all values of a column. So a
 * connection plans it once.
 */
export function prepareInsertRows<Fields>(
  table: string,
  mapping: { inserted: readonly string[]; types: readonly StoredType[]; toValues(fields: Fields): unknown[] },
): InsertRows<Fields> {
  const { inserted, types, toValues } = mapping;
  const lists = types.map((type, index) => `$${index + 1}::${TYPES[type]}[]`);
  const text =
    `INSERT INTO ${table} (${inserted.join(', ')}) ` +
    `SELECT ${inserted.join(', ')} FROM unnest(${lists.join(', ')}) WITH ORDINALITY ` +
    `AS given (${inserted.join(', ')}, place) ORDER BY place`;
  return async (client, rows) => {
    if (rows.length === 0) return;
    const values = rows.map((row) => toValues(row));
    const columns = inserted.map((_, index) => values.map((row) => escapeNul(row[index])));
    await client.query({ name: `insert_${table}`, text, values: columns });
  };
}
