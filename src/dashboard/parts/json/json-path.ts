import type { Json, JsonObject } from '../../../api-types/openapi.d.ts';

/** From the root of a payload to one of its values: keys, and places in arrays. */
export type JsonPath = readonly (string | number)[];

/** For example `data.labels[0]`; keys that are no plain words are quoted. */
export function formatJsonPath(path: JsonPath): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

const OPERATORS = new Set(['in', 'not_in', 'exists']);

/**
 * The payload filter that asks for this value at this path, or, for an object or an array, that it is there. Arrays are
 * judged element by element (docs/reference/payload-filter.md), so places in them are left out. `null` where no filter can say
 * it: for the root, a key that reads as an operator, an array in an array.
 */
export function buildFilter(path: JsonPath, value: Json): JsonObject | null {
  const keys = path.filter((step) => typeof step === 'string');
  const isNestedArray = path.some((step, i) => typeof step === 'number' && typeof path[i - 1] === 'number');
  if (keys.length === 0 || isNestedArray || keys.some((key) => OPERATORS.has(key))) return null;
  const isContainer = typeof value === 'object' && value !== null;
  if (isContainer && typeof path.at(-1) === 'number') return null;
  const condition: Json = isContainer ? { exists: true } : [value];
  return keys.reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), condition) as JsonObject;
}
