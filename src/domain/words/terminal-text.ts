/** A color of the terminal's palette (0 to 15), or an exact one. */
export type TextColor = number | `#${string}`;

/** How a part of a line looks. Hidden and blinking text is shown as normal text. */
export interface TextStyle {
  foreground: TextColor | null;
  background: TextColor | null;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  isStruck: boolean;
  /** Foreground and background are swapped. */
  isInverse: boolean;
}

/** A part of a line. The text can still contain control characters, which must be escaped. */
export interface StyledText {
  text: string;
  style: TextStyle;
}

export type StyledLine = readonly StyledText[];

export const PLAIN: TextStyle = {
  foreground: null,
  background: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
};

/** Longer lines are split, so that a line without an end stays cheap. */
const MAX_LINE_CHARACTERS = 65_536;
/** Later styles of a line are ignored, because each part costs a page much more than a character. */
const MAX_PARTS = 1_000;
/** Longer sequences are shown as text. */
const MAX_SEQUENCE_CHARACTERS = 4_096;

/**
 * Reads what a program writes to a terminal, line by line. Colors and text styles become `TextStyle`. Carriage returns,
 * backspaces and the deletion of the line overwrite the text of the line. All other control sequences are removed: cursor
 * movement, titles, links, the clipboard. Sequences without an end are text.
 *
 * The result does not depend on how the output is split into chunks.
 */
export class TerminalText {
  /** The output after the last line break. */
  #open = '';
  #style = PLAIN;

  /** Returns the lines that this text completes. */
  write(text: string): StyledLine[] {
    const lines: StyledLine[] = [];
    const raws = (this.#open + text).split('\n');
    this.#open = raws.pop()!;
    for (const raw of raws) {
      lines.push(this.#read(this.#splitLong(raw, lines)));
    }
    this.#open = this.#splitLong(this.#open, lines);
    return lines;
  }

  /** The last line, which later text can change. */
  get openLine(): StyledLine {
    return readLine(this.#open, this.#style).line;
  }

  /** Reads parts of the maximum length into `lines`, and returns the rest. */
  #splitLong(raw: string, lines: StyledLine[]): string {
    let rest = raw;
    while (rest.length > MAX_LINE_CHARACTERS) {
      const end = findCut(rest);
      lines.push(this.#read(rest.slice(0, end)));
      rest = rest.slice(end);
    }
    return rest;
  }

  #read(raw: string): StyledLine {
    const { line, style } = readLine(raw, this.#style);
    this.#style = style;
    return line;
  }
}

/** The text of a line without its styles. */
export function textOf(line: StyledLine): string {
  return line.map(({ text }) => text).join('');
}

/** Where a line that is too long is cut: not within a surrogate pair and, if possible, not within a sequence. */
function findCut(raw: string): number {
  const sequence = raw.lastIndexOf('\x1b', MAX_LINE_CHARACTERS);
  if (sequence > MAX_LINE_CHARACTERS - 64) return sequence;
  const isPair = /[\uD800-\uDBFF]/.test(raw[MAX_LINE_CHARACTERS - 1]!);
  return MAX_LINE_CHARACTERS - (isPair ? 1 : 0);
}

// ECMA-48: CSI with parameters, intermediate and final characters; OSC, DCS, APC, PM and SOS up to BEL or ST; two or three
// characters, for example to choose a character set.
const SEQUENCE = new RegExp(
  [
    String.raw`\x1b\[(?<parameters>[0-?]{0,${MAX_SEQUENCE_CHARACTERS}})(?<between>[ -/]{0,4})(?<final>[@-~])`,
    String.raw`\x1b[\]PX^_][^\x07\x1b]{0,${MAX_SEQUENCE_CHARACTERS}}(?:\x07|\x1b\\)`,
    String.raw`\x1b[ -/]{1,2}[0-~]`,
    String.raw`\x1b[0-OQ-WYZ\\\x60-~]`,
  ].join('|'),
  'y',
);
const SPECIAL = /[\x1b\r\b]/g;

function readLine(text: string, before: TextStyle): { line: StyledLine; style: TextStyle } {
  const raw = dropReturns(text);
  if (raw.search(SPECIAL) === -1) return { line: raw === '' ? [] : [{ text: raw, style: before }], style: before };
  const line = new LineWriter();
  let style = before;
  let at = 0;
  SPECIAL.lastIndex = 0;
  for (let found = SPECIAL.exec(raw); found !== null; found = SPECIAL.exec(raw)) {
    line.write(raw.slice(at, found.index), style);
    at = found.index;
    SEQUENCE.lastIndex = at;
    const sequence = SEQUENCE.exec(raw);
    if (sequence !== null) {
      style = applySequence(sequence.groups as unknown as SequenceParts, style, line);
      at = SEQUENCE.lastIndex;
    } else if (found[0] === '\x1b') {
      line.write('\x1b', style);
      at += 1;
    } else {
      line.moveBack(found[0] === '\r' ? Number.POSITIVE_INFINITY : 1);
      at += 1;
    }
    SPECIAL.lastIndex = at;
  }
  line.write(raw.slice(at), style);
  return { line: line.toLine(), style };
}

/** Carriage returns at the end of a line overwrite nothing. */
function dropReturns(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
}

interface SequenceParts {
  parameters?: string;
  between?: string;
  final?: string;
}

function applySequence({ parameters, between, final }: SequenceParts, style: TextStyle, line: LineWriter): TextStyle {
  if (parameters === undefined || between !== '') return style;
  if (final === 'm') return /^[0-9;:]*$/.test(parameters) ? applyStyle(parameters, style) : style;
  if (final === 'K') line.erase(parameters);
  else if (final === 'D') line.moveBack(Number(parameters || 1) || 0);
  else if (final === 'G' && /^[01]?$/.test(parameters)) line.moveBack(Number.POSITIVE_INFINITY);
  return style;
}

/** The text of one line and the position of the cursor in it. */
class LineWriter {
  #parts: StyledText[] = [];
  /** One part per character, as soon as the cursor has moved back. */
  #isSplit = false;
  #cursor = 0;

  write(text: string, style: TextStyle): void {
    if (text === '') return;
    if (!this.#isSplit) {
      this.#append(text, style);
      return;
    }
    for (const character of text) {
      this.#parts[this.#cursor] = { text: character, style };
      this.#cursor += 1;
    }
  }

  moveBack(count: number): void {
    if (!this.#isSplit) this.#split();
    this.#cursor = Math.max(0, this.#cursor - Math.max(0, count));
  }

  /** The cursor never moves to the right, so that a short sequence cannot create long text. */
  erase(what: string): void {
    if (!this.#isSplit) this.#split();
    if (what === '2') this.#cursor = 0;
    if (what === '' || what === '0' || what === '2') this.#parts.length = this.#cursor;
  }

  toLine(): StyledLine {
    if (!this.#isSplit) return this.#parts;
    const joined = new LineWriter();
    for (const { text, style } of this.#parts) joined.write(text, style);
    return joined.#parts;
  }

  #append(text: string, style: TextStyle): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && (last.style === style || this.#parts.length >= MAX_PARTS)) last.text += text;
    else this.#parts.push({ text, style });
  }

  #split(): void {
    this.#parts = this.#parts.flatMap(({ text, style }) =>
      Array.from(text, (character) => ({ text: character, style })),
    );
    this.#cursor = this.#parts.length;
    this.#isSplit = true;
  }
}

const SWITCHES: Readonly<Record<number, Partial<TextStyle>>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  29: { isStruck: false },
  39: { foreground: null },
  49: { background: null },
};

/** SGR: the parameters of `ESC [ … m`. Unknown ones change nothing. */
function applyStyle(parameters: string, before: TextStyle): TextStyle {
  const codes = parameters.split(';');
  let style = before;
  for (let i = 0; i < codes.length; i += 1) {
    const [code = 0, ...details] = codes[i]!.split(':').map(Number);
    if (code === 38 || code === 48) {
      const isOneCode = details.length > 0;
      const { color, used } = readColor(isOneCode ? dropColorSpace(details) : codes.slice(i + 1, i + 5).map(Number));
      if (!isOneCode) i += used;
      if (color !== null) style = change(style, code === 38 ? { foreground: color } : { background: color });
    } else if (code === 0) style = PLAIN;
    else style = change(style, code === 4 && details[0] === 0 ? { isUnderlined: false } : changeOf(code));
  }
  return style;
}

function changeOf(code: number): Partial<TextStyle> {
  if (code >= 30 && code <= 37) return { foreground: code - 30 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 90 && code <= 97) return { foreground: code - 82 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  return SWITCHES[code] ?? {};
}

/** Returns the same object if nothing changes, because parts with the same object are joined. */
function change(style: TextStyle, changed: Partial<TextStyle>): TextStyle {
  const keys = Object.keys(changed) as (keyof TextStyle)[];
  return keys.every((key) => style[key] === changed[key]) ? style : Object.assign({}, style, changed);
}

/** `2:<color space>:r:g:b` without the color space, which many programs omit. */
function dropColorSpace(details: number[]): number[] {
  return details[0] === 2 && details.length > 4 ? [2, ...details.slice(2)] : details;
}

/** `5;n` or `2;r;g;b`, and the number of codes that it uses. */
function readColor([kind, ...values]: number[]): { color: TextColor | null; used: number } {
  const isColor = (value: number | undefined) =>
    value !== undefined && Number.isInteger(value) && value >= 0 && value < 256;
  if (kind === 5) return { color: isColor(values[0]) ? pickIndexed(values[0]!) : null, used: 2 };
  if (kind === 2) {
    const channels = values.slice(0, 3);
    return { color: channels.length === 3 && channels.every(isColor) ? formatColor(channels) : null, used: 4 };
  }
  return { color: null, used: 1 };
}

/** The 256 colors of xterm: the palette, a cube of 6 × 6 × 6, and 24 grays. */
function pickIndexed(index: number): TextColor {
  if (index < 16) return index;
  if (index >= 232) return formatColor(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const steps = [Math.floor((index - 16) / 36), Math.floor((index - 16) / 6) % 6, (index - 16) % 6];
  return formatColor(steps.map((step) => (step === 0 ? 0 : 55 + step * 40)));
}

function formatColor(channels: readonly number[]): TextColor {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
