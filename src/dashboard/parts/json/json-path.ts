import type { Json, JsonObject } from '../../../client/openapi.d.ts';
import { isFilterOperator } from '../../../domain/words/payload-filters.ts';

/** Keys and array indexes from the root of a payload to one of its values. */
export type JsonPath = readonly (string | number)[];

/**
 * A payload filter that matches this value at this path, or the presence of an object or array. Filters evaluate arrays
 * element by element (docs/reference/payload-filter.md), so indexes are omitted. `null` if no filter can express the path:
 * the root, a key that is an operator, an array in an array.
 */
export function buildFilter(path: JsonPath, value: Json): JsonObject | null {
  const keys = path.filter((step) => typeof step === 'string');
  const isNestedArray = path.some((step, i) => typeof step === 'number' && typeof path[i - 1] === 'number');
  if (keys.length === 0 || isNestedArray || keys.some(isFilterOperator)) return null;
  const isContainer = typeof value === 'object' && value !== null;
  if (isContainer && typeof path.at(-1) === 'number') return null;
  const condition: Json = isContainer ? { exists: true } : [value];
  return keys.reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), condition) as JsonObject;
}
