/** Position where a text is not JSON, and what was expected. */
interface JsonFault {
  offset: number;
  message: string;
}

/** One value of a JSON text, at its start. Offsets count UTF-16 units. */
interface ScannedValue {
  /** Number of objects and arrays around it; 0 for the whole text. */
  depth: number;
  /** Its key, or its index in an array; `null` for the whole text. */
  step: string | number | null;
  keyOffset: number;
  valueOffset: number;
}

/**
 * Visits every value of a JSON text (RFC 8259) in order, with its position, which `JSON.parse` does not report. Not
 * recursive, so the nesting is not limited.
 *
 * @returns the first error, or `null`; an error exists exactly if `JSON.parse` throws
 */
export function scanJson(text: string, visit: (value: ScannedValue) => void = () => {}): JsonFault | null {
  return new JsonScanner(text, visit).scan();
}

/** An object or an array that is not closed yet. */
interface Open {
  isArray: boolean;
  step: string | number;
  keyOffset: number;
}

type Awaited = 'value' | 'value or close' | 'key' | 'key or close' | 'comma or close' | 'nothing';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const WHITE_SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class JsonScanner {
  readonly #text: string;
  readonly #visit: (value: ScannedValue) => void;
  readonly #open: Open[] = [];
  #offset = 0;
  #awaited: Awaited = 'value';
  #fault: JsonFault | null = null;

  constructor(text: string, visit: (value: ScannedValue) => void) {
    this.#text = text;
    this.#visit = visit;
  }

  scan(): JsonFault | null {
    for (;;) {
      this.#offset = matchEnd(WHITE_SPACE, this.#text, this.#offset);
      if (this.#offset === this.#text.length) return this.#awaited === 'nothing' ? null : this.#describe();
      if (!this.#step()) return this.#fault ?? this.#describe();
    }
  }

  /** Reads one token; `false` if it is not allowed there. */
  #step(): boolean {
    const char = this.#text[this.#offset]!;
    switch (this.#awaited) {
      case 'nothing':
        return false;
      case 'comma or close':
        return char === ',' ? this.#passComma() : this.#close(char);
      case 'key':
        return this.#readKey();
      case 'key or close':
        return char === '}' ? this.#close(char) : this.#readKey();
      case 'value or close':
        return char === ']' ? this.#close(char) : this.#readValue(char);
      default:
        return this.#readValue(char);
    }
  }

  #passComma(): boolean {
    const around = this.#open.at(-1)!;
    if (around.isArray) around.step = (around.step as number) + 1;
    this.#awaited = around.isArray ? 'value' : 'key';
    this.#offset++;
    return true;
  }

  #close(char: string): boolean {
    if (char !== (this.#open.at(-1)!.isArray ? ']' : '}')) return false;
    this.#open.pop();
    this.#offset++;
    this.#finishValue();
    return true;
  }

  #finishValue(): void {
    this.#awaited = this.#open.length === 0 ? 'nothing' : 'comma or close';
  }

  #readKey(): boolean {
    const from = this.#offset;
    if (this.#text[from] !== '"' || !this.#passString()) return false;
    const around = this.#open.at(-1)!;
    around.step = JSON.parse(this.#text.slice(from, this.#offset)) as string;
    around.keyOffset = from;
    this.#offset = matchEnd(WHITE_SPACE, this.#text, this.#offset);
    if (this.#text[this.#offset] !== ':') return this.#fail('Expected ":" after the key.');
    this.#offset++;
    this.#awaited = 'value';
    return true;
  }

  #readValue(char: string): boolean {
    this.#announce();
    if (char === '{' || char === '[') return this.#enter(char === '[');
    if (!this.#passScalar(char)) return false;
    this.#finishValue();
    return true;
  }

  #enter(isArray: boolean): boolean {
    this.#open.push({ isArray, step: isArray ? 0 : '', keyOffset: this.#offset });
    this.#awaited = isArray ? 'value or close' : 'key or close';
    this.#offset++;
    return true;
  }

  #announce(): void {
    const around = this.#open.at(-1);
    const valueOffset = this.#offset;
    const keyOffset = around === undefined || around.isArray ? valueOffset : around.keyOffset;
    this.#visit({ depth: this.#open.length, step: around?.step ?? null, keyOffset, valueOffset });
  }

  #passScalar(char: string): boolean {
    if (char === '"') return this.#passString();
    const end = matchEnd(char === '-' || (char >= '0' && char <= '9') ? NUMBER : WORD, this.#text, this.#offset);
    const moved = end > this.#offset;
    this.#offset = end;
    return moved;
  }

  #passString(): boolean {
    for (let offset = this.#offset + 1; offset < this.#text.length; ) {
      const code = this.#text.charCodeAt(offset);
      if (code === 0x22) {
        this.#offset = offset + 1;
        return true;
      }
      if (code < 0x20)
        return this.#fail('A string must not contain a line break or another control character.', offset);
      const next = code === 0x5c ? matchEnd(ESCAPE, this.#text, offset) : offset + 1;
      if (next === offset) return this.#fail('This "\\" is not followed by a valid escape.', offset);
      offset = next;
    }
    return this.#fail('The string that starts here has no closing double quote.');
  }

  #fail(message: string, offset = this.#offset): false {
    this.#fault = { offset, message };
    return false;
  }

  #describe(): JsonFault {
    const around = this.#open.at(-1);
    const closer = around === undefined ? '' : around.isArray ? ' or "]"' : ' or "}"';
    const message = EXPECTED[this.#awaited].replace('{closer}', closer);
    return { offset: this.#offset, message };
  }
}

const EXPECTED: Readonly<Record<Awaited, string>> = {
  value: 'Expected a value.',
  'value or close': 'Expected a value or "]".',
  key: 'Expected a key in double quotes.',
  'key or close': 'Expected a key in double quotes, or "}".',
  'comma or close': 'Expected ","{closer}.',
  nothing: 'Unexpected text after the value.',
};

/** End of the match that starts at `offset`; `offset` if nothing matches. */
function matchEnd(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}
