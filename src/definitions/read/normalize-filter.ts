import type { Json } from '../../core/json.ts';
import type { FilterPattern, PatternField, Scalar } from '../../filter/pattern.ts';

/**
 * A filter as a text. It is the same for all filters that differ only in the order of keys and values, and in the case of
 * the names of headers.
 */
export function normalizeFilter({ headers, payload }: FilterPattern): string {
  return JSON.stringify([normalizeFields(headers), normalizeFields(payload)]);
}

function normalizeFields(fields: readonly PatternField[]): Json {
  const sorted = [...fields].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.map(({ key, condition }): Json => {
    if (condition.kind === 'object') return [key, normalizeFields(condition.fields)];
    return [key, normalizeValues(condition.in), normalizeValues(condition.notIn), condition.exists];
  });
}

/** Scalars are equal exactly if their JSON texts are equal. */
function normalizeValues(values: readonly Scalar[] | null): Json {
  return values === null ? null : [...new Set(values.map((value) => JSON.stringify(value)))].sort();
}
