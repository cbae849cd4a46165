/** Rows in one statement. SQLite allows 32,766 parameters, PostgreSQL 65,535. */
const ROWS_PER_STATEMENT = 200;

/** Cuts rows into parts for one statement each. */
export function cutRows<Row>(rows: readonly Row[]): Row[][] {
  const parts = Math.ceil(rows.length / ROWS_PER_STATEMENT);
  return Array.from({ length: parts }, (_, part) =>
    rows.slice(part * ROWS_PER_STATEMENT, (part + 1) * ROWS_PER_STATEMENT),
  );
}
