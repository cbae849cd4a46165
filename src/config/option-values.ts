import type { OPTIONS, OptionKey } from './options/options.ts';
import type { SECTIONS } from './options/sections.ts';

// The types of the configuration, computed from the table of options: an option is one row there and nothing here.

type Options = typeof OPTIONS;
type SectionKey = keyof typeof SECTIONS;

/** The value of an option by its type: durations are milliseconds. */
type ValueOfType<Type> = Type extends { kind: 'integer' | 'duration' }
  ? number
  : Type extends { kind: 'boolean' }
    ? boolean
    : Type extends { kind: 'toggle' }
      ? boolean
      : Type extends { kind: 'threshold' }
        ? number | false
        : Type extends { kind: 'list' | 'command' }
          ? readonly string[]
          : Type extends { kind: 'choice'; values: readonly (infer Value)[] }
            ? Value
            : string;

/** `null` if the option may be omitted and has no default. */
type ValueOfOption<Row> = Row extends { type: infer Type; default: infer Default }
  ? ValueOfType<Type> | (Row extends { required: true } ? never : Default extends null ? null : never)
  : never;

type Join<Prefix extends string, Name extends string> = Prefix extends '' ? Name : `${Prefix}.${Name}`;
type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;
type Below<Prefix extends string, Key extends string> = Prefix extends ''
  ? Key
  : Key extends `${Prefix}.${infer Path}`
    ? Path
    : never;

/** The names of the keys of a section; those of lists of sections end in `[]`. */
type Names<Prefix extends string> = First<Below<Prefix, OptionKey>>;

/** `sessionIdle` is `sessionIdleMs`: names contain the unit. */
type PropertyName<Key extends string, Name extends string> = Key extends OptionKey
  ? Options[Key]['type'] extends { kind: 'duration' }
    ? `${Name}Ms`
    : Name
  : Name extends `${infer List}[]`
    ? List
    : Name;

type ValueOfKey<Key extends string> = Key extends OptionKey
  ? ValueOfOption<Options[Key]>
  : Key extends `${string}[]`
    ? readonly ValuesOfSection<Key>[]
    : Key extends SectionKey
      ? ValuesOfSection<Key> | ((typeof SECTIONS)[Key] extends { optional: true } ? null : never)
      : never;

/** Does a key of the section exist only with one `type`? Then the section is a union of one shape per type. */
type HasVariants<Prefix extends string> = Extract<OptionKeysOf<Prefix>, KeysWithVariant> extends never ? false : true;
type OptionKeysOf<Prefix extends string> = Extract<OptionKey, Join<Prefix, Names<Prefix>>>;
type KeysWithVariant = { [Key in OptionKey]: Options[Key] extends { onlyWith: string } ? Key : never }[OptionKey];

type IsPartOf<Key extends string, Type> = Key extends KeysWithVariant
  ? Options[Key] extends { onlyWith: Type }
    ? true
    : false
  : true;

type TypeOf<Prefix extends string> =
  Join<Prefix, 'type'> extends infer Key extends OptionKey ? Extract<ValueOfOption<Options[Key]>, string> : never;

type Shape<Prefix extends string, Type> = {
  readonly [Name in Names<Prefix> as IsPartOf<Join<Prefix, Name>, Type> extends true
    ? PropertyName<Join<Prefix, Name>, Name>
    : never]: Name extends 'type'
    ? [Type] extends [never]
      ? ValueOfKey<Join<Prefix, Name>>
      : Type
    : ValueOfKey<Join<Prefix, Name>>;
};

type Variants<Prefix extends string, Type> = Type extends string ? Shape<Prefix, Type> : never;

/** The values of one section, by property name. */
type ValuesOfSection<Prefix extends string> =
  HasVariants<Prefix> extends true ? Variants<Prefix, TypeOf<Prefix>> : Shape<Prefix, never>;

/** The values of all options: defaults filled in, durations in milliseconds, paths absolute. */
export type OptionValues = ValuesOfSection<''>;
export type FactoryValues = OptionValues['factories'][number];
