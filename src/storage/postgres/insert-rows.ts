import type { ClientBase } from 'pg';
import type { StoredType } from '../sql/schema/columns.ts';
import { escapeNul } from './text-without-nul.ts';

const TYPES: Readonly<Record<StoredType, string>> = { integer: 'bigint', text: 'text', bytes: 'bytea' };

/** Inserts rows in one statement, with the values in the order of the mapping. Returns the number of each row if there is one. */
export type InsertRows<Fields> = (client: ClientBase, rows: readonly Fields[]) => Promise<number[]>;

/**
 * The text of the statement does not depend on the number of rows, because each parameter has all values of a column. So a
 * connection plans it once.
 *
 * @param number the generated column that the result has; `null` for none
 */
export function prepareInsertRows<Fields>(
  table: string,
  mapping: { inserted: readonly string[]; types: readonly StoredType[]; toValues(fields: Fields): unknown[] },
  number: 'seq' | null = null,
): InsertRows<Fields> {
  const { inserted, types, toValues } = mapping;
  const lists = types.map((type, index) => `$${index + 1}::${TYPES[type]}[]`);
  const text =
    `INSERT INTO ${table} (${inserted.join(', ')}) ` +
    `SELECT ${inserted.join(', ')} FROM unnest(${lists.join(', ')}) WITH ORDINALITY ` +
    `AS given (${inserted.join(', ')}, place) ORDER BY place${number === null ? '' : ` RETURNING ${number}`}`;
  return async (client, rows) => {
    if (rows.length === 0) return [];
    const values = rows.map((row) => toValues(row));
    const columns = inserted.map((_, index) => values.map((row) => escapeNul(row[index])));
    const { rows: returned } = await client.query<Record<string, number>>({
      name: `insert_${table}`,
      text,
      values: columns,
    });
    return number === null ? [] : returned.map((row) => row[number]!);
  };
}
