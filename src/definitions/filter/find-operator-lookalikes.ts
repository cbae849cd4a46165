import { isJsonObject } from '../../domain/json.ts';
import { type FilterOperator, isFilterOperator } from '../../domain/words/payload-filters.ts';
import { PATTERN_RULES, type PatternProblem } from './parse-pattern.ts';
import { PATTERN_LIMITS } from './pattern.ts';

const RULE = 'filter/looks-like-operator';

/** As in `parsePattern`: aliases turn a small file into a huge tree. */
const MAX_KEYS_VISITED = 10_000;
const MAX_PROBLEMS = 100;

/**
 * The keys of a written filter that are almost operators: in this form they are payload keys, which no payload has, so the
 * filter never matches. Stored filters are not checked, because they keep their meaning.
 */
export function findOperatorLookalikes(filter: unknown): PatternProblem[] {
  const problems: PatternProblem[] = [];
  const open: { object: unknown; path: readonly string[] }[] = [{ object: filter, path: [] }];
  let visited = 0;
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { object, path } = next;
    if (!isJsonObject(object) || path.length > PATTERN_LIMITS.maxLevels) continue;
    for (const [key, value] of Object.entries(object)) {
      if (++visited > MAX_KEYS_VISITED || problems.length === MAX_PROBLEMS) return problems;
      const operator = findMeantOperator(key, value);
      if (operator !== null) problems.push(describe([...path, key], key, operator));
      open.push({ object: value, path: [...path, key] });
    }
  }
  return problems;
}

function findMeantOperator(key: string, value: unknown): FilterOperator | null {
  if (isFilterOperator(key)) return null;
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plain === 'exists' && typeof value === 'boolean') return 'exists';
  if (!Array.isArray(value)) return null;
  if (plain === 'in' || plain === 'exists') return plain;
  return isWithinOneEdit(plain, 'notin') ? 'not_in' : null;
}

/** Is at most one letter inserted, deleted or replaced? Swapped letters are two edits. */
function isWithinOneEdit(one: string, other: string): boolean {
  const shortest = Math.min(one.length, other.length);
  let start = 0;
  while (start < shortest && one[start] === other[start]) start++;
  let end = 0;
  while (end < shortest - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end <= 1;
}

function describe(path: string[], key: string, operator: FilterOperator): PatternProblem {
  const message = `The key ${JSON.stringify(key.slice(0, 60))} is not an operator, but a field of the payload, so it probably never matches.`;
  const hint = `Did you mean "${operator}"? ${PATTERN_RULES[RULE]}`;
  return { path, rule: RULE, message, hint };
}
