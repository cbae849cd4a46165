/** Copying a template with more keys takes longer than an object without a shape. */
const MAX_TEMPLATE_KEYS = 16;

/** A key whose value is wanted. */
export interface WantedKey {
  key: string;
  /** UTF-8, for comparisons without decoding. */
  bytes: Buffer;
  wanted: WantedKeys;
  /** Number of paths with this key. */
  uses: number;
}

/**
 * The keys of a JSON document whose values somebody needs, as a tree. The elements of an array count as its value. Paths
 * are counted, so that a path that was added twice has to be removed twice.
 */
export class WantedKeys {
  readonly #byName = new Map<string, WantedKey>();
  /** By the hash of their bytes. A text that UTF-8 cannot encode is only found by name. */
  readonly #byHash = new Map<number, WantedKey[]>();
  #scalars = 0;
  /** All keys without values; `null` if they are many. */
  #template: WantedValues | null = {};

  /** The values at these paths. */
  static of(paths: Iterable<readonly string[]>): WantedKeys {
    const wanted = new WantedKeys();
    for (const path of paths) wanted.add(path, true);
    return wanted;
  }

  /** Whether the value is needed if it is a scalar. Otherwise only whether it is an object or an array. */
  get wantsScalar(): boolean {
    return this.#scalars > 0;
  }

  /** Whether no key of an object is needed. */
  get isLeaf(): boolean {
    return this.#byName.size === 0;
  }

  /**
   * @param wantsScalar whether the value at the path is needed if it is a scalar
   * @param from index of the first key of the path
   */
  add(path: readonly string[], wantsScalar: boolean, from = 0): void {
    if (from === path.length) {
      this.#scalars += wantsScalar ? 1 : 0;
      return;
    }
    const key = path[from]!;
    const child = this.#byName.get(key) ?? this.#insert(key);
    child.uses += 1;
    child.wanted.add(path, wantsScalar, from + 1);
  }

  /** Takes back one call of `add` with the same arguments. */
  remove(path: readonly string[], wantsScalar: boolean, from = 0): void {
    if (from === path.length) {
      this.#scalars -= wantsScalar ? 1 : 0;
      return;
    }
    const child = this.#byName.get(path[from]!)!;
    child.wanted.remove(path, wantsScalar, from + 1);
    child.uses -= 1;
    if (child.uses === 0) this.#drop(child);
  }

  /**
   * Finds a key without escapes.
   *
   * @param hash of the bytes from `start` to `end`, as `hashKeyByte` computes it
   */
  find(bytes: Uint8Array, start: number, end: number, hash: number): WantedKey | undefined {
    const candidates = this.#byHash.get(hash);
    if (candidates === undefined) return undefined;
    for (const candidate of candidates) if (isEqual(candidate.bytes, bytes, start, end)) return candidate;
    return undefined;
  }

  findByName(key: string): WantedKey | undefined {
    return this.#byName.get(key);
  }

  /**
   * An object for wanted values. Objects with the same few keys share one shape, because a sender could make V8 create
   * thousands of shapes.
   */
  createObject(): WantedValues {
    return this.#template === null ? (Object.create(null) as WantedValues) : { ...this.#template };
  }

  #insert(key: string): WantedKey {
    const child = { key, bytes: Buffer.from(key, 'utf8'), wanted: new WantedKeys(), uses: 0 };
    this.#byName.set(key, child);
    this.#changeTemplate();
    if (child.bytes.toString() === key) {
      const hash = hashKey(child.bytes);
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), child]);
    }
    return child;
  }

  #changeTemplate(): void {
    const names = this.#byName.size > MAX_TEMPLATE_KEYS ? null : [...this.#byName.keys()];
    // `fromEntries` defines keys, so that `__proto__` is one as any other.
    this.#template = names === null ? null : Object.fromEntries(names.map((name) => [name, undefined]));
  }

  #drop(child: WantedKey): void {
    this.#byName.delete(child.key);
    this.#changeTemplate();
    const hash = hashKey(child.bytes);
    const rest = (this.#byHash.get(hash) ?? []).filter((other) => other !== child);
    if (rest.length === 0) this.#byHash.delete(hash);
    else this.#byHash.set(hash, rest);
  }
}

/** The wanted values of one object. */
export type WantedValues = { [key: string]: unknown };

/** Adds one byte to the hash of a key, which begins with 0. Keys are chosen by the team, so collisions are rare. */
export function hashKeyByte(hash: number, byte: number): number {
  return (hash * 31 + byte) | 0;
}

function hashKey(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = hashKeyByte(hash, byte);
  return hash;
}

function isEqual(wanted: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (wanted.length !== end - start) return false;
  for (let index = 0; index < wanted.length; index += 1) {
    if (wanted[index] !== bytes[start + index]) return false;
  }
  return true;
}
