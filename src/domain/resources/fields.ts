// The room of the terms: what a webhook, a delivery and a run are. Pure, and without imports of other rooms.
// In: nothing. Out: types, and tables from which other rooms derive columns, API answers, schemas and options. A resource is
// one table of fields: this file defines what a row may say, `webhook.ts` is the largest example.
// A folder is a subject: `domain/definitions/` is what teams commit, `domain/applies/` its plans and reconciliations,
// `domain/messages/` what Dockbell posts and alerts about. The files outside the folders belong to every subject.
// Next: `domain/ports/storage.ts` for what a storage can do, `domain/errors.ts` for the codes of errors, `domain/words/` for
// texts that the dashboard shares. What lives in a daemon, and what its parts report: `domain/part.ts`,
// `domain/happenings.ts`.

import type { Json, JsonSchema } from '../json.ts';
import type { ValueType } from './value-types.ts';

/** Who may set a field through the API: only who creates the object, only who changes it, or both. */
type Editable = 'create' | 'change' | 'create and change';

/** One field of a resource: the only source of everything that the program derives from the field. */
export interface Field {
  /** A table holds fields of all types. `RecordOf` finds the type of each. */
  readonly type: ValueType<unknown>;
  /** Description of the field in the API reference. */
  readonly description?: string;
  /** Its name in the API; `null` if no answer holds it. By default the key in snake_case. */
  readonly api?: string | null;
  /** Its column; `null` if its table does not store it. By default the key in snake_case. */
  readonly column?: string | null;
  /** The storage assigns the value. */
  readonly generated?: true;
  /**
   * A key of the definition file. An absent key means the default; a key without default is required. Files that Dockbell
   * writes omit a key with its default value, unless it is always written.
   */
  readonly declared?: {
    readonly default?: Json;
    readonly alwaysWritten?: true;
    /** Title, description, pattern and examples of the key in the JSON Schema of the file. */
    readonly schema: JsonSchema;
  };
  /** A plan shows a change of this field. */
  readonly planned?: true;
  /** A change of this field changes the entity tag. */
  readonly tagged?: true;
  readonly editable?: Editable;
  /** The option of the commands that set the field. `sets` is the value of an option that takes none. */
  readonly option?: { readonly flags: string; readonly help: string; readonly sets?: Json };
  /** Schema of the field in requests, if it differs from answers, for example a pattern and a length limit. */
  readonly request?: JsonSchema;
  /** The audit log shows the value. Never set this for a field that may hold a secret. */
  readonly audited?: true;
}

/** The fields of a resource, by the name that the program uses. */
export interface Fields {
  readonly [key: string]: Field;
}

/** Keeps the type of every row of the table. */
export function defineFields<const Table extends Fields>(fields: Table): Table {
  return fields;
}

type ValueOf<Row> = Row extends { readonly type: ValueType<infer Value> } ? Value : never;

/** A resource as the program holds it. */
export type RecordOf<Table> = { -readonly [Key in keyof Table]: ValueOf<Table[Key]> };

type Marked<Mark extends keyof Field> = { readonly [Name in Mark]: unknown };

/** The keys of the fields that are marked, such as those with `declared`. */
type KeysWith<Table, Mark extends keyof Field> = {
  [Key in keyof Table]: Table[Key] extends Marked<Mark> ? Key : never;
}[keyof Table] &
  string;

/** The fields of a resource that are marked. */
export type RecordWith<Table, Mark extends keyof Field> = Pick<RecordOf<Table>, KeysWith<Table, Mark>>;

export function keysWith<Table extends Fields, Mark extends keyof Field>(
  fields: Table,
  mark: Mark,
): KeysWith<Table, Mark>[] {
  return Object.keys(fields).filter((key) => fields[key]![mark] !== undefined) as KeysWith<Table, Mark>[];
}

/** The values of the marked fields of a record, in the order of the table. */
export function pickWith<Table extends Fields, Mark extends keyof Field>(
  fields: Table,
  mark: Mark,
  record: RecordWith<Table, Mark>,
): RecordWith<Table, Mark> {
  const picked: Partial<RecordWith<Table, Mark>> = {};
  for (const key of keysWith(fields, mark)) picked[key] = record[key];
  return picked as RecordWith<Table, Mark>;
}

/** The name of a key in the API and in the database: `receivedAt` is `received_at`. */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Key;

type ApiName<Key, Row> = Row extends { readonly api: infer Name }
  ? Name extends string
    ? Name
    : never
  : Key extends string
    ? SnakeCase<Key>
    : never;

type Presented<Row> = Row extends { readonly type: ValueType<infer Value> }
  ? Row extends { readonly type: { readonly format: 'instant' } }
    ? string | Extract<Value, null>
    : Value
  : never;

/** A resource as API answers show it. */
export type ViewOf<Table> = { [Key in keyof Table as ApiName<Key, Table[Key]>]: Presented<Table[Key]> };

/** The name of a field in the API; `null` if no answer holds it. */
export function apiName(key: string, { api }: Field): string | null {
  return api === undefined ? snakeCase(key) : api;
}

/** The fields of a record as API answers show them. */
export function presentFields<Table extends Fields>(fields: Table, record: RecordOf<Table>): ViewOf<Table> {
  const view: { [name: string]: Json } = {};
  for (const [key, field] of Object.entries(fields)) {
    const name = apiName(key, field);
    if (name !== null) view[name] = field.type.present(record[key]);
  }
  return view as ViewOf<Table>;
}

/** The schema of each property of `presentFields`. */
export function answerProperties(fields: Fields): { [name: string]: JsonSchema } {
  const properties: { [name: string]: JsonSchema } = {};
  for (const [key, field] of Object.entries(fields)) {
    const { type, description } = field;
    const name = apiName(key, field);
    if (name !== null) properties[name] = description === undefined ? type.schema : { ...type.schema, description };
  }
  return properties;
}

/** The API names of the fields whose values the audit log shows. */
export function auditedNames(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([key, field]) => (field.audited === true ? (apiName(key, field) ?? []) : []));
}

export function isEditable({ editable }: Field, action: 'create' | 'change'): boolean {
  return editable === action || editable === 'create and change';
}

/** The fields that a request for this action may set. */
export type EditableRecord<Table, Action extends 'create' | 'change'> = {
  -readonly [Key in keyof Table as Table[Key] extends { readonly editable: Action | 'create and change' }
    ? Key
    : never]: ValueOf<Table[Key]>;
};

/** The part of the body of a request for this action that consists of fields of the resource. */
export type RequestOf<Table, Action extends 'create' | 'change'> = {
  -readonly [Key in keyof Table as Table[Key] extends { readonly editable: Action | 'create and change' }
    ? ApiName<Key, Table[Key]>
    : never]: Presented<Table[Key]>;
};

/** The schema of each property that a request for this action may hold. */
export function requestProperties(fields: Fields, action: 'create' | 'change'): { [name: string]: JsonSchema } {
  const properties: { [name: string]: JsonSchema } = {};
  for (const [key, field] of Object.entries(fields)) {
    if (!isEditable(field, action)) continue;
    const { type, description, request } = field;
    properties[apiName(key, field)!] = {
      ...(description === undefined ? {} : { description }),
      ...(request ?? type.schema),
    };
  }
  return properties;
}

/** The fields that the body of a valid request sets. Omitted fields are absent. */
export function readRequest<Table extends Fields, Action extends 'create' | 'change'>(
  fields: Table,
  action: Action,
  body: { readonly [name: string]: unknown },
): Partial<EditableRecord<Table, Action>> {
  const record: { [key: string]: unknown } = {};
  for (const [key, field] of Object.entries(fields)) {
    const value = isEditable(field, action) ? body[apiName(key, field)!] : undefined;
    if (value !== undefined) record[key] = value;
  }
  return record as Partial<EditableRecord<Table, Action>>;
}

/** The declared fields of a valid definition file, with the default of each absent key. */
export function readDeclared<Table extends Fields>(
  fields: Table,
  declared: { readonly [key: string]: unknown },
): RecordWith<Table, 'declared'> {
  const record: { [key: string]: unknown } = {};
  for (const key of keysWith(fields, 'declared')) record[key] = declared[key] ?? fields[key]!.declared!.default;
  return record as RecordWith<Table, 'declared'>;
}

/** The JSON Schema of each declared key. Type, values and default follow from the field. */
export function definitionProperties(fields: Fields): { [key: string]: JsonSchema } {
  const declared = Object.entries(fields).filter(([, field]) => field.declared !== undefined);
  return Object.fromEntries(
    declared.map(([key, { type, declared }]) => {
      const { default: fallback, schema } = declared!;
      const [kind] = [type.schema.type].flat();
      // A file omits a key in place of `null`.
      const values = type.schema.enum === undefined ? {} : { enum: listValues(type.schema.enum) };
      const byDefault = fallback === undefined || fallback === null ? {} : { default: fallback };
      return [key, { ...schema, type: kind, ...values, ...byDefault }];
    }),
  );
}

/** The values of an `enum` but `null`. */
export function listValues(values: unknown): Json[] {
  return (values as Json[]).filter((value) => value !== null);
}

/** The keys of a definition file for these fields. A key whose value is its default is `undefined`: the file omits it. */
export function writeDeclared<Table extends Fields>(
  fields: Table,
  record: Partial<RecordWith<Table, 'declared'>>,
): { [key: string]: Json | undefined } {
  const keys: { [key: string]: Json | undefined } = {};
  for (const key of keysWith(fields, 'declared')) {
    const value = record[key] as Json | undefined;
    const { default: fallback, alwaysWritten } = fields[key]!.declared!;
    keys[key] = isSame(value, fallback) && !alwaysWritten ? undefined : value;
  }
  return keys;
}

function isSame(value: Json | undefined, other: Json | undefined): boolean {
  return value === other || (value !== undefined && JSON.stringify(value) === JSON.stringify(other));
}
