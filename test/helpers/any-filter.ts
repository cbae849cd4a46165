import fc from 'fast-check';

/** Any JSON value. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
/** A condition of a filter, as written. */
export type Condition = { [key: string]: Value } | Value[];

// Few names and few values, so that filters and payloads meet; names that objects inherit are among them.
const KEYS = ['a', 'b', 'constructor', '__proto__', 'toString', 'length', 'hasOwnProperty', ''];
export const OPERATORS = ['in', 'not_in', 'exists'];
const SCALARS = ['x', 'X', '1', '', 'true', 'null', 0, -0, 1, 1.5, 2 ** 53, 2 ** 53 + 2, true, false, null];

const scalar = fc.constantFrom<Value>(...SCALARS);
const values = fc.array(scalar, { minLength: 1, maxLength: 4 });

export const { payload } = fc.letrec<{ payload: Value; object: Value }>((tie) => ({
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

export const { filter } = fc.letrec<{ filter: Condition; condition: Condition }>((tie) => ({
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
export function payloadNear(condition: Condition): fc.Arbitrary<Value> {
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

/** A valid filter, and a payload that often matches it or nearly does. */
export const filterAndPayload = filter.chain((written) =>
  fc.tuple(fc.constant(written), fc.oneof({ arbitrary: payloadNear(written), weight: 3 }, payload)),
);

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

export function naiveIsObject(value: Value): value is { [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
