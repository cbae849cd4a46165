import type { ListKey, OptionKey } from './options.ts';
import { OPTIONS } from './options.ts';
import type { OptionValue } from './parse-value.ts';
import { parseValue } from './parse-value.ts';

type Options = typeof OPTIONS;

/** What the daemon holds for a kind of option. */
type ValueOfType<Type> = Type extends { kind: 'integer' | 'duration' }
  ? number
  : Type extends { kind: 'boolean' }
    ? boolean
    : Type extends { kind: 'list' | 'command' }
      ? readonly string[]
      : Type extends { kind: 'choice'; values: readonly (infer Value)[] }
        ? Value
        : string;

type IsAlwaysThere<Key extends OptionKey> = Options[Key] extends { required: true }
  ? true
  : Options[Key]['default'] extends null
    ? false
    : true;

/** The value of one option; `null` where it may be absent and has no default. */
export type ValueOf<Key extends OptionKey> =
  | ValueOfType<Options[Key]['type']>
  | (IsAlwaysThere<Key> extends true ? never : null);

/** A value and where it was written, for findings: `file:line:column` or the name of a variable. */
export interface WrittenValue {
  value: OptionValue;
  where: string;
}

export type WrittenValues = Map<OptionKey, WrittenValue>;

/** The items of lists of sections, by the key of the list, such as `factories[]`. */
export type ListValues = Map<string, readonly OptionValues[]>;

/** The options that one section and those below it set, by key. */
export class OptionValues {
  readonly #written: ReadonlyMap<OptionKey, WrittenValue>;
  /** What relative defaults start from. */
  readonly #folder: string;
  readonly #lists: ReadonlyMap<string, readonly OptionValues[]>;

  constructor(
    written: ReadonlyMap<OptionKey, WrittenValue>,
    folder: string,
    lists: ReadonlyMap<string, readonly OptionValues[]> = new Map(),
  ) {
    this.#written = written;
    this.#folder = folder;
    this.#lists = lists;
  }

  /** The items of a list of sections; none where its key is absent. */
  itemsOf(list: ListKey): readonly OptionValues[] {
    return this.#lists.get(list) ?? [];
  }

  /** Where the option was written; `null` where its default counts. */
  whereOf(key: OptionKey): string | null {
    return this.#written.get(key)?.where ?? null;
  }

  /** The written value or else the default. Only for keys that were checked to be there when they are required. */
  get<Key extends OptionKey>(key: Key): ValueOf<Key> {
    const value = this.#written.get(key)?.value ?? this.#readDefault(key);
    // What each kind of option holds is decided by `parseValue`, key by key, which the compiler cannot follow.
    return value as ValueOf<Key>;
  }

  /** These values, and for what they do not set those of `other`. */
  over(other: OptionValues): OptionValues {
    const written = new Map([...other.#written, ...this.#written]);
    return new OptionValues(written, other.#folder, new Map([...other.#lists, ...this.#lists]));
  }

  #readDefault(key: OptionKey): OptionValue | null {
    const { type, default: written } = OPTIONS[key];
    if (written === null) return null;
    const parsed = parseValue(type, written, this.#folder);
    return parsed.ok ? parsed.value : null;
  }
}
