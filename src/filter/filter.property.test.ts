import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/helpers/any-text.ts';
import { compilePattern } from './compile-pattern.ts';
import { parsePattern } from './parse-pattern.ts';
import type { PatternField } from './pattern.ts';

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
type Condition = { [key: string]: Value } | Value[];

// Few names and few values, so that filters and payloads meet; names that objects inherit are among them.
const KEYS = ['a', 'b', 'constructor', '__proto__', 'toString', 'length', 'hasOwnProperty', ''];
const OPERATORS = ['in', 'not_in', 'exists'];
const SCALARS = ['x', 'X', '1', '', 'true', 'null', 0, -0, 1, 1.5, 2 ** 53, 2 ** 53 + 2, true, false, null];

const scalar = fc.constantFrom<Value>(...SCALARS);
const values = fc.array(scalar, { minLength: 1, maxLength: 4 });

const { payload } = fc.letrec<{ payload: Value; object: Value }>((tie) => ({
  payload: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    { arbitrary: fc.array(tie('payload'), { maxLength: 3 }), weight: 2 },
    { arbitrary: tie('object'), weight: 4 },
  ),
  object: objectOf(fc.constantFrom(...KEYS, ...OPERATORS), tie('payload')),
}));

const operators = fc
  .record({ in: values, not_in: values, exists: fc.boolean() }, { requiredKeys: [] })
  .map(withoutContradiction)
  .filter((condition) => Object.keys(condition).length > 0);

const { filter } = fc.letrec<{ filter: Condition; condition: Condition }>((tie) => ({
  // A field named like an operator takes an object only: with anything else under it, it is the operator.
  filter: fc
    .tuple(
      objectOf(fc.constantFrom(...KEYS), tie('condition')),
      fc.oneof(
        { arbitrary: fc.constant({}), weight: 3 },
        objectOf(fc.constantFrom(...OPERATORS), fc.oneof(operators, tie('filter') as fc.Arbitrary<Condition>)),
      ),
    )
    .map(([plain, named]) => Object.fromEntries([...Object.entries(plain), ...Object.entries(named)])),
  condition: fc.oneof({ maxDepth: 3, withCrossShrink: true }, values, operators, tie('filter')),
}));

/** A payload that comes near to matching: most fields as the filter asks, some not, some in arrays. */
function payloadNear(condition: Condition): fc.Arbitrary<Value> {
  const fields = Object.entries(condition).map(([key, wanted]) =>
    fc.tuple(fc.constant(key), valueNear(wanted as Condition), fc.integer({ min: 0, max: 9 })),
  );
  const object = fc
    .tuple(...fields)
    .map((entries) => Object.fromEntries(entries.filter(([, , dice]) => dice > 0).map(([key, value]) => [key, value])));
  const array = fc.tuple(payload, object, object).map((elements) => elements as Value[]);
  return fc.oneof({ arbitrary: object, weight: 3 }, array);
}

function valueNear(condition: Condition): fc.Arbitrary<Value> {
  const listed = Array.isArray(condition) ? condition : Array.isArray(condition.in) ? condition.in : SCALARS;
  const isLeaf =
    Array.isArray(condition) || OPERATORS.some((key) => key in condition && !naiveIsObject(condition[key]!));
  if (!isLeaf) return fc.oneof({ arbitrary: payloadNear(condition), weight: 5 }, payload);
  const one = fc.constantFrom(...listed);
  const some = fc.tuple(one, payload).map((elements) => elements as Value[]);
  return fc.oneof({ arbitrary: one, weight: 4 }, some, payload);
}

const filterAndPayload = filter.chain((written) =>
  fc.tuple(fc.constant(written), fc.oneof({ arbitrary: payloadNear(written), weight: 3 }, payload)),
);

/** A payload that meets every condition of a filter, made from the filter alone. */
function composeWitness(fields: readonly PatternField[]): { [key: string]: Value } {
  const present = fields.filter(({ condition }) => condition.kind === 'object' || condition.exists !== false);
  return Object.fromEntries(present.map(({ key, condition }) => [key, chooseValue(condition)]));
}

function chooseValue(condition: PatternField['condition']): Value {
  if (condition.kind === 'object') return composeWitness(condition.fields);
  return condition.in?.[0] ?? (condition.in === null ? 'a value that no filter here lists' : null);
}

/** Own fields with any names, also `__proto__`. */
function objectOf<T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>): fc.Arbitrary<{ [key: string]: T }> {
  return fc.array(fc.tuple(key, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

function withoutContradiction(condition: { in?: Value[]; not_in?: Value[]; exists?: boolean }): {
  [key: string]: Value;
} {
  const notIn = condition.not_in?.filter((value) => !condition.in?.some((other) => other === value)) ?? [];
  const exists = condition.exists === false && condition.in ? undefined : condition.exists;
  return {
    ...(exists === undefined ? {} : { exists }),
    ...(notIn.length > 0 ? { not_in: notIn } : {}),
    ...(condition.in ? { in: condition.in } : {}),
  };
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

function naiveIsObject(value: Value): value is { [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

test('compiled filters match like a direct reading of the decisions, and explain their result', () => {
  const results = { true: 0, false: 0, empty: 0 };
  fc.assert(
    fc.property(filterAndPayload, ([written, body]) => {
      const parsed = parsePattern(written);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const compiled = compilePattern(parsed.pattern);
      const expected = naiveMatches(written, body);
      expect(compiled.matches(body)).toBe(expected);

      const { matched, trace, decidedBy } = compiled.explain(body);
      expect(matched).toBe(expected);
      expect(trace.every((entry) => entry.matched)).toBe(matched);
      expect(decidedBy).toBe(trace.find((entry) => !entry.matched) ?? null);
      expect(compiled.findDecidingEntry(body)).toEqual(decidedBy);
      results[Object.keys(written).length === 0 ? 'empty' : expected ? 'true' : 'false'] += 1;
    }),
    { numRuns: 10_000 },
  );
  // A generator whose filters never or always match would show nothing.
  expect(results.true).toBeGreaterThan(500);
  expect(results.false).toBeGreaterThan(500);
});

test('a filter gives the same result after a round trip through JSON', () => {
  fc.assert(
    fc.property(filterAndPayload, ([written, body]) => {
      const direct = parsePattern(written);
      const carried = parsePattern(JSON.parse(JSON.stringify(written)));
      if (!direct.ok || !carried.ok) throw new Error('A valid filter was rejected.');
      const text: unknown = JSON.parse(JSON.stringify(body));
      expect(compilePattern(carried.pattern).matches(text)).toBe(compilePattern(direct.pattern).matches(body));
    }),
    { numRuns: 2000 },
  );
});

test('any string equals itself and no other string, in any payload that JSON can carry', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (one, other) => {
      const parsed = parsePattern({ v: [one] });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const { matches } = compilePattern(parsed.pattern);
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
      expect(compilePattern(parsed.pattern).matches(composeWitness(parsed.pattern.fields))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
