import { AppError } from '../../core/errors.ts';

/** The place in a list after a row, opaque to callers. Lists are walked by row number, so that new rows shift nothing. */
export function formatCursor(seq: number): string {
  return Buffer.from(`s${seq}`).toString('base64url');
}

/** Row number before which a page begins; `null` for the first page. Throws `bad_request` for what is no cursor. */
export function parseCursor(cursor: string | null): number | null {
  if (cursor === null) return null;
  const match = /^s(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null || formatCursor(Number(match[1])) !== cursor) {
    throw new AppError('bad_request', 'the cursor is not one that an earlier page gave');
  }
  return Number(match[1]);
}

/** Cuts `limit` + 1 rows to a page: the extra row only says that there are more. */
export function cutPage<Row extends { seq: number }>(
  rows: Row[],
  limit: number,
): { rows: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: rows.length > limit ? formatCursor(page[page.length - 1]!.seq) : null };
}
