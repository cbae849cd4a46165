import type { Comparison, Source } from '../../triggers/trigger-event.ts';
import type { ValueCondition } from '../../triggers/trigger-pattern.ts';
import { compileMatcher, type Form } from './compile-matcher.ts';
import { compileSource, listPaths, type Value, type Visit, visitSource } from './read-source.ts';

export type { Form } from './compile-matcher.ts';

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
  /** The value that explains why a required one does not exist; `undefined` if it is absent. */
  readSeen(payload: unknown): string | undefined;
  /** What `in` lists, for an index of conditions; `null` if it lists nothing, or is compared in parts. */
  listing: ValueListing | null;
}

/** Values of which a payload must have one. */
export interface ValueListing {
  /** Equal for conditions that read the same values and compare them in the same way. */
  id: string;
  forms: ReadonlySet<Form>;
  /** Visits the forms of the values of a payload. */
  visitForms(payload: unknown, visit: (form: Form) => void): void;
}

/** Explanations name no more values than this. */
const MAX_VALUES_READ = 100;

export function compileValues(condition: ValueCondition): CompiledValues {
  const { compare, exists, from, notInFrom } = condition;
  const included = compileSide(compare, condition.in, from);
  const excluded = compileSide(compare, condition.notIn, notInFrom);
  const { otherwise } = condition;
  const seen = compileSide('exact', null, otherwise === undefined ? [] : [{ path: otherwise.seen }]);
  return {
    condition,
    paths: [
      ...listNeeded(exists !== null || condition.in !== null, from),
      ...listNeeded(condition.notIn !== null, notInFrom),
    ],
    matches: (payload) =>
      (exists === null || exists === included.some(payload, () => true)) &&
      (condition.in === null || included.isListed(payload)) &&
      (condition.notIn === null || !excluded.isListed(payload)),
    isIncluded: included.isListed,
    isExcluded: excluded.isListed,
    read: (payload) => ({ in: included.read(payload), notIn: excluded.read(payload) }),
    readSeen: (payload) => seen.read(payload)[0],
    listing: condition.in === null ? null : included.listing,
  };
}

function listNeeded(isNeeded: boolean, sources: readonly Source[]): (readonly string[])[] {
  return isNeeded ? sources.flatMap(listPaths) : [];
}

function compileSide(compare: Comparison, listed: readonly string[] | null, from: readonly Source[]) {
  const sources = from.map(compileSource);
  const { matches, forms, toForm } = compileMatcher(compare, listed ?? []);
  const visitAll = (payload: unknown, visit: Visit) => sources.every((source) => visitSource(source, payload, visit));
  const some = (payload: unknown, holds: (value: Value) => boolean) => !visitAll(payload, (value) => !holds(value));
  const listing: ValueListing | null = forms && {
    id: JSON.stringify([compare, from]),
    forms,
    visitForms: (payload, visit) => {
      visitAll(payload, (value) => {
        visit(toForm(value));
        return true;
      });
    },
  };
  return {
    some,
    listing,
    isListed: (payload: unknown) => some(payload, matches),
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
