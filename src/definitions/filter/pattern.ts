import type { ProviderEvent, ValueCondition } from '../triggers/trigger-pattern.ts';

/** A value that a filter can list. Compared without coercion; numbers by value, so that `1` equals `1.0`. */
export type Scalar = null | boolean | number | string;

/** The condition of one field: all operators that are not `null`. */
export interface LeafCondition {
  kind: 'leaf';
  /** Some value of the field is listed here. */
  in: Scalar[] | null;
  /** No value of the field is listed here. */
  notIn: Scalar[] | null;
  /** The key is present (`true`) or absent (`false`). */
  exists: boolean | null;
}

/** The field is an object, or an array with an object, that matches all fields. */
interface ObjectCondition {
  kind: 'object';
  fields: PatternField[];
}

export interface PatternField {
  key: string;
  condition: LeafCondition | ObjectCondition;
}

/** A valid filter of a payload or of headers; every field must match. Only `parsePattern` and `parseHeaderPattern` create it. */
export interface Pattern {
  fields: PatternField[];
}

/** A valid filter of deliveries; all its fields must match. Only `parseFilter` creates it. */
export interface FilterPattern {
  /** Leaves with the names of headers in lowercase as keys. */
  headers: PatternField[];
  payload: PatternField[];
  /** For a provider trigger: `headers` and `payload` decide whether a delivery is this event. Otherwise `null`. */
  event: ProviderEvent | null;
  /** Further conditions. They are evaluated last. */
  values: readonly ValueCondition[];
}

/** Is this a value that a filter can list? `NaN` and infinity, which YAML has, are not JSON. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/**
 * Limits of a payload filter (decisions, "Payload filter"). A level is one key on the path. A leaf is a field on which
 * the path ends: a list, an operator object or `{}`. Values are counted as written, for each `in` and each `not_in`.
 */
export const PATTERN_LIMITS = { maxLevels: 10, maxLeaves: 64, maxValues: 32 } as const;
