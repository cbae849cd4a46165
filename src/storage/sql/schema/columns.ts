import type { Generated } from 'kysely';
import { type Fields, type SnakeCase, snakeCase } from '../../../core/resources/fields.ts';

/** Stores a value as text in a special format. */
export interface TextCodec<Value> {
  encode(value: Value): string;
  decode(text: string): Value;
}

/**
 * How a column stores a value. `instant` is wall time in milliseconds. A list of labels stores the position in the
 * list. `null` is stored as NULL by every codec.
 */
type Codec<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [number]
    ? 'integer' | 'instant'
    : [Value] extends [Uint8Array]
      ? 'bytes'
      : [Value] extends [string]
        ? 'text' | readonly Value[]
        : 'json' | TextCodec<Value>;

/** One column of a table: the field it stores, its name in the database, and how the value is stored. */
export type Column<Domain> = {
  [Key in keyof Domain & string]: {
    key: Key;
    column: string;
    codec: Codec<NonNullable<Domain[Key]>>;
    /** The database assigns the value if an insert leaves it out. */
    generated?: true;
  };
}[keyof Domain & string];

type Columns<Domain> = readonly Column<Domain>[];

type StoredAs<Format> = Format extends 'bytes'
  ? Uint8Array
  : Format extends 'boolean' | 'integer' | 'instant' | readonly string[]
    ? number
    : string;

type Stored<Domain, Of extends Column<Domain>> =
  | StoredAs<Of['codec']>
  | (null extends Domain[Of['key']] ? null : never);

/** The columns of a mapped table as the query builder knows them. */
export type TableOf<Mapping> =
  Mapping extends ColumnMapping<infer Domain, infer List>
    ? {
        [Of in List[number] as Of['column']]: Of extends { generated: true }
          ? Generated<Stored<Domain, Of>>
          : Stored<Domain, Of>;
      }
    : never;

type RowOf<Domain, Of extends Column<Domain>> = { [One in Of as One['column']]: Stored<Domain, One> };

type FieldsOf<Domain, Of extends Column<Domain>> = { [One in Of as One['key']]: Domain[One['key']] };

type Inserted<Domain, List extends Columns<Domain>> = Exclude<List[number], { generated: true }>;

type Named<Domain, List extends Columns<Domain>, Key> = Extract<List[number], { key: Key }>;

/** Both directions between the fields of the domain and the row of a table. */
export interface ColumnMapping<Domain, List extends Columns<Domain>> {
  /** The columns that an insert writes, in the order of `toValues`. */
  inserted: readonly string[];
  toRow(fields: FieldsOf<Domain, Inserted<Domain, List>>): RowOf<Domain, Inserted<Domain, List>>;
  /**
   * The values of `toRow` without their names, for a statement that is prepared once and executed for every delivery.
   */
  toValues(fields: FieldsOf<Domain, Inserted<Domain, List>>): unknown[];
  /** Ignores columns that are not listed, so the row may come from a join. */
  fromRow(row: RowOf<Domain, List[number]>): FieldsOf<Domain, List[number]>;
  /** One value as its column stores it, for a condition or a change of a query. */
  encode<Key extends List[number]['key']>(key: Key, value: Domain[Key]): Stored<Domain, Named<Domain, List, Key>>;
  decode<Key extends List[number]['key']>(key: Key, stored: Stored<Domain, Named<Domain, List, Key>>): Domain[Key];
}

type AnyRecord = { [name: string]: unknown };

/**
 * Derives the mapping of a table: `mapColumns<Domain>()([...])`, with a list that names each column once. The list may
 * be a table with more about each field, as long as its rows have `key`, `column` and `codec`.
 */
export function mapColumns<Domain>() {
  return <const List extends Columns<Domain>>(list: List): ColumnMapping<Domain, List> => createMapping(list) as never;
}

function createMapping(list: readonly { key: string; column: string; codec: unknown; generated?: true }[]) {
  const columns = list.map(({ key, column, codec, generated }) => ({
    key,
    column,
    isInserted: generated !== true,
    conversion: findConversion(codec as CodecName | readonly unknown[] | Conversion),
  }));
  const inserted = columns.filter(({ isInserted }) => isInserted);
  const byKey = new Map<string, Conversion>(columns.map(({ key, conversion }) => [key, conversion]));
  return {
    inserted: inserted.map(({ column }) => column),
    toRow: (fields: AnyRecord) => {
      const row: AnyRecord = {};
      for (const { key, column, conversion } of inserted) row[column] = conversion.encode(fields[key]);
      return row;
    },
    toValues: (fields: AnyRecord) => inserted.map(({ key, conversion }) => conversion.encode(fields[key])),
    fromRow: (row: AnyRecord) => {
      const fields: AnyRecord = {};
      for (const { key, column, conversion } of columns) fields[key] = conversion.decode(row[column]);
      return fields;
    },
    encode: (key: string, value: unknown) => byKey.get(key)!.encode(value),
    decode: (key: string, stored: unknown) => byKey.get(key)!.decode(stored),
  };
}

type Convert = (value: unknown) => unknown;

interface Conversion {
  encode: Convert;
  decode: Convert;
}

const keep: Convert = (value) => value;
const KEPT: Conversion = { encode: keep, decode: keep };

type CodecName = 'boolean' | 'integer' | 'instant' | 'bytes' | 'text' | 'json';

const CONVERSIONS: Readonly<Record<CodecName, Conversion>> = {
  integer: KEPT,
  instant: KEPT,
  bytes: KEPT,
  text: KEPT,
  boolean: { encode: (value) => (value === true ? 1 : 0), decode: (stored) => stored === 1 },
  json: { encode: (value) => JSON.stringify(value), decode: (stored) => JSON.parse(stored as string) },
};

function findConversion(codec: CodecName | readonly unknown[] | Conversion): Conversion {
  if (typeof codec === 'string') return CONVERSIONS[codec] === KEPT ? KEPT : keepNull(CONVERSIONS[codec]);
  if ('encode' in codec) return keepNull(codec);
  return keepNull({ encode: (label) => codec.indexOf(label), decode: (index) => codec[index as number] });
}

function keepNull({ encode, decode }: Conversion): Conversion {
  return {
    encode: (value) => (value === null ? null : encode(value)),
    decode: (stored) => (stored === null ? null : decode(stored)),
  };
}

type FieldColumn<Key extends string, Row> = Row extends { readonly column: null }
  ? never
  : Row extends { readonly type: { readonly format: infer Format } }
    ? {
        key: Key;
        column: Row extends { readonly column: infer Name } ? Name : SnakeCase<Key>;
        codec: Format;
      } & (Row extends {
        readonly generated: true;
      }
        ? { generated: true }
        : unknown)
    : never;

/** The columns of a resource whose fields `core/resources` describes. */
export function columnsOf<const Table extends Fields>(
  fields: Table,
): readonly { [Key in keyof Table & string]: FieldColumn<Key, Table[Key]> }[keyof Table & string][] {
  const stored = Object.entries(fields).filter(([, { column }]) => column !== null);
  return stored.map(([key, { type, column, generated }]) => ({
    key,
    column: column ?? snakeCase(key),
    codec: type.format,
    ...(generated === true ? { generated } : {}),
  })) as never;
}
