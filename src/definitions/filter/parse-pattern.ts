import { isJsonObject } from '../../domain/json.ts';
import { type FilterOperator, isFilterOperator } from '../../domain/words/payload-filters.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { describeValue } from './describe-value.ts';
import {
  isScalar,
  type LeafCondition,
  PATTERN_LIMITS,
  type Pattern,
  type PatternField,
  type Scalar,
} from './pattern.ts';

/** Every rule about filters, with its hint. IDs are published and never reused. */
export const PATTERN_RULES = {
  'filter/not-an-object':
    'Write an object that mirrors the structure of the payload, for example {"data": {"level": ["error"]}}. Omit the filter to match every delivery.',
  'filter/operator-at-root':
    'Put the operator under the key that it tests: {"level": {"in": ["error"]}}. To test a payload field named "in", "not_in" or "exists", put an object under its key: {"in": {"in": ["value"]}}.',
  'filter/mixed-operators':
    'Write either operators or payload keys in one object. To test a payload field named "in", "not_in" or "exists", put an object under its key: {"in": {"in": ["value"]}}.',
  'filter/looks-like-operator':
    'The operators are "in", "not_in" and "exists". To test a payload field with this name, put an object under its key: {"notIn": {"in": ["value"]}}.',
  'filter/not-a-list': 'Write a list, also for a single value: ["error"].',
  'filter/empty-list':
    'List at least one value, or remove the operator. To test only whether the key exists, write {"exists": true}.',
  'filter/not-scalar':
    'List strings, numbers, true, false or null. To test a field inside an object, nest the filter: {"author": {"name": ["ann"]}}.',
  'filter/bad-exists': 'Write true if the key must be present (its value may be null), or false if it must be absent.',
  'filter/contradiction': 'Remove one of the two: no payload can match both.',
  'filter/too-deep': `Nest at most ${PATTERN_LIMITS.maxLevels} levels of keys.`,
  'filter/too-many-leaves': `Test at most ${PATTERN_LIMITS.maxLeaves} fields, or split the task into two automations.`,
  'filter/too-many-values': `List at most ${PATTERN_LIMITS.maxValues} values for one operator.`,
  'filter/bad-header': 'Write the name of each header once, with a list of texts: {"X-GitHub-Event": ["push"]}.',
  'filter/more-problems': 'Fix the listed problems first.',
} as const;

export type PatternRule = keyof typeof PATTERN_RULES;

/** One problem of a filter. */
export interface PatternProblem {
  /** Keys and list indexes from the root of the part of the filter. */
  path: (string | number)[];
  rule: PatternRule;
  /** What is wrong. */
  message: string;
  /** What to do about it. */
  hint: string;
}

export type ParsedPattern = { ok: true; pattern: Pattern } | { ok: false; problems: PatternProblem[] };

/** A hostile filter can violate a rule at each of its bytes. */
const MAX_PROBLEMS = 100;
/** Shared objects (YAML aliases) turn a small file into a huge tree. This limit is far above any valid filter. */
const MAX_FIELDS_VISITED = 10_000;

type Path = readonly (string | number)[];
type FilterObject = { [key: string]: unknown };

interface Walk {
  problems: PatternProblem[];
  unlisted: number;
  fieldsVisited: number;
  leaves: number;
  /** Path of the first leaf over the limit. */
  leafOverLimit: Path | null;
}

/**
 * Reads a parsed payload filter (decisions, "Payload filter") and reports all its problems. Never throws. The work and the
 * stack are bounded for any input.
 */
export function parsePattern(filter: unknown): ParsedPattern {
  const walk: Walk = { problems: [], unlisted: 0, fieldsVisited: 0, leaves: 0, leafOverLimit: null };
  const fields = parseRoot(walk, filter);
  reportLeaves(walk);
  reportUnlisted(walk);
  return walk.problems.length === 0 ? { ok: true, pattern: { fields } } : { ok: false, problems: walk.problems };
}

function parseRoot(walk: Walk, filter: unknown): PatternField[] {
  if (!isJsonObject(filter)) {
    report(walk, [], 'filter/not-an-object', `The payload filter must be an object, but is ${describeValue(filter)}.`);
    return [];
  }
  for (const key of operatorKeysOf(filter)) {
    const message = `The operator "${key}" is at the root of the filter. An operator must be under the key that it tests.`;
    report(walk, [key], 'filter/operator-at-root', message);
  }
  return parseFields(walk, filter, payloadKeysOf(filter), []);
}

function parseFields(walk: Walk, object: FilterObject, keys: readonly string[], path: Path): PatternField[] {
  if (keys.length > 0 && path.length >= PATTERN_LIMITS.maxLevels) {
    const message = `The filter is nested more than ${PATTERN_LIMITS.maxLevels} keys deep.`;
    report(walk, [...path, keys[0]!], 'filter/too-deep', message);
    return [];
  }
  const fields: PatternField[] = [];
  for (const key of keys) {
    if (walk.fieldsVisited >= MAX_FIELDS_VISITED) break;
    walk.fieldsVisited += 1;
    fields.push({ key, condition: parseCondition(walk, object[key], [...path, key]) });
  }
  return fields;
}

function parseCondition(walk: Walk, value: unknown, path: Path): PatternField['condition'] {
  if (Array.isArray(value)) return parseLeaf(walk, { in: value }, ['in'], path, () => path);
  if (!isJsonObject(value)) return reportNotACondition(walk, value, path);
  const operators = operatorKeysOf(value);
  const keys = payloadKeysOf(value);
  if (operators.length === 0) {
    if (keys.length === 0) countLeaf(walk, path);
    return { kind: 'object', fields: parseFields(walk, value, keys, path) };
  }
  if (keys.length > 0) {
    const message = `One object contains both the operator "${operators[0]}" and the payload key ${describeValue(keys[0])}.`;
    report(walk, path, 'filter/mixed-operators', message);
    parseFields(walk, value, keys, path);
  }
  return parseLeaf(walk, value, operators, path, (operator) => [...path, operator]);
}

function reportNotACondition(walk: Walk, value: unknown, path: Path): LeafCondition {
  const message = `The condition must be a list of values, an object with operators, or a nested filter, but is ${describeValue(value)}.`;
  report(walk, path, 'filter/not-a-list', message, hintAtList(value));
  return { kind: 'leaf', in: null, notIn: null, exists: null };
}

function parseLeaf(
  walk: Walk,
  object: FilterObject,
  operators: readonly FilterOperator[],
  path: Path,
  pathOf: (operator: FilterOperator) => Path,
): LeafCondition {
  countLeaf(walk, path);
  const list = (key: 'in' | 'not_in') =>
    operators.includes(key) ? parseList(walk, object[key], key, pathOf(key)) : null;
  const condition: LeafCondition = {
    kind: 'leaf',
    in: list('in'),
    notIn: list('not_in'),
    exists: operators.includes('exists') ? parseExists(walk, object.exists, pathOf('exists')) : null,
  };
  reportContradictions(walk, condition, path);
  return condition;
}

function parseList(walk: Walk, list: unknown, operator: 'in' | 'not_in', path: Path): Scalar[] {
  if (!Array.isArray(list)) {
    const message = `"${operator}" must be a list of values, but is ${describeValue(list)}.`;
    report(walk, path, 'filter/not-a-list', message, hintAtList(list));
    return [];
  }
  if (list.length === 0) report(walk, path, 'filter/empty-list', `The list of "${operator}" is empty.`);
  if (list.length > PATTERN_LIMITS.maxValues) {
    const message = `The list of "${operator}" has ${list.length} values. The limit is ${PATTERN_LIMITS.maxValues}.`;
    report(walk, path, 'filter/too-many-values', message);
  }
  list.forEach((value, index) => {
    if (isScalar(value)) return;
    report(walk, [...path, index], 'filter/not-scalar', `${describeValue(value)} cannot be listed as a value.`);
  });
  return list.filter(isScalar);
}

function parseExists(walk: Walk, value: unknown, path: Path): boolean | null {
  if (typeof value === 'boolean') return value;
  report(walk, path, 'filter/bad-exists', `"exists" must be true or false, but is ${describeValue(value)}.`);
  return null;
}

function reportContradictions(walk: Walk, condition: LeafCondition, path: Path): void {
  const ruledOut = new Set(condition.notIn);
  const both = [...new Set(condition.in)].filter((value) => ruledOut.has(value));
  if (both.length > 0) {
    const values = both.slice(0, PATTERN_LIMITS.maxValues).map(describeValue).join(', ');
    report(walk, path, 'filter/contradiction', `"in" and "not_in" of this field both list ${values}.`);
  }
  if (condition.exists === false && condition.in !== null && condition.in.length > 0) {
    const message = 'The field must be absent ("exists": false) and must have a listed value ("in").';
    report(walk, path, 'filter/contradiction', message);
  }
}

function isOperator(object: FilterObject, key: string): key is FilterOperator {
  return isFilterOperator(key) && !isJsonObject(object[key]);
}

function operatorKeysOf(object: FilterObject): FilterOperator[] {
  return Object.keys(object).filter((key): key is FilterOperator => isOperator(object, key));
}

/** All other keys. `in`, `not_in` and `exists` are payload keys if their value is an object. */
function payloadKeysOf(object: FilterObject): string[] {
  return Object.keys(object).filter((key) => !isOperator(object, key));
}

function countLeaf(walk: Walk, path: Path): void {
  walk.leaves += 1;
  if (walk.leaves === PATTERN_LIMITS.maxLeaves + 1) walk.leafOverLimit = path;
}

function reportLeaves(walk: Walk): void {
  const stopped = walk.fieldsVisited >= MAX_FIELDS_VISITED;
  if (walk.leafOverLimit === null && !stopped) return;
  const count = stopped ? `more than ${MAX_FIELDS_VISITED} fields` : countOf(walk.leaves, 'leaf field');
  const message = `The filter has ${count}. The limit is ${PATTERN_LIMITS.maxLeaves} leaf fields.`;
  report(walk, walk.leafOverLimit ?? [], 'filter/too-many-leaves', message);
}

function reportUnlisted(walk: Walk): void {
  if (walk.unlisted === 0) return;
  const message = `${countOf(walk.unlisted, 'more problem')} not listed.`;
  walk.problems.push({ path: [], rule: 'filter/more-problems', message, hint: PATTERN_RULES['filter/more-problems'] });
}

const MAX_HINT_LENGTH = 120;

/** The probable list: YAML reads `failed, passed` as one string. */
function hintAtList(value: unknown): string {
  if (!isScalar(value)) return PATTERN_RULES['filter/not-a-list'];
  const values = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : [value];
  const list = JSON.stringify(values).replaceAll('","', '", "');
  const isUnclear = values.some((each) => each === '') || list.length > MAX_HINT_LENGTH;
  return isUnclear ? PATTERN_RULES['filter/not-a-list'] : `Write a list, also for a single value: ${list}.`;
}

function report(walk: Walk, path: Path, rule: PatternRule, message: string, hint: string = PATTERN_RULES[rule]): void {
  if (walk.problems.length < MAX_PROBLEMS) {
    walk.problems.push({ path: [...path], rule, message, hint });
  } else {
    walk.unlisted += 1;
  }
}
