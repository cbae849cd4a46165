import type { Json } from '../../core/json.ts';
import type { Pattern, PatternField, Scalar } from '../../filter/pattern.ts';

/** A payload filter as a text that is the same for all filters that differ only in the order of keys and values. */
export function normalizeFilter({ fields }: Pattern): string {
  return JSON.stringify(normalizeFields(fields));
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
