import type { Json } from '../../../../client/openapi.d.ts';

/** The parsed text of a JSON editor. A blank text is valid. */
export type ParsedFilter = { kind: 'none' } | { kind: 'filter'; filter: Json } | { kind: 'broken' };

export function parseFilter(text: string): ParsedFilter {
  if (text.trim() === '') return { kind: 'none' };
  try {
    return { kind: 'filter', filter: JSON.parse(text) };
  } catch {
    return { kind: 'broken' };
  }
}
