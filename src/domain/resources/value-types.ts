import type { Json, JsonObject, JsonSchema } from '../json.ts';
import { formatInstant } from '../time/clock.ts';

/**
 * How a column stores a value. A list of labels stores the position in the list. `null` is stored as NULL in every format,
 * except in a list that contains `null`.
 */
type ColumnFormat = 'text' | 'integer' | 'instant' | 'boolean' | 'json' | readonly (string | null)[];

/** The values of a field: type in the program, format in a column, schema and presentation in API answers. */
export interface ValueType<Value, Format extends ColumnFormat = ColumnFormat> {
  /** How a column stores the value. `null` is stored as NULL by every format. */
  readonly format: Format;
  /** Schema of the value in API answers. */
  readonly schema: JsonSchema;
  present(value: Value): Json;
}

function asIs<Value>(value: Value): Json {
  return value as Json;
}

function textOf<Value extends string>(): ValueType<Value, 'text'> {
  return { format: 'text', schema: { type: 'string' }, present: asIs };
}

/** A value or `null`. */
export function nullable<Value, Format extends ColumnFormat>(
  type: ValueType<Value, Format>,
): ValueType<Value | null, Format> {
  const { schema, format } = type;
  const values = schema.enum as readonly Json[] | undefined;
  return {
    format,
    schema: { ...schema, type: [schema.type, 'null'], ...(values === undefined ? {} : { enum: [...values, null] }) },
    present: (value) => (value === null ? null : type.present(value)),
  };
}

/** One of a fixed list of texts, stored as text. */
export function oneOf<const Values extends readonly string[]>(values: Values): ValueType<Values[number], 'text'> {
  return { format: 'text', schema: { type: 'string', enum: [...values] }, present: asIs };
}

/** One of a fixed list of labels, stored as its position in the list. */
export function labelOf<const Values extends readonly string[]>(values: Values): ValueType<Values[number], Values> {
  return { format: values, schema: { type: 'string', enum: [...values] }, present: asIs };
}

/** One of a fixed list of labels, or none, which is stored as a position too. For columns that are never NULL. */
export function labelOrNone<const Values extends readonly string[]>(
  values: Values,
): ValueType<Values[number] | null, readonly [...Values, null]> {
  return {
    format: [...values, null],
    schema: { type: ['string', 'null'], enum: [...values, null] },
    present: asIs,
  };
}

/** A list of texts, stored as JSON. */
export function listOf<Value extends string>(): ValueType<Value[], 'json'> {
  return { format: 'json', schema: { type: 'array', items: { type: 'string' } }, present: asIs };
}

/** Any other value of this type, stored as JSON. */
export function json<Value>(schema: JsonSchema): ValueType<Value, 'json'> {
  return { format: 'json', schema, present: asIs };
}

/** An ID, such as a `DeliveryId`: a text with a prefix. */
export const id = textOf;

export const text = textOf<string>();
export const textOrNull = nullable(text);
export const flag: ValueType<boolean, 'boolean'> = { format: 'boolean', schema: { type: 'boolean' }, present: asIs };
export const integer: ValueType<number, 'integer'> = { format: 'integer', schema: { type: 'integer' }, present: asIs };
export const integerOrNull = nullable(integer);
/** A number that is never negative. */
export const count: ValueType<number, 'integer'> = {
  format: 'integer',
  schema: { type: 'integer', minimum: 0 },
  present: asIs,
};
/** A number that starts at 1. */
export const counter: ValueType<number, 'integer'> = {
  format: 'integer',
  schema: { type: 'integer', minimum: 1 },
  present: asIs,
};
/** Wall time in milliseconds; RFC 3339 in API answers. */
export const instant: ValueType<number, 'instant'> = {
  format: 'instant',
  schema: { type: 'string', format: 'date-time' },
  present: formatInstant,
};
export const instantOrNull = nullable(instant);
export const objectOrNull = json<JsonObject | null>({ type: ['object', 'null'], additionalProperties: true });
