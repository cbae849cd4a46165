// The filter language. In: a filter as written, and received headers and payload. Out: does it match, and why.
// The way of a filter: `parse-filter.ts` and `parse-pattern.ts` read it, `compile-pattern.ts` compiles it, this file decides.
// `explain.ts` repeats the decision with a trace, and must agree with this file (`filter.property.test.ts`).
// `listeners/listener-index.ts` finds the filters of a webhook that a delivery can match. `values/compile-values.ts` compiles
// the keys of provider triggers. docs/reference/payload-filter.md is the specification.

import type { Received } from '../../domain/definitions/trigger.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ProviderEvent } from '../triggers/trigger-pattern.ts';
import type { Scalar } from './pattern.ts';
import { readField } from './read-field.ts';
import type { CompiledValues } from './values/compile-values.ts';

/** A leaf with its lists as sets: `Set` compares as the grammar does (no coercion, `-0` is `0`). */
export interface CompiledLeaf {
  kind: 'leaf';
  in: ReadonlySet<unknown> | null;
  notIn: ReadonlySet<unknown> | null;
  exists: boolean | null;
  /** The values as written, for explanations. */
  listed: { in: readonly Scalar[]; notIn: readonly Scalar[] };
}

export interface CompiledObject {
  kind: 'object';
  fields: readonly CompiledField[];
}

export interface CompiledField {
  key: string;
  condition: CompiledLeaf | CompiledObject;
}

/** A part of a filter that requires something: `headers` or `payload`, with an object condition. */
export interface CompiledPart {
  key: keyof Received;
  condition: CompiledObject;
}

/** A compiled filter of deliveries. Without parts and values, it matches everything. */
export interface CompiledFilter {
  parts: readonly CompiledPart[];
  /** As in `FilterPattern`. */
  event: ProviderEvent | null;
  values: readonly CompiledValues[];
}

/**
 * Does the received delivery match the filter? Recurses as deep as the filter only, allocates nothing and stops at the
 * first condition that fails.
 */
export function matchesReceived({ parts, values }: CompiledFilter, received: Received): boolean {
  return fieldsHold(parts, received) && valuesHold(values, received.payload);
}

function valuesHold(values: readonly CompiledValues[], payload: unknown): boolean {
  for (let index = 0; index < values.length; index += 1) {
    if (!values[index]!.matches(payload)) return false;
  }
  return true;
}

/** Is this an object, or an array with an object, that meets all fields? Arrays inside arrays are not entered. */
export function objectHolds(fields: readonly CompiledField[], value: unknown): boolean {
  if (!Array.isArray(value)) return isJsonObject(value) && fieldsHold(fields, value);
  for (let index = 0; index < value.length; index += 1) {
    const element: unknown = value[index];
    if (isJsonObject(element) && fieldsHold(fields, element)) return true;
  }
  return false;
}

function fieldsHold(fields: readonly CompiledField[], object: object): boolean {
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index]!;
    const value = readField(object, field.key);
    const holds =
      field.condition.kind === 'leaf' ? leafHolds(field.condition, value) : objectHolds(field.condition.fields, value);
    if (!holds) return false;
  }
  return true;
}

/** Does the value (`undefined`: absent) meet every operator of the leaf? */
export function leafHolds(leaf: CompiledLeaf, value: unknown): boolean {
  return (
    (leaf.exists === null || leaf.exists === (value !== undefined)) &&
    (leaf.in === null || isListed(leaf.in, value)) &&
    (leaf.notIn === null || !isListed(leaf.notIn, value))
  );
}

/** Is the value, or any element of an array, in the set? Objects, inner arrays and absent values never are. */
export function isListed(set: ReadonlySet<unknown>, value: unknown): boolean {
  if (!Array.isArray(value)) return set.has(value);
  for (let index = 0; index < value.length; index += 1) {
    if (set.has(value[index])) return true;
  }
  return false;
}
