/**
 * Values by key, for lists that change little: a key that is still at its old index is found without a map, which takes
 * longer to build than most changes take.
 */
export class OrderedLookup<Key, Value> {
  readonly #keys: readonly Key[];
  readonly #values: readonly Value[];
  /** Index by key. Built when a key is first searched at another index. */
  #indexes: Map<Key, number> | null = null;

  /** @param keys all different, in the order of `values` */
  constructor(keys: readonly Key[], values: readonly Value[]) {
    this.#keys = keys;
    this.#values = values;
  }

  /** @param index where the key probably is */
  get(key: Key, index: number): Value | undefined {
    if (this.#keys[index] === key) return this.#values[index];
    this.#indexes ??= new Map(this.#keys.map((each, at) => [each, at]));
    const found = this.#indexes.get(key);
    return found === undefined ? undefined : this.#values[found];
  }
}
