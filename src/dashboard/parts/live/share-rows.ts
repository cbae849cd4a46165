import { replaceEqualDeep } from '@tanstack/react-query';
import type { LogPage } from './log-page.ts';
import type { LogRow } from './merge-rows.ts';

/**
 * Keeps the object of each row that has not changed, at any place in the list. The library compares by position, so one
 * new row would make every row look new and be rendered again.
 *
 * @returns `before` if nothing has changed
 */
export function shareRows<Row extends LogRow>(
  before: readonly Row[] | undefined,
  after: readonly Row[],
): readonly Row[] {
  const known = new Map(before?.map((row) => [row.id, row]));
  const rows = after.map((row) => replaceEqualDeep(known.get(row.id), row));
  const isUnchanged = before?.length === rows.length && rows.every((row, index) => row === before[index]);
  return isUnchanged ? before : rows;
}

export function sharePage<Row extends LogRow>(before: LogPage<Row> | undefined, after: LogPage<Row>): LogPage<Row> {
  const data = shareRows(before?.data, after.data);
  const isUnchanged = data === before?.data && before.next_cursor === after.next_cursor && before.isCut === after.isCut;
  return isUnchanged ? before : { ...after, data };
}

/** Options of a query for a page of a log. */
export const SHARE_PAGE = {
  structuralSharing: (before: unknown, after: unknown) =>
    sharePage(before as LogPage<LogRow> | undefined, after as LogPage<LogRow>),
};

/** Options of a query for a list of rows. */
export const SHARE_LIST = {
  structuralSharing: (before: unknown, after: unknown) => shareRows(before as LogRow[] | undefined, after as LogRow[]),
};
