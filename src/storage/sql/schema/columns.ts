import type { Generated } from 'kysely';
import { type Fields, type RecordOf, type SnakeCase, snakeCase } from '../../../domain/resources/fields.ts';

/** Stores a value as text in a special format. */
interface TextCodec<Value> {
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

/** One column: its codec, or its codec and what differs from the default. */
type Column<Value> =
  | Codec<Value>
  | {
      readonly codec: Codec<Value>;
      /** By default the key in snake_case. */
      readonly column?: string;
      /** The database assigns the value if an insert leaves it out. */
      readonly generated?: true;
    };

type Columns<Domain> = { readonly [Key in keyof Domain]?: Column<NonNullable<Domain[Key]>> };

/** The types of one column. A table is a union of these. */
interface ColumnTypes {
  key: string;
  column: string;
  value: unknown;
  stored: unknown;
  generated: boolean;
}

type StoredAs<Format> = Format extends 'bytes'
  ? Uint8Array
  : Format extends 'boolean' | 'integer' | 'instant' | readonly (string | null)[]
    ? number
    : string;

type Stored<Format, Value> = StoredAs<Format> | (null extends Value ? NullIn<Format> : never);

/** How `null` is stored: as NULL, unless it has a position in a list of labels. */
type NullIn<Format> = Format extends readonly (infer Label)[] ? (null extends Label ? never : null) : null;

type NameOf<Key, Given> = Given extends { readonly column: infer Name extends string } ? Name : SnakeCase<Key & string>;

type CodecOf<Given> = Given extends { readonly codec: infer Format } ? Format : Given;

type IsGenerated<Given> = Given extends { readonly generated: true } ? true : false;

type TypesOfColumns<Domain, List extends Columns<Domain>> = {
  [Key in keyof List & keyof Domain & string]: {
    key: Key;
    column: NameOf<Key, List[Key]>;
    value: Domain[Key];
    stored: Stored<CodecOf<List[Key]>, Domain[Key]>;
    generated: IsGenerated<List[Key]>;
  };
}[keyof List & keyof Domain & string];

type TypesOfFields<Table extends Fields> = {
  [Key in keyof Table & string]: Table[Key] extends { readonly column: null }
    ? never
    : {
        key: Key;
        column: NameOf<Key, Table[Key]>;
        value: RecordOf<Table>[Key];
        stored: Stored<Table[Key]['type']['format'], RecordOf<Table>[Key]>;
        generated: IsGenerated<Table[Key]>;
      };
}[keyof Table & string];

/** The columns of a mapped table as the query builder knows them. */
export type TableOf<Mapping> =
  Mapping extends ColumnMapping<infer Types>
    ? { [Of in Types as Of['column']]: Of['generated'] extends true ? Generated<Of['stored']> : Of['stored'] }
    : never;

type FieldsOf<Types extends ColumnTypes> = { [Of in Types as Of['key']]: Of['value'] };

type RowOf<Types extends ColumnTypes> = { [Of in Types as Of['column']]: Of['stored'] };

type Inserted<Types extends ColumnTypes> = Exclude<Types, { generated: true }>;

type OfKey<Types extends ColumnTypes, Key> = Extract<Types, { key: Key }>;

export type StoredType = 'integer' | 'text' | 'bytes';

/** Converts the fields of the domain to the row of a table, and back. */
interface ColumnMapping<Types extends ColumnTypes> {
  /** The columns that an insert writes, in the order of `toValues`. */
  inserted: readonly string[];
  /** How each of them is stored, for a database whose parameters have types. */
  types: readonly StoredType[];
  toRow(fields: FieldsOf<Inserted<Types>>): RowOf<Inserted<Types>>;
  /** The values of `toRow` without their names, for a statement that is prepared once and executed for every delivery. */
  toValues(fields: FieldsOf<Inserted<Types>>): unknown[];
  /** Ignores columns that are not listed, so the row may come from a join. */
  fromRow(row: RowOf<Types>): FieldsOf<Types>;
  /** One value as its column stores it, for a condition or a change of a query. */
  encode<Key extends Types['key']>(key: Key, value: OfKey<Types, Key>['value']): OfKey<Types, Key>['stored'];
  decode<Key extends Types['key']>(key: Key, stored: OfKey<Types, Key>['stored']): OfKey<Types, Key>['value'];
}

/** Derives the mapping of a table from the fields of a resource. */
export function mapFields<Table extends Fields>(fields: Table): ColumnMapping<TypesOfFields<Table>> {
  const columns = Object.entries(fields).flatMap(([key, { type, column, generated }]) =>
    column === null ? [] : { key, column: column ?? snakeCase(key), codec: type.format, generated },
  );
  return createMapping(columns) as never;
}

/** Derives the mapping of a table that is not a resource: `mapColumns<Domain>()({ key: codec, ... })`. */
export function mapColumns<Domain>() {
  return <const List extends Columns<Domain>>(
    list: List & { readonly [Unknown in Exclude<keyof List, keyof Domain>]: never },
  ): ColumnMapping<TypesOfColumns<Domain, List>> => {
    const columns = Object.entries<Column<unknown>>(list).map(([key, given]) => {
      if (typeof given !== 'object' || !('codec' in given)) return { key, column: snakeCase(key), codec: given };
      return { key, column: given.column ?? snakeCase(key), codec: given.codec, generated: given.generated };
    });
    return createMapping(columns) as never;
  };
}

interface MappedColumn {
  key: string;
  column: string;
  codec: unknown;
  generated?: true | undefined;
}

type AnyRecord = { [name: string]: unknown };

function createMapping(list: readonly MappedColumn[]) {
  const columns = list.map(({ key, column, codec, generated }) => ({
    key,
    column,
    isInserted: generated !== true,
    type: findType(codec as CodecName | readonly unknown[] | Conversion),
    conversion: findConversion(codec as CodecName | readonly unknown[] | Conversion),
  }));
  const inserted = columns.filter(({ isInserted }) => isInserted);
  const byKey = new Map<string, Conversion>(columns.map(({ key, conversion }) => [key, conversion]));
  return {
    inserted: inserted.map(({ column }) => column),
    types: inserted.map(({ type }) => type),
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

function findType(codec: CodecName | readonly unknown[] | Conversion): StoredType {
  if (codec === 'bytes') return 'bytes';
  return codec === 'integer' || codec === 'instant' || codec === 'boolean' || Array.isArray(codec) ? 'integer' : 'text';
}

function findConversion(codec: CodecName | readonly unknown[] | Conversion): Conversion {
  if (typeof codec === 'string') return CONVERSIONS[codec] === KEPT ? KEPT : keepNull(CONVERSIONS[codec]);
  if ('encode' in codec) return keepNull(codec);
  const positions: Conversion = { encode: (label) => codec.indexOf(label), decode: (index) => codec[index as number] };
  return codec.includes(null) ? positions : keepNull(positions);
}

function keepNull({ encode, decode }: Conversion): Conversion {
  return {
    encode: (value) => (value === null ? null : encode(value)),
    decode: (stored) => (stored === null ? null : decode(stored)),
  };
}
