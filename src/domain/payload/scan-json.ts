import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  invalidAt,
  MAX_JSON_DEPTH,
  OPEN_ARRAY,
  OPEN_OBJECT,
  positionOf,
  QUOTE,
  skipColon,
  skipScalar,
  skipSpace,
  skipString,
  skipValue,
  TOO_DEEP,
} from './skip-json.ts';
import { hashKeyByte, type WantedKey, type WantedKeys, type WantedValues } from './wanted-keys.ts';

/** The wanted part of a document, or why it is not accepted. */
type JsonScan = { ok: true; value: unknown } | JsonFault;

/** `at`: the position of the first byte that cannot be part of the JSON. The length of the document if it ends too early. */
type JsonFault = { ok: false; reason: 'invalid_json'; at: number } | { ok: false; reason: 'too_deep' };

/**
 * Checks that bytes in valid UTF-8 are one JSON value (RFC 8259) of bounded depth, and builds only the wanted values.
 * `JSON.parse` builds everything, which takes ten times as long for a hostile document.
 *
 * The value is that of `JSON.parse` with these differences. Objects have only wanted keys, and an absent one may be an own
 * key with the value `undefined`. A scalar that is not wanted is `null`. An array inside an array is
 * empty. The elements without wanted values are
 * replaced by one of each kind at the end.
 *
 * @param wanted `null` if no value is needed; the value is then `undefined`
 * @param numbers `text`: a wanted number is the text of its bytes, which is exact
 */
export function scanJson(bytes: Buffer, wanted: WantedKeys | null, numbers: 'value' | 'text' = 'value'): JsonScan {
  const start = skipSpace(bytes, 0);
  if (wanted === null) return endScan(bytes, skipValue(bytes, start, 0), undefined);
  const reader = new WantedReader(bytes, start, numbers === 'text');
  const value = reader.readValue(wanted, 0);
  return endScan(bytes, reader.at, value);
}

function endScan(bytes: Uint8Array, at: number, value: unknown): JsonScan {
  if (at === TOO_DEEP) return { ok: false, reason: 'too_deep' };
  if (at < 0) return { ok: false, reason: 'invalid_json', at: positionOf(at) };
  const end = skipSpace(bytes, at);
  if (end < bytes.length) return { ok: false, reason: 'invalid_json', at: end };
  return { ok: true, value };
}

/** Stands for all objects without a wanted key. */
const EMPTY_OBJECT: object = Object.freeze(Object.create(null));
const EMPTY_ARRAY: readonly unknown[] = Object.freeze([]);

/** Reads wanted values. It recurses as deep as the wanted keys only. */
class WantedReader {
  /** The position after what was read. Negative if it cannot be read. */
  at: number;
  readonly #bytes: Buffer;
  readonly #keepsDigits: boolean;
  #text: string | null = null;
  #decoded = 0;

  constructor(bytes: Buffer, at: number, keepsDigits: boolean) {
    this.#bytes = bytes;
    this.at = at;
    this.#keepsDigits = keepsDigits;
  }

  /** @param depth number of arrays and objects around the value */
  readValue(wanted: WantedKeys, depth: number): unknown {
    const first = this.#byteAt(this.at);
    if (first === OPEN_OBJECT) return this.#readObject(wanted, depth);
    return first === OPEN_ARRAY ? this.#readArray(wanted, depth) : this.#readScalar(wanted, first);
  }

  #readObject(wanted: WantedKeys, depth: number): object {
    if (wanted.isLeaf) {
      this.at = skipValue(this.#bytes, this.at, depth);
      return EMPTY_OBJECT;
    }
    let object: WantedValues | null = null;
    if (!this.#enter(depth, CLOSE_OBJECT)) return EMPTY_OBJECT;
    do {
      const found = this.#readKey(wanted);
      if (this.at < 0) return EMPTY_OBJECT;
      if (found === undefined) this.at = skipValue(this.#bytes, this.at, depth + 1);
      else {
        object ??= wanted.createObject();
        object[found.key] = this.readValue(found.wanted, depth + 1);
      }
    } while (this.#continues(CLOSE_OBJECT));
    return object ?? EMPTY_OBJECT;
  }

  /** Elements are read with the keys of the array. An array among them is skipped: nothing inside it is wanted. */
  #readArray(wanted: WantedKeys, depth: number): readonly unknown[] {
    if (!this.#enter(depth, CLOSE_ARRAY)) return EMPTY_ARRAY;
    const elements: unknown[] = [];
    const kinds = new Set<unknown>();
    do {
      const element = this.#readElement(wanted, depth + 1);
      const isKind = element === EMPTY_OBJECT || element === EMPTY_ARRAY || (element === null && !wanted.wantsScalar);
      if (isKind) kinds.add(element);
      else elements.push(element);
    } while (this.#continues(CLOSE_ARRAY));
    for (const kind of kinds) elements.push(kind);
    return elements;
  }

  #readElement(wanted: WantedKeys, depth: number): unknown {
    if (this.#byteAt(this.at) !== OPEN_ARRAY) return this.readValue(wanted, depth);
    this.at = skipValue(this.#bytes, this.at, depth);
    return EMPTY_ARRAY;
  }

  /** Enters a container. `false` if it is empty, or cannot be read. */
  #enter(depth: number, closer: number): boolean {
    if (depth === MAX_JSON_DEPTH) {
      this.at = TOO_DEEP;
      return false;
    }
    this.at = skipSpace(this.#bytes, this.at + 1);
    if (this.#byteAt(this.at) !== closer) return true;
    this.at += 1;
    return false;
  }

  /** After a member or an element: whether another follows. */
  #continues(closer: number): boolean {
    if (this.at < 0) return false;
    this.at = skipSpace(this.#bytes, this.at);
    const next = this.#byteAt(this.at);
    if (next === COMMA) {
      this.at = skipSpace(this.#bytes, this.at + 1);
      return true;
    }
    this.at = next === closer ? this.at + 1 : invalidAt(this.at);
    return false;
  }

  /** Reads a key and its colon. `undefined` if its value is not wanted. */
  #readKey(wanted: WantedKeys): WantedKey | undefined {
    const bytes = this.#bytes;
    const start = this.at + 1;
    if (this.#byteAt(this.at) !== QUOTE) {
      this.at = invalidAt(this.at);
      return undefined;
    }
    let hash = 0;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.at = skipColon(bytes, at + 1);
        return wanted.find(bytes, start, at, hash);
      }
      if (byte === BACKSLASH) return this.#readEscapedKey(wanted);
      if (byte < 0x20) break;
      hash = hashKeyByte(hash, byte);
    }
    this.at = invalidAt(at);
    return undefined;
  }

  #readEscapedKey(wanted: WantedKeys): WantedKey | undefined {
    const start = this.at;
    const after = skipString(this.#bytes, start);
    this.at = after < 0 ? after : skipColon(this.#bytes, after);
    return after < 0 ? undefined : wanted.findByName(this.#decode(start, after));
  }

  #readScalar(wanted: WantedKeys, first: number): string | number | boolean | null {
    const start = this.at;
    if (first > ZERO && first <= NINE && wanted.wantsScalar && !this.#keepsDigits) return this.#readNumber(start);
    this.at = skipScalar(this.#bytes, start, first);
    if (this.at < 0 || !wanted.wantsScalar) return null;
    if (first === QUOTE) return this.#decode(start, this.at);
    if (first === SMALL_T) return true;
    if (first === SMALL_F) return false;
    if (first === SMALL_N) return null;
    const digits = this.#textOf(start, this.at);
    return this.#keepsDigits ? digits : Number(digits);
  }

  /** Short integers are read directly, which takes a tenth of the time. */
  #readNumber(start: number): number | null {
    const bytes = this.#bytes;
    let value = 0;
    let at = start;
    for (; at < bytes.length && at - start < MAX_DIGITS; at += 1) {
      const byte = bytes[at]!;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
    }
    const next = this.#byteAt(at);
    const isInteger = next < ZERO || next > NINE;
    if (isInteger && next !== DOT && next !== SMALL_E && next !== CAPITAL_E) {
      this.at = at;
      return value;
    }
    this.at = skipScalar(bytes, start, bytes[start]!);
    return this.at < 0 ? null : Number(this.#textOf(start, this.at));
  }

  /** The text of a string with its quotes. */
  #decode(start: number, end: number): string {
    const bytes = this.#bytes;
    let [hasEscape, isAscii] = [false, true];
    for (let at = start; at < end; at += 1) {
      if (bytes[at] === BACKSLASH) hasEscape = true;
      if (bytes[at]! > 0x7f) isAscii = false;
    }
    if (hasEscape) return JSON.parse(isAscii ? this.#textOf(start, end) : bytes.toString('utf8', start, end)) as string;
    return isAscii ? this.#textOf(start + 1, end - 1) : bytes.toString('utf8', start + 1, end - 1);
  }

  /** A part of the document that is ASCII. Many parts share one decoded text, because each decoding has a fixed cost. */
  #textOf(start: number, end: number): string {
    this.#decoded += 1;
    if (this.#decoded <= MAX_SEPARATE_PARTS) return this.#bytes.toString('latin1', start, end);
    this.#text ??= this.#bytes.toString('latin1');
    return this.#text.slice(start, end);
  }

  #byteAt(at: number): number {
    return at < this.#bytes.length ? this.#bytes[at]! : 0;
  }
}

/** The text is decoded whole for more parts than this. */
const MAX_SEPARATE_PARTS = 16;

/** Integers of this length are exact. */
const MAX_DIGITS = 15;

const [DOT, ZERO, NINE, CAPITAL_E, SMALL_E] = [0x2e, 0x30, 0x39, 0x45, 0x65];
const [SMALL_T, SMALL_F, SMALL_N] = [0x74, 0x66, 0x6e];
