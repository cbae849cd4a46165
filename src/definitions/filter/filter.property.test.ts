import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Condition,
  filter,
  filterAndPayload,
  naiveIsObject,
  OPERATORS,
  type Value,
} from '../../../test/helpers/any-filter.ts';
import { anyText } from '../../../test/helpers/any-text.ts';
import { compilePayload } from '../../../test/helpers/payload-filter.ts';
import { parsePattern } from './parse-pattern.ts';
import type { PatternField } from './pattern.ts';

/** A payload that meets every condition of a filter, made from the filter alone. */
function composeWitness(fields: readonly PatternField[]): { [key: string]: Value } {
  const present = fields.filter(({ condition }) => condition.kind === 'object' || condition.exists !== false);
  return Object.fromEntries(present.map(({ key, condition }) => [key, chooseValue(condition)]));
}

function chooseValue(condition: PatternField['condition']): Value {
  if (condition.kind === 'object') return composeWitness(condition.fields);
  return condition.in?.[0] ?? (condition.in === null ? 'a value that no filter here lists' : null);
}

// The decisions read a second time, straight from the filter as written: slow, plain, and shared with nothing in src.
function naiveMatches(filter: Condition, payload: Value): boolean {
  return Object.keys(filter).length === 0 || naiveNested(filter, payload);
}

function naiveNested(pattern: Condition, value: Value): boolean {
  const objects = (Array.isArray(value) ? value : [value]).filter(naiveIsObject);
  return objects.some((object) => {
    const own = new Map<string, Value>(Object.entries(object));
    return Object.entries(pattern).every(([key, condition]) =>
      naiveField(condition as Condition, own.has(key), own.get(key)!),
    );
  });
}

function naiveField(condition: Condition, present: boolean, value: Value): boolean {
  if (Array.isArray(condition)) return present && naiveOverlaps(condition, value);
  const entries = Object.entries(condition);
  if (!entries.some(([key, operand]) => OPERATORS.includes(key) && !naiveIsObject(operand))) {
    return present && naiveNested(condition, value);
  }
  return entries.every(([operator, operand]) => {
    if (operator === 'exists') return operand === present;
    if (operator === 'in') return present && naiveOverlaps(operand as Value[], value);
    return !present || !naiveOverlaps(operand as Value[], value);
  });
}

function naiveOverlaps(listed: Value[], value: Value): boolean {
  const scalars = (Array.isArray(value) ? value : [value]).filter((one) => one === null || typeof one !== 'object');
  return scalars.some((one) => listed.some((other) => one === other));
}

const TITLE = 'compiled filters match like a direct reading of the decisions, and explain their result';
test(TITLE, () => compareReadings(2_500));
test(`${TITLE}, in more cases`, { tags: 'full' }, () => compareReadings(10_000));

function compareReadings(numRuns: number): void {
  const results = { true: 0, false: 0, empty: 0 };
  fc.assert(
    fc.property(filterAndPayload, ([written, body]) => {
      const parsed = parsePattern(written);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const compiled = compilePayload(parsed.pattern);
      const expected = naiveMatches(written, body);
      expect(compiled.matches(body)).toBe(expected);

      const { matched, trace, decidedBy } = compiled.explain(body);
      expect(matched).toBe(expected);
      expect(trace.every((entry) => entry.matched)).toBe(matched);
      expect(decidedBy).toBe(trace.find((entry) => !entry.matched) ?? null);
      expect(compiled.findDecidingEntry(body)).toEqual(decidedBy);
      results[Object.keys(written).length === 0 ? 'empty' : expected ? 'true' : 'false'] += 1;
    }),
    { numRuns },
  );
  // A generator whose filters never or always match would show nothing.
  expect(results.true).toBeGreaterThan(numRuns / 20);
  expect(results.false).toBeGreaterThan(numRuns / 20);
}

test('a filter gives the same result after a round trip through JSON', () => {
  fc.assert(
    fc.property(filterAndPayload, ([written, body]) => {
      const direct = parsePattern(written);
      const carried = parsePattern(JSON.parse(JSON.stringify(written)));
      if (!direct.ok || !carried.ok) throw new Error('A valid filter was rejected.');
      const text: unknown = JSON.parse(JSON.stringify(body));
      expect(compilePayload(carried.pattern).matches(text)).toBe(compilePayload(direct.pattern).matches(body));
    }),
    { numRuns: 2000 },
  );
});

test('any string equals itself and no other string, in any payload that JSON can carry', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (one, other) => {
      const parsed = parsePattern({ v: [one] });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const { matches } = compilePayload(parsed.pattern);
      expect(matches({ v: one })).toBe(true);
      expect(matches({ v: other })).toBe(one === other);
      expect(matches(JSON.parse(JSON.stringify({ v: [other, one] })))).toBe(true);
    }),
  );
});

test('every accepted filter matches some payload; contradictions are rejected', () => {
  fc.assert(
    fc.property(filter, (written) => {
      const parsed = parsePattern(written);
      fc.pre(parsed.ok);
      expect(compilePayload(parsed.pattern).matches(composeWitness(parsed.pattern.fields))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
