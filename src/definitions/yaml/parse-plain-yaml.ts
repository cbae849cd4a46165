import type { Json, JsonObject } from '../../domain/json.ts';
import type { KeyPath } from './key-path.ts';

/** The values of a text and where they start. */
export interface PlainYaml {
  value: Json;
  /** Offsets of the value at `path` and of its key, as `YamlText.locate` describes them. */
  locate(path: KeyPath): { key: number; value: number };
}

/** A value with its offset. `keys` are those of a map; `children` are its values, or the entries of a list. */
interface PlainNode {
  offset: number;
  value: Json;
  keys: readonly PlainKey[] | null;
  children: readonly PlainNode[];
}

interface PlainKey {
  name: string;
  offset: number;
}

/** A line with content. */
interface Line {
  /** Offset of the first character after the indentation. */
  start: number;
  indent: number;
}

/**
 * Parses the part of YAML that most definitions consist of: block maps and lists, flow collections on one line, plain and
 * quoted scalars on one line. Takes a twentieth of the time of the YAML library. Returns `null` for every other text, valid
 * or not: `parseYaml` uses the library then. For all texts that it parses, the result is that of the library; a test
 * compares them.
 */
export function parsePlainYaml(text: string): PlainYaml | null {
  if (UNSUPPORTED.test(text)) return null;
  const root = new PlainParser(text).parse();
  return root === null ? null : { value: root.value, locate: (path) => locatePlain(root, path) };
}

// Tabs, carriage returns and other control characters, line separators, byte order marks, lone surrogates and everything
// beyond; markers and directives of documents.
const UNSUPPORTED = /[^\n -~\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\uffef]|^(?:---|\.\.\.|%)/m;

// Deeper values are rare, and `parseYaml` reports those that are too deep.
const MAX_DEPTH = 20;

/** Identifiers, also with dots and hyphens. Not the names of the constants of YAML. */
const KEY = /(?!(?:null|true|false|__proto__):)[a-z_][\w.-]*(?=:(?: |$))/imy;
/** Text that no rule of YAML reads as something else. `: ` and ` #` would end it. */
const PLAIN_TEXT = /[a-z_/$](?:[^\s:]|:(?=[^\s:])| +(?=[^\s:#]))*/iy;
const PLAIN_FLOW_TEXT = /[a-z_/$](?:[^\s:#,[\]{}]| +(?=[^\s:#,[\]{}]))*/iy;
const INTEGER = /(?:0|-?[1-9]\d{0,14})(?![^\s,\]}])/y;
const DOUBLE_QUOTED = /"([^"\\\n]*)"/y;
const SINGLE_QUOTED = /'([^'\n]*)'(?!')/y;
const SPACES = / */y;
/** Spaces and possibly a comment up to the end of the line. */
const LINE_END = /(?: +#[^\n]*| *)$/my;

/** Constants of YAML and texts that look like them. */
const CONSTANTS = /^(?:null|true|false)$/i;

class PlainParser {
  readonly #text: string;
  readonly #lines: Line[];
  /** Index of the current line. */
  #line = 0;
  /** Offset in the current line. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines = listLines(text);
  }

  parse(): PlainNode | null {
    const first = this.#lines[0];
    if (first === undefined || this.#isEntry(first)) return null;
    const root = this.#parseMap(first.indent, 0);
    return this.#line === this.#lines.length ? root : null;
  }

  /** Does a list entry start at the line? */
  #isEntry({ start }: Line): boolean {
    return this.#text.startsWith('- ', start);
  }

  #parseBlock(line: Line, depth: number): PlainNode | null {
    return this.#isEntry(line) ? this.#parseList(line.indent, depth) : this.#parseMap(line.indent, depth);
  }

  #parseMap(indent: number, depth: number): PlainNode | null {
    if (depth > MAX_DEPTH) return null;
    const offset = this.#lines[this.#line]!.start;
    const [value, keys, children]: [JsonObject, PlainKey[], PlainNode[]] = [{}, [], []];
    for (let line = this.#lines[this.#line]; line?.indent === indent; line = this.#lines[this.#line]) {
      if (this.#isEntry(line)) break;
      const name = this.#match(KEY, line.start);
      if (name === null || Object.hasOwn(value, name)) return null;
      const child = this.#parseMapValue(line.start + name.length + 1, indent, depth);
      if (child === null) return null;
      keys.push({ name, offset: line.start });
      children.push(child);
      value[name] = child.value;
    }
    return keys.length === 0 ? null : { offset, value, keys, children };
  }

  /** @param at after the colon */
  #parseMapValue(at: number, indent: number, depth: number): PlainNode | null {
    if (!this.#skipLineEnd(at)) return this.#parseLine(at, depth);
    const next = this.#lines[this.#line];
    if (next === undefined) return null;
    // A list may have the indentation of its key.
    const isNested = next.indent > indent || (next.indent === indent && this.#isEntry(next));
    return isNested ? this.#parseBlock(next, depth + 1) : null;
  }

  #parseList(indent: number, depth: number): PlainNode | null {
    if (depth > MAX_DEPTH) return null;
    const offset = this.#lines[this.#line]!.start;
    const children: PlainNode[] = [];
    for (let line = this.#lines[this.#line]; line?.indent === indent; line = this.#lines[this.#line]) {
      if (!this.#isEntry(line)) break;
      const child = this.#parseEntry(line, depth);
      if (child === null) return null;
      children.push(child);
    }
    return { offset, value: children.map((child) => child.value), keys: null, children };
  }

  #parseEntry(line: Line, depth: number): PlainNode | null {
    const start = this.#skipSpaces(line.start + 1);
    if (this.#match(KEY, start) === null) return this.#parseLine(start, depth);
    // A map that starts on the line of the entry: its other keys have the same column.
    const indent = line.indent + start - line.start;
    this.#lines[this.#line] = { start, indent };
    return this.#parseMap(indent, depth + 1);
  }

  /** A value that ends on its line. No rule takes a following line with more indentation, which would continue it. */
  #parseLine(at: number, depth: number): PlainNode | null {
    this.#at = this.#skipSpaces(at);
    const node = this.#parseFlow(depth + 1, PLAIN_TEXT);
    return node !== null && this.#skipLineEnd(this.#at) ? node : null;
  }

  #parseFlow(depth: number, plainText: RegExp): PlainNode | null {
    if (depth > MAX_DEPTH) return null;
    switch (this.#text[this.#at]) {
      case '[':
        return this.#parseFlowList(depth);
      case '{':
        return this.#parseFlowMap(depth);
      default:
        return this.#parseScalar(plainText);
    }
  }

  #parseFlowList(depth: number): PlainNode | null {
    const offset = this.#at;
    const children: PlainNode[] = [];
    const isClosed = this.#parseItems(']', () => {
      const child = this.#parseFlow(depth + 1, PLAIN_FLOW_TEXT);
      if (child !== null) children.push(child);
      return child !== null;
    });
    return isClosed ? { offset, value: children.map(({ value }) => value), keys: null, children } : null;
  }

  #parseFlowMap(depth: number): PlainNode | null {
    const offset = this.#at;
    const [value, keys, children]: [JsonObject, PlainKey[], PlainNode[]] = [{}, [], []];
    const isClosed = this.#parseItems('}', () => {
      const key = { name: this.#match(KEY, this.#at) ?? '', offset: this.#at };
      if (key.name === '' || Object.hasOwn(value, key.name)) return false;
      this.#at = this.#skipSpaces(this.#at + key.name.length + 1);
      const child = this.#parseFlow(depth + 1, PLAIN_FLOW_TEXT);
      if (child === null) return false;
      keys.push(key);
      children.push(child);
      value[key.name] = child.value;
      return true;
    });
    return isClosed ? { offset, value, keys, children } : null;
  }

  /** Parses what is between the brackets of a flow collection, up to and including the closing one. */
  #parseItems(close: string, parseItem: () => boolean): boolean {
    const text = this.#text;
    this.#at = this.#skipSpaces(this.#at + 1);
    if (text[this.#at] === close) {
      this.#at++;
      return true;
    }
    while (parseItem()) {
      this.#at = this.#skipSpaces(this.#at);
      const end = text[this.#at++];
      if (end === close) return true;
      if (end !== ',') return false;
      this.#at = this.#skipSpaces(this.#at);
    }
    return false;
  }

  #parseScalar(plainText: RegExp): PlainNode | null {
    const offset = this.#at;
    const value = this.#readScalar(plainText);
    return value === undefined ? null : { offset, value, keys: null, children: [] };
  }

  #readScalar(plainText: RegExp): Json | undefined {
    const offset = this.#at;
    const quoted = this.#match(DOUBLE_QUOTED, offset) ?? this.#match(SINGLE_QUOTED, offset);
    if (quoted !== null) {
      this.#at = offset + quoted.length;
      return quoted.slice(1, -1);
    }
    const plain = this.#match(INTEGER, offset) ?? this.#match(plainText, offset);
    if (plain === null) return undefined;
    this.#at = offset + plain.length;
    if (plain === 'true' || plain === 'false') return plain === 'true';
    if (plain === 'null') return null;
    if (CONSTANTS.test(plain)) return undefined;
    return /^[-\d]/.test(plain) ? Number(plain) : plain;
  }

  /** What the sticky expression matches at an offset; `null` if nothing. */
  #match(pattern: RegExp, at: number): string | null {
    pattern.lastIndex = at;
    return pattern.test(this.#text) ? this.#text.slice(at, pattern.lastIndex) : null;
  }

  #skipSpaces(at: number): number {
    SPACES.lastIndex = at;
    SPACES.test(this.#text);
    return SPACES.lastIndex;
  }

  /** Goes to the next line if only a comment follows on this one. */
  #skipLineEnd(at: number): boolean {
    LINE_END.lastIndex = at;
    const isEnd = LINE_END.test(this.#text);
    if (isEnd) this.#line++;
    return isEnd;
  }
}

/** The lines that are neither empty nor comments. */
function listLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let begin = 0; begin < text.length; ) {
    const newline = text.indexOf('\n', begin);
    const end = newline === -1 ? text.length : newline;
    let start = begin;
    while (start < end && text.charCodeAt(start) === 0x20) start++;
    if (start < end && text.charCodeAt(start) !== 0x23) lines.push({ start, indent: start - begin });
    begin = end + 1;
  }
  return lines;
}

function locatePlain(root: PlainNode, path: KeyPath): { key: number; value: number } {
  let node = root;
  let key = root.offset;
  for (const step of path) {
    const index = node.keys === null ? Number(step) : node.keys.findIndex(({ name }) => name === String(step));
    const child = node.children[index];
    if (child === undefined) break;
    key = node.keys === null ? child.offset : node.keys[index]!.offset;
    node = child;
  }
  return { key, value: node.offset };
}
