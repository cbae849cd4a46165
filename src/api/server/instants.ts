import { AppError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { formatInstant } from '../../domain/time/clock.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** An instant in a query. */
export const INSTANT: JsonSchema = { type: 'string', maxLength: 40, examples: ['2026-01-02T03:04:05.678Z'] };

/** Wall time in milliseconds. Throws `bad_request` unless the text is a time of RFC 3339. */
export function parseInstant(text: string, name: string): number {
  const atMs = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new AppError('bad_request', `"${name}" is not a time such as 2026-01-02T03:04:05Z (RFC 3339).`);
}

/** An instant that may not have come yet. */
export function presentInstant(wallMs: number | null): string | null {
  return wallMs === null ? null : formatInstant(wallMs);
}
