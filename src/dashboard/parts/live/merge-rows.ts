/** A row of a log. Its ID has a prefix and begins with the time, so IDs show which row is newer. */
export interface LogRow {
  id: string;
}

const TIME_CHARACTERS = 10;

/**
 * Replaces rows that are listed and inserts the others. The list and the result have the newest row first, the arrived rows
 * the oldest.
 */
export function mergeRows<Row extends LogRow>(listed: readonly Row[], arrived: readonly Row[]): Row[] {
  const updates = new Map(arrived.map((row) => [row.id, row]));
  const rows = listed.map((row) => {
    const update = updates.get(row.id);
    updates.delete(row.id);
    return update ?? row;
  });
  for (const row of updates.values()) insertRow(rows, row);
  return rows;
}

/** Before the first row that is not newer. */
function insertRow<Row extends LogRow>(rows: Row[], row: Row): void {
  const index = rows.findIndex((other) => timeOf(other) <= timeOf(row));
  rows.splice(index === -1 ? rows.length : index, 0, row);
}

function timeOf({ id }: LogRow): string {
  const begin = id.indexOf('_') + 1;
  return id.slice(begin, begin + TIME_CHARACTERS);
}
