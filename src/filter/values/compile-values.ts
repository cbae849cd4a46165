import type { Comparison, Source } from '../../triggers/trigger-event.ts';
import type { ValueCondition } from '../../triggers/trigger-pattern.ts';
import { compileMatcher } from './compile-matcher.ts';
import { compileSource, listPaths, type Value, type Visit, visitSource } from './read-source.ts';

/** A condition on values, ready to be evaluated. It has no state. */
export interface CompiledValues {
  condition: ValueCondition;
  /** The keys that are read, from the root of the payload. The elements of an array count as its value. */
  paths: readonly (readonly string[])[];
  /** Whether all operators hold. Stops at the first value that decides. */
  matches(payload: unknown): boolean;
  /** Whether `in` lists one of the values. */
  isIncluded(payload: unknown): boolean;
  /** Whether `not_in` lists one of the values. */
  isExcluded(payload: unknown): boolean;
  /** The first values that `in` and `exists` look at, and those that `not_in` looks at, as received. For explanations. */
  read(payload: unknown): { in: string[]; notIn: string[] };
}

/** Explanations name no more values than this. */
const MAX_VALUES_READ = 100;

export function compileValues(condition: ValueCondition): CompiledValues {
  const { compare, exists, from, notInFrom } = condition;
  const included = compileSide(compare, condition.in, from);
  const excluded = compileSide(compare, condition.notIn, notInFrom);
  return {
    condition,
    paths: [...listNeeded(exists || condition.in !== null, from), ...listNeeded(condition.notIn !== null, notInFrom)],
    matches: (payload) =>
      (!exists || included.some(payload, () => true)) &&
      (condition.in === null || included.isListed(payload)) &&
      (condition.notIn === null || !excluded.isListed(payload)),
    isIncluded: included.isListed,
    isExcluded: excluded.isListed,
    read: (payload) => ({ in: included.read(payload), notIn: excluded.read(payload) }),
  };
}

function listNeeded(isNeeded: boolean, sources: readonly Source[]): (readonly string[])[] {
  return isNeeded ? sources.flatMap(listPaths) : [];
}

function compileSide(compare: Comparison, listed: readonly string[] | null, from: readonly Source[]) {
  const sources = from.map(compileSource);
  const isEqual = compileMatcher(compare, listed ?? []);
  const visitAll = (payload: unknown, visit: Visit) => sources.every((source) => visitSource(source, payload, visit));
  const some = (payload: unknown, holds: (value: Value) => boolean) => !visitAll(payload, (value) => !holds(value));
  return {
    some,
    isListed: (payload: unknown) => some(payload, isEqual),
    read: (payload: unknown) => {
      const values: string[] = [];
      visitAll(payload, (value) => {
        values.push(String(value));
        return values.length < MAX_VALUES_READ;
      });
      return values;
    },
  };
}
