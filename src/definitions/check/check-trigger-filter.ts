import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { suggest } from '../../domain/suggest.ts';
import type { FileProblem } from '../file-diagnostics.ts';
import { COMPARISONS } from '../filter/values/comparisons.ts';
import type { FilterKey, ServedKey, TriggerEvent, ValueForm } from '../triggers/trigger-event.ts';
import { type KeyPath, quote } from '../yaml/key-path.ts';

/** A problem of a trigger, before its position is known. */
export interface TriggerProblem extends Omit<FileProblem, 'at'> {
  /** The part of the pair at `path` that has the problem. */
  on: 'key' | 'value';
}

/** Where a filter is: the name of its trigger for people, and its path in the file. */
interface Trail {
  trigger: string;
  path: KeyPath;
}

type Operator = 'in' | 'not_in';

/** Most values of one list that are checked one by one. A definition needs far fewer. */
const MAX_LISTED = 1000;

/** Checks the filter of a trigger of a known event. `null` imposes nothing. */
export function checkTriggerFilter(event: TriggerEvent, filter: Json, trail: Trail): TriggerProblem[] {
  if (filter !== null && !isJsonObject(filter)) {
    const message = `The filter of a trigger must be a map of keys, but is ${quote(filter)}.`;
    return [problem('automation/wrong-type', trail.path, message, 'Write each key with a list of values.')];
  }
  const declared = filter ?? {};
  return [
    ...Object.entries(declared).flatMap(([key, condition]) => checkKey(event, key, condition, trail)),
    ...findMissingKeys(event, declared, trail),
  ];
}

function checkKey(event: TriggerEvent, key: string, condition: Json, { trigger, path }: Trail): TriggerProblem[] {
  const at = [...path, key];
  const known = Object.hasOwn(event.keys, key) ? event.keys[key] : undefined;
  if (known === undefined) return [describeUnknownKey(Object.keys(event.keys), key, { trigger, path: at })];
  const problems = checkCondition(known, key, condition, at);
  if (!('unserved' in known) || imposesNothing(condition)) return problems;
  const message = `The filter key ${quote(key)} of ${trigger} cannot be evaluated: ${known.unserved}. The trigger never starts here.`;
  const hint = 'Remove the key, and let the prompt check the condition.';
  return [{ rule: 'automation/key-not-served', path: at, on: 'key', message, hint }, ...problems];
}

function describeUnknownKey(known: readonly string[], key: string, { trigger, path }: Trail): TriggerProblem {
  const meant = suggest(key, known);
  const message = `The filter of ${trigger} has no key ${quote(key)}.`;
  const hint = meant === null ? `Keys: ${known.join(', ')}.` : `Did you mean ${quote(meant)}?`;
  return { rule: 'automation/unknown-key', path, on: 'key', message, hint };
}

function imposesNothing(condition: Json): boolean {
  if (condition === null) return true;
  if (Array.isArray(condition)) return condition.length === 0;
  return isJsonObject(condition) && Object.values(condition).every(imposesNothing);
}

function checkCondition(known: FilterKey, key: string, condition: Json, path: KeyPath): TriggerProblem[] {
  if (condition === null) return [];
  if (Array.isArray(condition)) return checkList(known, 'in', condition, path);
  if (!isJsonObject(condition)) {
    const message = `The filter key ${quote(key)} must be a list, or an object with "in" and "not_in", but is ${quote(condition)}.`;
    return [
      problem(
        'automation/wrong-type',
        path,
        message,
        `Write a list, also for a single value: ${key}: [${quote(condition)}].`,
      ),
    ];
  }
  return [
    ...Object.entries(condition).flatMap(([operator, list]) =>
      checkOperator(known, operator, list, [...path, operator]),
    ),
    ...findContradiction(known, key, condition, path),
  ];
}

function checkOperator(known: FilterKey, operator: string, list: Json, path: KeyPath): TriggerProblem[] {
  if (operator !== 'in' && operator !== 'not_in') {
    const message = `${quote(operator)} is not an operator.`;
    return [{ ...problem('automation/unknown-key', path, message, 'The operators are "in" and "not_in".'), on: 'key' }];
  }
  if (list === null) return [];
  if (Array.isArray(list)) return checkList(known, operator, list, path);
  const message = `"${operator}" must be a list of values, but is ${quote(list)}.`;
  return [problem('automation/wrong-type', path, message, 'Write a list, also for a single value.')];
}

function checkList(known: FilterKey, operator: Operator, list: readonly Json[], path: KeyPath): TriggerProblem[] {
  if (list.length === 0) {
    const message = 'An empty list imposes nothing: the trigger matches every value of this key.';
    return [problem('automation/empty-filter', path, message, 'List at least one value, or remove the key.')];
  }
  if (list.length > MAX_LISTED) {
    const message = `The list has ${list.length} values. The limit is ${MAX_LISTED}.`;
    return [problem('automation/invalid-value', path, message, 'Split the trigger into two.')];
  }
  if ('unserved' in known) return [];
  return [
    ...list.flatMap((value, index) => checkValue(known, value, [...path, index])),
    ...findUnknownValue(known, list, path),
    ...checkInclusion(known, operator, list, path),
  ];
}

function checkValue({ compare, form }: ServedKey, value: Json, path: KeyPath): TriggerProblem[] {
  if (compare === 'number') return checkNumber(value, path);
  if (typeof value !== 'string') {
    const message = `The values of this key are strings, but ${quote(value)} is not one.`;
    return [problem('automation/wrong-type', path, message, `Write it in quotes: ${quote(String(value))}.`)];
  }
  if (value.trim() === '') {
    return [problem('automation/invalid-value', path, 'The value is empty.', 'Remove it, or write a value.')];
  }
  return form === undefined || FORMS[form].pattern.test(value.trim()) ? [] : [describeForm(form, value, path)];
}

function checkNumber(value: Json, path: KeyPath): TriggerProblem[] {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return [];
  const rule = typeof value === 'number' ? 'automation/invalid-value' : 'automation/wrong-type';
  const message = `${quote(value)} is not the number of a pull request.`;
  return [problem(rule, path, message, 'Write an integer of at least 1, without quotes.')];
}

interface FormRow {
  pattern: RegExp;
  expected: string;
}

// Neither a URL nor a bare name, `owner/*` or a `.git` suffix.
const FORMS: { readonly [form in ValueForm]: FormRow } = {
  'github-repository': {
    pattern: /^(?!.*\.git$)[A-Za-z0-9][A-Za-z0-9_-]*\/[A-Za-z0-9._-]+$/i,
    expected: 'owner/name, for example acme/payments',
  },
  'gitlab-repository': {
    pattern: /^(?!.*\.git$)[\p{L}\p{N}_][\p{L}\p{N}_.-]*(?:\/[\p{L}\p{N}_][\p{L}\p{N}_.-]*)+$/iu,
    expected: 'the full path with all groups, for example acme/backend/payments',
  },
};

function describeForm(form: ValueForm, value: string, path: KeyPath): TriggerProblem {
  const message = `${quote(value)} is not the name of a repository.`;
  return problem('automation/invalid-value', path, message, `Write ${FORMS[form].expected}.`);
}

function findUnknownValue(
  { compare, known, aliases = {} }: ServedKey,
  list: readonly Json[],
  path: KeyPath,
): TriggerProblem[] {
  if (known === undefined) return [];
  const names = new Set([...known, ...Object.keys(aliases)]);
  const index = list.findIndex((value) => typeof value === 'string' && !names.has(COMPARISONS[compare](value)));
  if (index === -1) return [];
  const value = list[index] as string;
  const meant = suggest(value, names);
  const message = `${quote(value)} is not a known value of this key. No payload has it, unless the provider has added it.`;
  const hint = meant === null ? `Known values: ${known.join(', ')}.` : `Did you mean ${quote(meant)}?`;
  return [problem('automation/unknown-filter-value', [...path, index], message, hint)];
}

function checkInclusion(
  { required }: ServedKey,
  operator: Operator,
  list: readonly Json[],
  path: KeyPath,
): TriggerProblem[] {
  if (required === undefined) return [];
  if (operator === 'not_in') {
    const message = 'This key takes values to include only.';
    return [
      {
        ...problem('automation/invalid-value', path, message, 'List the values to include, and remove "not_in".'),
        on: 'key',
      },
    ];
  }
  if (required === 'some' || list.length === 1) return [];
  const message = `This key takes exactly one value, but ${list.length} are listed.`;
  return [problem('automation/invalid-value', path, message, 'Write a trigger for each value.')];
}

/** The first value that both operators list, compared as the key compares values. */
function findContradiction(known: FilterKey, key: string, condition: JsonObject, path: KeyPath): TriggerProblem[] {
  const { in: included, not_in: excluded } = condition;
  if ('unserved' in known || !Array.isArray(included) || !Array.isArray(excluded)) return [];
  const normalize = (value: Json) => normalizeListed(known, value);
  const ruledOut = new Set(excluded.map(normalize));
  const both = included.find((value) => ruledOut.has(normalize(value)));
  if (both === undefined) return [];
  const message = `"in" and "not_in" of ${quote(key)} both list ${quote(both)}.`;
  return [problem('filter/contradiction', path, message, 'Remove one of the two: no payload can match both.')];
}

/** A listed value in the form in which it is compared with payloads. */
export function normalizeListed({ compare, aliases = {} }: ServedKey, value: Json): Json {
  if (typeof value !== 'string') return value;
  const normal = COMPARISONS[compare](value);
  return aliases[normal] ?? normal;
}

function findMissingKeys(
  { keys, unserved }: TriggerEvent,
  filter: JsonObject,
  { trigger, path }: Trail,
): TriggerProblem[] {
  if (unserved !== undefined) return [];
  return Object.entries(keys).flatMap(([key, known]) => {
    if ('unserved' in known || known.required === undefined || !imposesNothing(filter[key] ?? null)) return [];
    const values = known.required === 'one' ? 'exactly one value' : 'at least one value';
    const message = `A trigger of ${trigger} requires the filter key ${quote(key)} with ${values}.`;
    const at = path.slice(0, -1);
    return [problem('automation/missing-key', at, message, `Add ${key}: [...] to the filter.`)];
  });
}

function problem(rule: TriggerProblem['rule'], path: KeyPath, message: string, hint: string): TriggerProblem {
  return { rule, path, on: 'value', message, hint };
}
