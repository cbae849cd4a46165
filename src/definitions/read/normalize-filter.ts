import type { Json, JsonObject } from '../../core/json.ts';
import { parsePattern } from '../../filter/parse-pattern.ts';
import type { PatternField, Scalar } from '../../filter/pattern.ts';

/** A payload filter as a text that is the same for all filters that differ only in the order of keys and values. */
export function normalizeFilter(payload: JsonObject | null): string {
  const parsed = parsePattern(payload ?? {});
  // Automations with an invalid filter have no definition.
  return JSON.stringify(parsed.ok ? normalizeFields(parsed.pattern.fields) : payload);
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
