/** One page of a list. */
export interface Page<Row> {
  data: Row[];
  /** Where the next page begins. `null` on the last page. */
  next_cursor: string | null;
}

/** What a request for one page sends as its query. */
export interface ListQuery {
  limit?: number;
  cursor?: string;
}

/** The largest page that the management API returns. */
const MAX_PAGE = 100;

/**
 * Follows the cursors of a list.
 *
 * @param limit number of rows to read; `null` for all
 */
export async function listRows<Row>(
  readPage: (query: ListQuery) => Promise<Page<Row>>,
  limit: number | null,
): Promise<Page<Row>> {
  const data: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await readPage({
      ...(limit === null ? {} : { limit: Math.min(MAX_PAGE, limit - data.length) }),
      ...(cursor === null ? {} : { cursor }),
    });
    data.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && (limit === null || data.length < limit));
  return { data, next_cursor: cursor };
}
