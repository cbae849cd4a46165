import { Option } from 'commander';
import type { Json } from '../../domain/json.ts';
import {
  apiName,
  type Field,
  type Fields,
  isEditable,
  listValues,
  type RequestOf,
} from '../../domain/resources/fields.ts';

/** Makes the option of a field that needs more than a text. */
type OptionMaker = (flags: string, description: string) => Option;

/**
 * The options for the fields that a request for this action may set, in the order of the table.
 *
 * @param makers by key, for fields whose values are checked or completed in a special way
 */
export function fieldOptions<Table extends Fields>(
  fields: Table,
  action: 'create' | 'change',
  makers: { readonly [Key in keyof Table]?: OptionMaker } = {},
): Option[] {
  return listOptions(fields, action).map(([key, { type, option }]) => {
    const { flags, help } = option;
    const maker = makers[key];
    if (maker !== undefined) return maker(flags, help);
    const made = new Option(flags, help);
    return Array.isArray(type.schema.enum) ? made.choices(listValues(type.schema.enum) as string[]) : made;
  });
}

/** The part of a request that the given options set. Options that are not given leave their field out. */
export function readFieldOptions<Table extends Fields, Action extends 'create' | 'change'>(
  fields: Table,
  action: Action,
  given: object,
): Partial<RequestOf<Table, Action>> {
  const values = given as { readonly [name: string]: unknown };
  const body: { [name: string]: unknown } = {};
  for (const [key, field] of listOptions(fields, action)) {
    const { flags, sets } = field.option;
    const option = new Option(flags);
    const value = values[option.attributeName()];
    // The value of `--no-…` is `true` unless it is given.
    const isGiven = option.negate ? value === false : value !== undefined;
    if (isGiven) body[apiName(key, field)!] = sets === undefined ? value : sets;
  }
  return body as Partial<RequestOf<Table, Action>>;
}

/**
 * The option `--reset`, which sets fields back to the defaults of their keys in a definition file. A field is named as its
 * option, such as `delivery-id-header`.
 */
export function resetOption(fields: Fields): Option {
  const names = listResettable(fields).map(({ name }) => name);
  return new Option('--reset <fields...>', `set fields back to their defaults: ${names.join(', ')}`).choices(names);
}

/** The part of a request that sets these fields back to their defaults. */
export function readResets(fields: Fields, reset: readonly string[] = []): { [name: string]: Json } {
  const resettable = listResettable(fields).filter(({ name }) => reset.includes(name));
  return Object.fromEntries(resettable.map(({ apiName: key, value }) => [key, value]));
}

function listResettable(fields: Fields): { name: string; apiName: string; value: Json }[] {
  return listOptions(fields, 'change').flatMap(([key, field]) => {
    const value = field.declared?.default;
    if (value === undefined) return [];
    return { name: new Option(field.option.flags).name().replace(/^no-/, ''), apiName: apiName(key, field)!, value };
  });
}

type FieldWithOption = Field & Required<Pick<Field, 'option'>>;

function listOptions(fields: Fields, action: 'create' | 'change'): [string, FieldWithOption][] {
  return Object.entries(fields).filter(
    (entry): entry is [string, FieldWithOption] => entry[1].option !== undefined && isEditable(entry[1], action),
  );
}
