import { countOf } from '../../domain/words/quantities.ts';
import { describeValue } from './describe-value.ts';
import { isScalar, type Scalar } from './pattern.ts';

const MAX_VALUES_NAMED = 8;

/** `exists`: the key is present or absent. */
export function sayExists(path: string, value: unknown, expected: boolean): string {
  if (value === undefined) return `${path} is absent, ${expected ? 'expected to be present' : 'as expected'}`;
  return expected ? `${path} is present, as expected` : `${path} is ${describeValue(value)}, expected to be absent`;
}

/** `in`: the value, or an element of the array, is listed. */
export function sayIn(path: string, value: unknown, listed: readonly Scalar[], matched: boolean): string {
  const is = `${path} is ${describeValue(value)}`;
  if (matched) return `${is}, as expected (${nameValues(listed)})`;
  const nearMiss = explainNearMiss(value, listed);
  return `${is}, expected ${Array.isArray(value) ? 'an element that is ' : ''}${nameValues(listed)}${nearMiss}`;
}

/** `not_in`: neither the value nor any element of the array is listed. `set` is what the operator lists. */
export function sayNotIn(path: string, value: unknown, set: ReadonlySet<unknown>, matched: boolean): string {
  if (value === undefined) return `${path} is absent, so it has none of the values that not_in excludes`;
  const is = `${path} is ${describeValue(value)}`;
  if (matched) return `${is}, none of the values that not_in excludes`;
  if (!Array.isArray(value)) return `${is}, which not_in excludes`;
  const found = value.find((element) => set.has(element));
  return `${is}; not_in excludes its element ${describeValue(found)}`;
}

/** Some value of a provider trigger must exist, or none. */
export function sayValueExists(subject: string, expected: boolean, matched: boolean): string {
  const has =
    expected === matched
      ? `the delivery has ${subject}`
      : `the delivery has no ${subject.replace(/^(?:an?|the) /, '')}`;
  return matched ? `${has}, as expected` : has;
}

/** A required value does not exist, and another one explains why. */
export function saySeen(path: string, value: string, because: string): string {
  return `${path} is ${describeValue(value)}, ${because}`;
}

/** `in` of a key of a provider trigger: one of the values is listed. */
export function sayValuesIn(
  { key, subject, whyNone }: { key: string; subject: string; whyNone: string | undefined },
  found: readonly string[],
  listed: readonly string[],
  matched: boolean,
): string {
  const expected = `${key} expected ${nameValues(listed)}`;
  if (found.length === 0) {
    return `${expected}, the delivery has no value for it${whyNone === undefined ? '' : ` (${whyNone})`}`;
  }
  return `${expected}, ${matched ? 'as found: ' : ''}${subject} ${found.length === 1 ? 'is' : 'are'} ${listValues(found)}`;
}

/** `not_in` of a key of a provider trigger: none of the values is listed. */
export function sayValuesNotIn(
  key: string,
  found: readonly string[],
  listed: readonly string[],
  matched: boolean,
): string {
  if (matched) return `${key} has none of the values that not_in excludes (${listValues(listed)})`;
  return `${key} excludes ${nameValues(listed)}, the delivery has ${listValues(found)}`;
}

function listValues(values: readonly string[]): string {
  const named = values.slice(0, MAX_VALUES_NAMED).map(describeValue).join(', ');
  const rest = values.length - MAX_VALUES_NAMED;
  return rest > 0 ? `${named} and ${countOf(rest, 'more value')}` : named;
}

/** A nested pattern on an object. The keys below have separate entries. */
export function sayObject(path: string): string {
  return `${path} is an object, as expected`;
}

/** A nested pattern on a value that is not an object. */
export function sayObjectMissing(path: string, value: unknown, asksForAbsence: boolean): string {
  const is = `${subject(path)} is ${describeValue(value)}, expected an object or an array with an object`;
  if (value !== undefined || !asksForAbsence) return is;
  return `${is}: "exists": false below ${path} requires an object without that key, and no object exists`;
}

/** A nested pattern on an array with a matching element. */
export function sayElement(path: string, elementPath: string): string {
  return `${elementPath} is the first object in ${subject(path, 'the payload')} that matches the whole nested pattern`;
}

/** A nested pattern on an array without a matching element; `reason` is the first mismatch of the closest element. */
export function sayClosest(path: string, objectCount: number, elementPath: string, reason: string): string {
  const where = subject(path, 'the payload');
  if (objectCount === 1) return `The only object in ${where} does not match the nested pattern: ${reason}`;
  return `None of the ${objectCount} objects in ${where} matches the whole nested pattern; the closest is ${elementPath}: ${reason}`;
}

function subject(path: string, root = 'The payload'): string {
  return path === '' ? root : path;
}

function nameValues(values: readonly Scalar[]): string {
  const named = values.slice(0, MAX_VALUES_NAMED).map(describeValue).join(', ');
  const rest = values.length - MAX_VALUES_NAMED;
  if (values.length === 1) return named;
  return `one of ${named}${rest > 0 ? ` or ${countOf(rest, 'more value')}` : ''}`;
}

/** Two mistakes that are hard to see: a value of another type that looks the same, and a difference in case. */
function explainNearMiss(value: unknown, listed: readonly Scalar[]): string {
  if (!isScalar(value)) return '';
  const text = String(value);
  const alike = listed.find((other) => typeof other !== typeof value && String(other) === text);
  if (alike !== undefined) return ` (${nameType(value)} is not ${nameType(alike)}: types are never converted)`;
  const folded = listed.some((other) => typeof other === 'string' && other.toLowerCase() === text.toLowerCase());
  return folded ? ' (upper and lower case differ)' : '';
}

function nameType(value: Scalar): string {
  return value === null ? 'null' : `a ${typeof value}`;
}
