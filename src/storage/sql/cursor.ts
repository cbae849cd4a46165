import { AppError } from '../../domain/errors.ts';

/** The position after a row, opaque to callers. It is a row number, so new rows do not shift the pages of a list. */
export function formatCursor(seq: number): string {
  return Buffer.from(`s${seq}`).toString('base64url');
}

/** The row number before which a page begins; `null` for the first page. Throws `bad_request` for an invalid cursor. */
export function parseCursor(cursor: string | null): number | null {
  if (cursor === null) return null;
  const match = /^s(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null || formatCursor(Number(match[1])) !== cursor) {
    throw new AppError('bad_request', 'invalid cursor: use the next_cursor of an earlier page');
  }
  return Number(match[1]);
}

/** Cuts `limit` + 1 rows to a page. The extra row only shows that more rows exist. */
export function cutPage<Row extends { seq: number }>(
  rows: Row[],
  limit: number,
): { rows: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: rows.length > limit ? formatCursor(page[page.length - 1]!.seq) : null };
}
