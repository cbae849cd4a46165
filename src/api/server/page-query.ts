import { AppError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { Page, PageRequest } from '../../domain/page.ts';

/** What lists take in their query. */
export interface PageQuery {
  limit?: number;
  cursor?: string;
}

const DEFAULT_LIMIT = 50;
const limit: JsonSchema = { type: 'integer', minimum: 1, maximum: 200 };
export const CURSOR: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  description: '`next_cursor` of the previous page.',
};

/** A query with exactly these optional parameters. */
export function querySchema(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}

/** The query of a log: pages of 50 unless the caller asks otherwise. */
export function pageQuerySchema(more: Record<string, JsonSchema> = {}): JsonSchema {
  return querySchema({ limit: { ...limit, default: DEFAULT_LIMIT }, cursor: CURSOR, ...more });
}

/** The query of a list that is short by nature: whole, unless the caller asks for pages. */
export function shortListQuerySchema(more: Record<string, JsonSchema> = {}): JsonSchema {
  return querySchema({ limit: { ...limit, description: 'Without it, all entries.' }, cursor: CURSOR, ...more });
}

export const SHORT_LIST_QUERY: JsonSchema = shortListQuerySchema();

/** The page a caller asks for. */
export function readPage(query: PageQuery): PageRequest {
  return { limit: query.limit ?? DEFAULT_LIMIT, cursor: query.cursor ?? null };
}

/** A page as the interfaces show it. */
export function presentPage<T, V>(page: Page<T>, present: (entry: T) => V): { data: V[]; next_cursor: string | null } {
  return { data: page.data.map(present), next_cursor: page.nextCursor };
}

/** Cuts a short list, ordered by a key that no two entries share, into pages. The cursor is the last key shown. */
export function pageOf<T>(entries: readonly T[], query: PageQuery, keyOf: (entry: T) => string): Page<T> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const rest = [...entries]
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .filter((entry) => after === null || keyOf(entry) > after);
  const data = rest.slice(0, query.limit ?? rest.length);
  return { data, nextCursor: data.length < rest.length ? encodeCursor(keyOf(data.at(-1)!)) : null };
}

const CURSOR_PREFIX = 'after:';

/** The cursor after a key of a list. */
export function encodeCursor(key: string): string {
  return Buffer.from(`${CURSOR_PREFIX}${key}`, 'utf8').toString('base64url');
}

/** Throws `bad_request` for a text that `encodeCursor` did not return. */
export function decodeCursor(cursorText: string): string {
  const bytes = Buffer.from(cursorText, 'base64url');
  const decoded = bytes.toString('utf8');
  if (bytes.toString('base64url') !== cursorText || !decoded.startsWith(CURSOR_PREFIX)) {
    throw new AppError('bad_request', 'The cursor is not one that this list gave: take it from "next_cursor".');
  }
  return decoded.slice(CURSOR_PREFIX.length);
}
