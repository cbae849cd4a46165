import type { DeliveryFilter } from '../../domain/definitions/trigger.ts';
import { isJsonObject } from '../../domain/json.ts';
import { compileTrigger } from '../triggers/compile-trigger.ts';
import { excludeActors } from '../triggers/ignored-actors.ts';
import type { TriggerPattern, ValueCondition } from '../triggers/trigger-pattern.ts';
import { describeValue } from './describe-value.ts';
import { findOperatorLookalikes } from './find-operator-lookalikes.ts';
import { PATTERN_RULES, type ParsedPattern, type PatternProblem, parsePattern } from './parse-pattern.ts';
import type { FilterPattern, PatternField } from './pattern.ts';

/** The parts of a filter that people write. */
type WrittenPart = 'headers' | 'payload';

/** One problem of a part of a filter. `path` begins at the part. */
export interface FilterProblem extends PatternProblem {
  part: WrittenPart;
}

/** A filter of deliveries that nobody has checked: any JSON or YAML in each part. */
export type AnyFilter = { readonly [Part in WrittenPart]?: unknown } & Pick<DeliveryFilter, 'trigger' | 'ignored'>;

type ParsedFilter = { ok: true; pattern: FilterPattern } | { ok: false; problems: FilterProblem[] };

/**
 * Reads a filter of deliveries that somebody writes and reports all its problems, also those that stored filters may have.
 * Never throws.
 */
export function parseWrittenFilter(filter: AnyFilter): ParsedFilter {
  const parsed = parseFilter(filter);
  const lookalikes = [...findLookalikesIn(filter.headers, 'headers'), ...findLookalikesIn(filter.payload, 'payload')];
  if (lookalikes.length === 0) return parsed;
  return { ok: false, problems: [...lookalikes, ...omitConsequences(problemsIn(parsed), lookalikes)] };
}

function findLookalikesIn(filter: unknown, part: WrittenPart): FilterProblem[] {
  return findOperatorLookalikes(filter).map((problem) => ({ ...problem, part }));
}

/** The problems that a key has only because it is not the operator that it looks like. */
function omitConsequences(problems: readonly FilterProblem[], lookalikes: readonly FilterProblem[]): FilterProblem[] {
  const placeOf = ({ part, path }: Pick<FilterProblem, 'part' | 'path'>) => JSON.stringify([part, ...path]);
  const keys = new Set(lookalikes.map(placeOf));
  const maps = new Set(lookalikes.map(({ part, path }) => placeOf({ part, path: path.slice(0, -1) })));
  const isConsequence = (problem: FilterProblem) =>
    keys.has(placeOf(problem)) || (problem.rule === 'filter/mixed-operators' && maps.has(placeOf(problem)));
  return problems.filter((problem) => !isConsequence(problem));
}

function problemsIn(parsed: ParsedFilter): readonly FilterProblem[] {
  return parsed.ok ? [] : parsed.problems;
}

/** Reads a filter of deliveries and reports all its problems. Never throws. */
export function parseFilter(filter: AnyFilter): ParsedFilter {
  const headers = parsePart(filter.headers, parseHeaderPattern);
  const payload = parsePart(filter.payload, parsePattern);
  if (headers.ok && payload.ok) {
    const fields = { headers: headers.pattern.fields, payload: payload.pattern.fields };
    return { ok: true, pattern: { ...fields, event: null, values: [] } };
  }
  return { ok: false, problems: [...problemsOf(headers, 'headers'), ...problemsOf(payload, 'payload')] };
}

type ParsedFilters = { ok: true; patterns: FilterPattern[] } | Extract<ParsedFilter, { ok: false }>;

/**
 * Reads what one trigger requires of deliveries: a match of any of the patterns suffices. A provider trigger has one for each
 * kind of delivery; none if it cannot be evaluated. Never throws.
 */
export function parseTriggerFilter(filter: AnyFilter): ParsedFilters {
  const parsed =
    filter.trigger === undefined ? [parseFilter(filter)] : compileTrigger(filter.trigger).map(parseTriggerPattern);
  const problems = parsed.flatMap((one) => (one.ok ? [] : one.problems));
  if (problems.length > 0) return { ok: false, problems };
  const excluded = filter.ignored === undefined ? [] : excludeActors(filter.ignored);
  return { ok: true, patterns: parsed.flatMap((one) => (one.ok ? [addConditions(one.pattern, excluded)] : [])) };
}

function addConditions(pattern: FilterPattern, values: readonly ValueCondition[]): FilterPattern {
  return values.length === 0 ? pattern : { ...pattern, values: [...values, ...pattern.values] };
}

function parseTriggerPattern({ event, headers, payload, values }: TriggerPattern): ParsedFilter {
  const parsed = parseFilter(Object.keys(headers).length === 0 ? { payload } : { headers, payload });
  return parsed.ok ? { ok: true, pattern: { ...parsed.pattern, event, values } } : parsed;
}

function parsePart(part: unknown, parse: (part: unknown) => ParsedPattern): ParsedPattern {
  return part === undefined ? { ok: true, pattern: { fields: [] } } : parse(part);
}

function problemsOf(parsed: ParsedPattern, part: FilterProblem['part']): FilterProblem[] {
  return parsed.ok ? [] : parsed.problems.map((problem) => ({ ...problem, part }));
}

/**
 * Reads a filter of request headers: the grammar of a payload filter with one level, texts as values, and names that are
 * compared in any letter case.
 */
function parseHeaderPattern(filter: unknown): ParsedPattern {
  if (!isJsonObject(filter)) {
    const message = `The filter of headers must be an object, but is ${describeValue(filter)}.`;
    return { ok: false, problems: [problemAt([], message)] };
  }
  const parsed = parsePattern(filter);
  if (!parsed.ok) return parsed;
  const problems = findHeaderProblems(parsed.pattern.fields);
  if (problems.length > 0) return { ok: false, problems };
  const fields = parsed.pattern.fields.map(({ key, condition }) => ({ key: key.toLowerCase(), condition }));
  return { ok: true, pattern: { fields } };
}

/** RFC 9110, section 5.6.2. */
const FIELD_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

function findHeaderProblems(fields: readonly PatternField[]): PatternProblem[] {
  const names = new Set<string>();
  return fields.flatMap((field) => {
    const { key } = field;
    if (!FIELD_NAME.test(key)) return problemAt([key], `${describeValue(key)} is not the name of a header.`);
    if (names.has(key.toLowerCase())) {
      return problemAt([key], `The header ${key} is named twice. The case of its letters does not matter.`);
    }
    names.add(key.toLowerCase());
    return findConditionProblem(field);
  });
}

function findConditionProblem({ key, condition }: PatternField): PatternProblem[] {
  if (condition.kind === 'object')
    return [problemAt([key], `The header ${key} is a text, so nothing can be nested in it.`)];
  const values = [...(condition.in ?? []), ...(condition.notIn ?? [])];
  const other = values.find((value) => typeof value !== 'string');
  if (other === undefined) return [];
  const quoted = JSON.stringify(String(other));
  const message = `The header ${key} is a text, and never equals ${describeValue(other)}.`;
  return [{ ...problemAt([key], message), hint: `Write a text in quotes: ${quoted}.` }];
}

function problemAt(path: PatternProblem['path'], message: string): PatternProblem {
  return { path, rule: 'filter/bad-header', message, hint: PATTERN_RULES['filter/bad-header'] };
}
