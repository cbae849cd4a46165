// From SQLite to PostgreSQL, while no daemon runs. In: a file (`copy-source.ts`) and an empty database or an unfinished copy
// (`copy-target.ts`). Out: the same rows, in batches that an interrupted copy continues, compared by `verify-tables.ts`.
// `operations/maintenance/copy-storage.ts` holds the locks and calls all of it.

import type { Pool, PoolClient } from 'pg';
import { prepareInsert, sendInserts } from '../postgres/insert-rows.ts';
import { escapeNul } from '../postgres/text-without-nul.ts';
import { inTransaction, withConnection } from '../postgres/transactions.ts';
import { TABLE_NAMES } from '../sql/schema/table-keys.ts';
import { type CopiedTable, encodeKey, keyOf, type Row } from './copied-table.ts';
import type { CopySource } from './copy-source.ts';
import type { CopyTarget, TableProgress } from './copy-target.ts';
import { batchRows } from './row-batches.ts';

/** Called after each batch with its number of rows. Aborts the copy by throwing. */
export type OnRows = (rows: number) => void;

/** Copies what the target does not have yet. Each batch and the progress behind it are one transaction. */
export async function copyTables(source: CopySource, target: CopyTarget, onRows: OnRows): Promise<void> {
  for (const table of source.tables) {
    const progress = target.progress.get(table.name) ?? null;
    if (progress !== null) onRows(progress.rows);
    await copyTable(source, target.pool, { table, progress, onRows });
  }
  await continueNumbers(source, target.pool);
  // The planner of PostgreSQL chooses by statistics, which new tables do not have.
  await target.pool.query(`ANALYZE ${TABLE_NAMES.join(', ')}`);
}

interface TableCopy {
  table: CopiedTable;
  progress: TableProgress | null;
  onRows: OnRows;
}

async function copyTable(source: CopySource, pool: Pool, { table, progress, onRows }: TableCopy): Promise<void> {
  const insert = prepareCopy(table);
  let copied = progress?.rows ?? 0;
  for (const batch of batchRows(source.rows(table, progress?.last ?? null))) {
    copied += batch.length;
    const last = encodeKey(keyOf(table, batch.at(-1)!));
    await withConnection(pool, (client) =>
      inTransaction(client, 'READ COMMITTED', async () => {
        // The schema has created the row of this table.
        if (table.name === 'delivery_listing_end') await client.query('DELETE FROM delivery_listing_end');
        await sendInserts(client, [insert(batch)]);
        await noteProgress(client, table, { copied, last });
      }),
    );
    onRows(batch.length);
  }
}

function prepareCopy({ name, columns, types }: CopiedTable) {
  const inserted = columns.map(quote);
  return prepareInsert<Row>(name, { inserted, types, toValues: (row) => [...row] });
}

/** `user` is a word of SQL. */
export function quote(column: string): string {
  return `"${column}"`;
}

async function noteProgress(
  client: PoolClient,
  { name }: CopiedTable,
  { copied, last }: { copied: number; last: string },
): Promise<void> {
  await client.query(
    `INSERT INTO dockbell_copied_tables (name, copied, last_key) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET copied = excluded.copied, last_key = excluded.last_key`,
    [name, copied, escapeNul(last)],
  );
}

/** The columns whose numbers PostgreSQL assigns. */
const NUMBERED = `SELECT attname AS column, pg_get_serial_sequence($1, attname) AS sequence FROM pg_attribute
  WHERE attrelid = to_regclass($1) AND attidentity <> '' AND NOT attisdropped`;

/** New rows get the numbers after those that the source has used. */
async function continueNumbers(source: CopySource, pool: Pool): Promise<void> {
  for (const name of TABLE_NAMES) {
    const { rows } = await pool.query<{ column: string; sequence: string }>(NUMBERED, [name]);
    for (const { column, sequence } of rows) {
      await pool.query(
        `SELECT setval($1, last, true) FROM (SELECT greatest(max(${quote(column)}), $2) AS last FROM ${name}) AS used
          WHERE last > 0`,
        [sequence, source.usedNumber(name)],
      );
    }
  }
}
