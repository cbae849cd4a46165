import type { ClientBase, QueryConfig } from 'pg';
import type { StoredType } from '../sql/schema/columns.ts';
import { escapeNul } from './text-without-nul.ts';

const TYPES: Readonly<Record<StoredType, string>> = { integer: 'bigint', text: 'text', bytes: 'bytea' };

/** Composes the statement that inserts these rows, with the values in the order of the mapping; `null` for no rows. */
type ComposeInsert<Fields> = (rows: readonly Fields[]) => QueryConfig | null;

/** Sends composed statements without waiting for each other. */
export async function sendInserts(client: ClientBase, statements: readonly (QueryConfig | null)[]): Promise<void> {
  await Promise.all(statements.map((statement) => (statement === null ? null : client.query(statement))));
}

/**
 * The text of the statement does not depend on the number of rows, because each parameter has all values of a column. So a
 * connection plans it once.
 */
export function prepareInsert<Fields>(
  table: string,
  mapping: { inserted: readonly string[]; types: readonly StoredType[]; toValues(fields: Fields): unknown[] },
): ComposeInsert<Fields> {
  const { inserted, types, toValues } = mapping;
  const lists = types.map((type, index) => `$${index + 1}::${TYPES[type]}[]`);
  const text =
    `INSERT INTO ${table} (${inserted.join(', ')}) ` +
    `SELECT ${inserted.join(', ')} FROM unnest(${lists.join(', ')}) WITH ORDINALITY ` +
    `AS given (${inserted.join(', ')}, place) ORDER BY place`;
  return (rows) => {
    if (rows.length === 0) return null;
    const values = rows.map((row) => toValues(row));
    const columns = inserted.map((_, index) => values.map((row) => escapeNul(row[index])));
    return { name: `insert_${table}`, text, values: columns };
  };
}
