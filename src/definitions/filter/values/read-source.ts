import { isJsonObject } from '../../../domain/json.ts';
import type { Elements, Source } from '../../triggers/trigger-event.ts';
import { EVERY_ELEMENT, type PathStep, parsePath } from '../payload-path.ts';
import { readField } from '../read-field.ts';
import { foldCase } from './comparisons.ts';
import { READINGS } from './readings.ts';

/** A value of a payload that can be listed: not empty, trimmed. */
export type Value = string | number;

/** Called with each value. Returns whether to continue with the next one. */
export type Visit = (value: Value) => boolean;

type Steps = readonly PathStep[];

interface CompiledElements {
  /** Of each element of the array. */
  of: Steps;
  where: readonly [key: string, value: string] | null;
  unless: { key: string; steps: Steps } | null;
}

/** A source with its paths divided into steps. */
interface CompiledSource {
  steps: Steps;
  otherwise: Steps | null;
  read: (text: string) => readonly string[];
  prefix: Steps | null;
  ifEqual: readonly [Steps, Steps] | null;
  without: Steps | null;
  each: CompiledElements | null;
}

export function compileSource({ path, otherwise, read, prefix, ifEqual, without, each }: Source): CompiledSource {
  return {
    steps: stepsOf(path),
    otherwise: otherwise === undefined ? null : stepsOf(otherwise),
    read: read === undefined ? (text) => [text] : READINGS[read],
    prefix: prefix === undefined ? null : stepsOf(prefix),
    ifEqual: ifEqual === undefined ? null : [stepsOf(ifEqual[0]), stepsOf(ifEqual[1])],
    without: without === undefined ? null : stepsOf(without),
    each: each === undefined ? null : compileElements(each),
  };
}

function compileElements({ of, where, unless }: Elements): CompiledElements {
  return {
    of: [...stepsOf(of), EVERY_ELEMENT],
    where: where ?? null,
    unless: unless === undefined ? null : { key: unless[0], steps: stepsOf(unless[1]) },
  };
}

function stepsOf(path: string): Steps {
  const steps = parsePath(path);
  if (steps === null) throw new Error(`not a path: ${path}`);
  return steps;
}

/** The keys that a source reads, from the root of the payload. The elements of an array count as its value. */
export function listPaths({ path, otherwise, prefix, ifEqual, without, each }: Source): (readonly string[])[] {
  const below = each === undefined ? [] : keysOf(each.of);
  const ofElements = [path, without, each?.where?.[0], each?.unless?.[0]];
  const ofPayload = [otherwise, prefix, ...(ifEqual ?? []), each?.unless?.[1]];
  return [
    ...ofElements.flatMap((one) => (one === undefined ? [] : [[...below, ...keysOf(one)]])),
    ...ofPayload.flatMap((one) => (one === undefined ? [] : [keysOf(one)])),
  ];
}

function keysOf(path: string): string[] {
  return stepsOf(path).filter((step) => typeof step === 'string');
}

/** Visits the values of a source until a visit ends it. Returns whether all visits continued. */
export function visitSource(source: CompiledSource, payload: unknown, visit: Visit): boolean {
  if (source.ifEqual !== null && !areEqual(payload, source.ifEqual)) return true;
  const { each } = source;
  if (each === null) return visitPlace(source, payload, payload, visit);
  const excluded = each.unless === null ? null : new Set<unknown>(listAt(payload, each.unless.steps));
  return visitAt(payload, each.of, 0, (element) =>
    isWanted(each, element, excluded) ? visitPlace(source, element, payload, visit) : true,
  );
}

/** @param place the payload, or an element of it */
function visitPlace(source: CompiledSource, place: unknown, payload: unknown, visit: Visit): boolean {
  const { steps, otherwise, prefix, without } = source;
  const excluded = without === null ? null : new Set(listAt(place, without).flatMap((value) => derive(source, value)));
  const owner = prefix === null ? null : (listAt(payload, prefix)[0] ?? null);
  if (prefix !== null && owner === null) return true;
  let isEmpty = true;
  const visitValue = (found: unknown) => {
    for (const value of derive(source, found)) {
      isEmpty = false;
      if (excluded?.has(value)) continue;
      if (!visit(owner === null ? value : `${owner}/${value}`)) return false;
    }
    return true;
  };
  if (!visitAt(place, steps, 0, visitValue)) return false;
  return !isEmpty || otherwise === null || visitAt(payload, otherwise, 0, visitValue);
}

/** The values that are read from a scalar. Empty texts are no values. */
function derive({ read }: Pick<CompiledSource, 'read'>, found: unknown): readonly Value[] {
  if (typeof found === 'number') return [found];
  if (typeof found !== 'string') return [];
  return read(found)
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function areEqual(payload: unknown, [one, other]: readonly [Steps, Steps]): boolean {
  const [first, second] = [listAt(payload, one)[0], listAt(payload, other)[0]];
  if (first === undefined || second === undefined) return false;
  return foldCase(String(first)) === foldCase(String(second));
}

function isWanted({ where, unless }: CompiledElements, element: unknown, excluded: Set<unknown> | null): boolean {
  if (!isJsonObject(element)) return false;
  if (where !== null && readField(element, where[0]) !== where[1]) return false;
  return unless === null || !excluded!.has(readField(element, unless.key));
}

/** The scalars at a path: strings that are not empty, and numbers. */
function listAt(place: unknown, steps: Steps): Value[] {
  const values: Value[] = [];
  visitAt(place, steps, 0, (found) => {
    if (typeof found === 'number' || (typeof found === 'string' && found !== '')) values.push(found);
    return true;
  });
  return values;
}

/** Recurses as deep as the path. Own keys only: a payload can have the key `__proto__`, and every object has `toString`. */
function visitAt(place: unknown, steps: Steps, from: number, visit: (found: unknown) => boolean): boolean {
  if (from === steps.length) return visit(place);
  const step = steps[from]!;
  if (step === EVERY_ELEMENT) {
    if (!Array.isArray(place)) return true;
    for (let index = 0; index < place.length; index += 1) {
      if (!visitAt(place[index], steps, from + 1, visit)) return false;
    }
    return true;
  }
  if (typeof step === 'number') return !Array.isArray(place) || visitAt(place[step], steps, from + 1, visit);
  return !isJsonObject(place) || visitAt(readField(place, step), steps, from + 1, visit);
}
