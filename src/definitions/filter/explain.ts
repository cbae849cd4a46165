import type { Received } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { formatHeader, formatPath, shortenText } from '../../domain/words/payload-filters.ts';
import type { ProviderEvent } from '../triggers/trigger-pattern.ts';
import { summarizeValue } from './describe-value.ts';
import {
  sayClosest,
  sayElement,
  sayExists,
  sayIn,
  sayNotIn,
  sayObject,
  sayObjectMissing,
  saySeen,
  sayValueExists,
  sayValuesIn,
  sayValuesNotIn,
} from './explain-message.ts';
import {
  type CompiledField,
  type CompiledFilter,
  type CompiledLeaf,
  type CompiledPart,
  isListed,
  leafHolds,
  objectHolds,
} from './match-payload.ts';
import type { Scalar } from './pattern.ts';
import { readField } from './read-field.ts';
import type { CompiledValues } from './values/compile-values.ts';

/** What one condition of the filter expected and found. */
export interface TraceEntry {
  /**
   * Path in the payload, array indexes included, for example `items[2].name`; `''` is the payload itself. For a request
   * header, its name: `header x-github-event`. For a provider trigger, the key of its filter, or `event`.
   */
  path: string;
  /** `object`: a nested pattern requires an object, or an array with an object that matches the whole pattern. */
  operator: 'in' | 'not_in' | 'exists' | 'object';
  /** The listed values, `true` or `false` for `exists`, `'object'` for a nested pattern; long strings are cut. */
  expected: Json;
  /** The value received: a scalar, a cut string, or a summary of an object or array; `null` if absent. */
  actual: Json;
  /** Is the key present? Distinguishes a `null` in the payload from an absent key. */
  present: boolean;
  matched: boolean;
  /** One sentence for people. */
  message: string;
}

/** Why a delivery matches or not. `matched` is true exactly if every entry of the trace matched. */
export interface Explanation {
  matched: boolean;
  /** In the order of the filter. Conditions below a key that is absent or not an object are omitted. */
  trace: TraceEntry[];
  /** The first entry that did not match; `null` if the payload matches. */
  decidedBy: TraceEntry | null;
}

/** Number of array elements that are compared to find the closest one. Bounded because of hostile arrays. */
const MAX_ELEMENTS_COMPARED = 100;

/** The path of the entry about the event of a provider trigger. */
export const EVENT_PATH = 'event';

type Path = readonly (string | number)[];

/** Evaluates every condition, where matching stops at the first that fails, and says what was asked and found. */
export function explainReceived(filter: CompiledFilter, received: Received): Explanation {
  const { parts, event, values } = filter;
  const trace = event === null ? traceParts(parts, received) : [traceEvent(parts, event, received)];
  // For another event, the conditions on values mean nothing.
  if (event === null || trace[0]!.matched) trace.push(...values.flatMap((one) => traceValues(one, received.payload)));
  const decidedBy = trace.find((entry) => !entry.matched) ?? null;
  return { matched: decidedBy === null, trace, decidedBy };
}

/**
 * The entry that `explainReceived` says decided; `null` where the delivery matches. Describes only that one, because
 * a backtest explains many deliveries.
 */
export function findDecidingEntry({ parts, event, values }: CompiledFilter, received: Received): TraceEntry | null {
  const decided = decideParts(parts, received);
  if (decided !== null) return event === null ? decided : traceEvent(parts, event, received);
  const failed = values.find((one) => !one.matches(received.payload));
  return failed === undefined ? null : traceValues(failed, received.payload).find((entry) => !entry.matched)!;
}

function decideParts(parts: readonly CompiledPart[], received: Received): TraceEntry | null {
  for (const { key, condition } of parts) {
    const decided =
      key === 'headers'
        ? (traceHeaders(condition.fields, received.headers).find((entry) => !entry.matched) ?? null)
        : decideObject(condition.fields, received.payload, []);
    if (decided !== null) return decided;
  }
  return null;
}

function traceParts(parts: readonly CompiledPart[], received: Received): TraceEntry[] {
  return parts.flatMap(({ key, condition: { fields } }) =>
    key === 'headers' ? traceHeaders(fields, received.headers) : tracePayload(fields, received.payload),
  );
}

/** The event in one entry, in the terms of the provider. */
function traceEvent(parts: readonly CompiledPart[], event: ProviderEvent, received: Received): TraceEntry {
  const decided = decideParts(parts, received);
  const matched = decided === null;
  const message = matched
    ? `the delivery is the event ${event.name} of ${event.trigger}`
    : `the delivery is not the event ${event.name} of ${event.trigger}: ${decided.message}`;
  const found = matched ? { actual: event.name, present: true } : { actual: decided.actual, present: decided.present };
  return { path: EVENT_PATH, operator: 'in', expected: [event.name], ...found, matched, message };
}

function traceValues(values: CompiledValues, payload: unknown): TraceEntry[] {
  const { key, subject, in: included, notIn, exists, otherwise, whyNone } = values.condition;
  const read = values.read(payload);
  const entries: TraceEntry[] = [];
  const add = (operator: TraceEntry['operator'], expected: Json, found: string[], matched: boolean, message: string) =>
    entries.push({ path: key, operator, expected, actual: found, present: found.length > 0, matched, message });
  if (exists !== null) {
    const matched = exists === read.in.length > 0;
    const seen = matched || otherwise === undefined ? undefined : values.readSeen(payload);
    const message =
      seen === undefined
        ? sayValueExists(subject, exists, matched)
        : saySeen(otherwise!.seen, seen, otherwise!.because);
    add('exists', exists, read.in, matched, message);
  }
  if (included !== null) {
    const matched = values.isIncluded(payload);
    add('in', [...included], read.in, matched, sayValuesIn({ key, subject, whyNone }, read.in, included, matched));
  }
  if (notIn !== null) {
    const matched = !values.isExcluded(payload);
    add('not_in', [...notIn], read.notIn, matched, sayValuesNotIn(key, read.notIn, notIn, matched));
  }
  return entries;
}

function traceHeaders(fields: readonly CompiledField[], headers: Received['headers']): TraceEntry[] {
  return fields.flatMap(({ key, condition }) =>
    condition.kind === 'leaf' ? traceLeaf(condition, readField(headers, key), formatHeader(key)) : [],
  );
}

function tracePayload(fields: readonly CompiledField[], payload: unknown): TraceEntry[] {
  return isJsonObject(payload) ? traceFields(fields, payload, []) : traceObject(fields, payload, []);
}

function decideFields(fields: readonly CompiledField[], object: object, path: Path): TraceEntry | null {
  for (const { key, condition } of fields) {
    const value = readField(object, key);
    const decided =
      condition.kind === 'leaf'
        ? decideLeaf(condition, value, path, key)
        : decideObject(condition.fields, value, [...path, key]);
    if (decided !== null) return decided;
  }
  return null;
}

function decideLeaf(leaf: CompiledLeaf, value: unknown, path: Path, key: string): TraceEntry | null {
  if (leafHolds(leaf, value)) return null;
  return traceLeaf(leaf, value, formatPath([...path, key])).find((entry) => !entry.matched)!;
}

/** Conditions below an array are part of the entry of the array, which comes first. */
function decideObject(fields: readonly CompiledField[], value: unknown, path: Path): TraceEntry | null {
  if (isJsonObject(value)) return decideFields(fields, value, path);
  return objectHolds(fields, value) ? null : traceObject(fields, value, path)[0]!;
}

function traceFields(fields: readonly CompiledField[], object: object, path: Path): TraceEntry[] {
  return fields.flatMap(({ key, condition }) => {
    const value = readField(object, key);
    const at = [...path, key];
    return condition.kind === 'leaf'
      ? traceLeaf(condition, value, formatPath(at))
      : traceObject(condition.fields, value, at);
  });
}

/** @param at the name of the value for people */
function traceLeaf(leaf: CompiledLeaf, value: unknown, at: string): TraceEntry[] {
  const entries: TraceEntry[] = [];
  const add = (operator: TraceEntry['operator'], expected: Json, matched: boolean, message: string) =>
    entries.push(describeEntry(at, value, operator, expected, matched, message));
  if (leaf.exists !== null) {
    const matched = leaf.exists === (value !== undefined);
    add('exists', leaf.exists, matched, sayExists(at, value, leaf.exists));
  }
  if (leaf.in !== null) {
    const matched = isListed(leaf.in, value);
    add('in', shortenValues(leaf.listed.in), matched, sayIn(at, value, leaf.listed.in, matched));
  }
  if (leaf.notIn !== null) {
    const matched = !isListed(leaf.notIn, value);
    add('not_in', shortenValues(leaf.listed.notIn), matched, sayNotIn(at, value, leaf.notIn, matched));
  }
  return entries;
}

function traceObject(fields: readonly CompiledField[], value: unknown, path: Path): TraceEntry[] {
  const at = formatPath(path);
  const entry = (matched: boolean, message: string) => describeEntry(at, value, 'object', 'object', matched, message);
  if (isJsonObject(value)) return [entry(true, sayObject(at)), ...traceFields(fields, value, path)];
  const objects = Array.isArray(value) ? value.filter(isJsonObject) : [];
  if (!Array.isArray(value) || objects.length === 0) {
    return [entry(false, sayObjectMissing(at, value, asksForAbsence(fields)))];
  }
  const matching = value.findIndex((element) => isJsonObject(element) && objectHolds(fields, element));
  const index = matching === -1 ? findClosest(fields, value) : matching;
  const below = traceFields(fields, value[index] as object, [...path, index]);
  const elementAt = formatPath([...path, index]);
  if (matching !== -1) return [entry(true, sayElement(at, elementAt)), ...below];
  const reason = below.find((inner) => !inner.matched)?.message ?? '';
  return [entry(false, sayClosest(at, objects.length, elementAt, reason)), ...below];
}

function describeEntry(
  path: string,
  value: unknown,
  operator: TraceEntry['operator'],
  expected: Json,
  matched: boolean,
  message: string,
): TraceEntry {
  return { path, actual: summarizeValue(value), present: value !== undefined, operator, expected, matched, message };
}

/** Does the pattern ask, anywhere below, that a key be absent? Then its failing on an absent parent surprises people. */
function asksForAbsence(fields: readonly CompiledField[]): boolean {
  return fields.some(({ condition }) =>
    condition.kind === 'leaf' ? condition.exists === false : asksForAbsence(condition.fields),
  );
}

/** Index of the object that meets most conditions, the first of equals. The array holds an object that was not met. */
function findClosest(fields: readonly CompiledField[], array: readonly unknown[]): number {
  const first = array.findIndex(isJsonObject);
  let closest = first;
  let most = -1;
  for (let index = first; index < Math.min(array.length, first + MAX_ELEMENTS_COMPARED); index += 1) {
    const element = array[index];
    const held = isJsonObject(element) ? countHeld(fields, element) : -1;
    if (held > most) [closest, most] = [index, held];
  }
  return closest;
}

function countHeld(fields: readonly CompiledField[], object: object): number {
  let held = 0;
  for (const { key, condition } of fields) {
    const value = readField(object, key);
    if (condition.kind === 'leaf') held += leafHolds(condition, value) ? 1 : 0;
    else held += countHeldBelow(condition.fields, value);
  }
  return held;
}

function countHeldBelow(fields: readonly CompiledField[], value: unknown): number {
  const objects = (Array.isArray(value) ? value.slice(0, MAX_ELEMENTS_COMPARED) : [value]).filter(isJsonObject);
  return objects.reduce((most, object) => Math.max(most, 1 + countHeld(fields, object)), 0);
}

function shortenValues(values: readonly Scalar[]): Json {
  return values.map((value) => (typeof value === 'string' ? shortenText(value) : value));
}
