import type { Page } from '../../../client/list-rows.ts';

/** Rows of a page of a log. The management API returns as many if the request does not name a number. */
export const PAGE_ROWS = 50;

/** A page of a log that live events change. */
export interface LogPage<Row> extends Omit<Page<Row>, 'data'> {
  data: readonly Row[];
  /** Older rows were removed when new rows arrived, so `next_cursor` would skip them. */
  isCut?: boolean;
}

/** What the query of a live list returns: a page, or only its rows. */
export type LogData<Row> = LogPage<Row> | readonly Row[];

export function rowsOf<Row>(data: LogData<Row>): readonly Row[] {
  return 'next_cursor' in data ? data.data : data;
}

/** The same page or list with the first `limit` of these rows. */
export function withRows<Row>(data: LogData<Row>, rows: Row[], limit: number): LogData<Row> {
  const kept = rows.slice(0, limit);
  if (!('next_cursor' in data)) return kept;
  return { ...data, data: kept, isCut: data.isCut === true || rows.length > limit };
}
