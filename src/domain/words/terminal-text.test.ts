import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import { LINEAR_GROWTH, measureGrowth } from '../../../test/helpers/measure-growth.ts';
import { PLAIN, type StyledLine, TerminalText, type TextStyle, textOf } from './terminal-text.ts';

function read(...chunks: string[]): StyledLine[] {
  const terminal = new TerminalText();
  const lines = chunks.flatMap((chunk) => terminal.write(chunk));
  return [...lines, terminal.openLine];
}

const textsOf = (...chunks: string[]) => read(...chunks).map(textOf);
const styleOf = (sequence: string): Partial<TextStyle> => {
  const style = read(`${sequence}x`)[0]!.at(-1)!.style;
  const keys = Object.keys(style) as (keyof TextStyle)[];
  return Object.fromEntries(keys.filter((key) => style[key] !== PLAIN[key]).map((key) => [key, style[key]]));
};

const ESC = '\x1b';

describe('TerminalText', () => {
  it.each([
    ['31', { foreground: 1 }],
    ['97;44', { foreground: 15, background: 4 }],
    ['1;3;4;9', { isBold: true, isItalic: true, isUnderlined: true, isStruck: true }],
    ['1;2;22', {}],
    ['31;0', {}],
    ['31;', {}],
    ['7;31', { isInverse: true, foreground: 1 }],
    ['38;5;9', { foreground: 9 }],
    ['38;5;196', { foreground: '#ff0000' }],
    ['48;5;244', { background: '#808080' }],
    ['38;2;1;2;255;1', { foreground: '#0102ff', isBold: true }],
    ['38:2:1:2:255', { foreground: '#0102ff' }],
    ['38:2::1:2:255;4:3', { foreground: '#0102ff', isUnderlined: true }],
    ['38;2;1;2;256;1', { isBold: true }],
    ['38;5;256;1', { isBold: true }],
    ['38', {}],
    ['5;8;53;777', {}],
    ['?25', {}],
  ])('reads the style of ESC [ %s m', (parameters, style) => {
    expect(styleOf(`${ESC}[${parameters}m`)).toEqual(style);
  });

  it('keeps a style across lines until it is reset', () => {
    const [first, second, third] = read(`${ESC}[31mred\nstill\nplain`.replace('plain', `${ESC}[mplain`));
    expect([first, second].map((line) => line![0]!.style.foreground)).toEqual([1, 1]);
    expect(third).toEqual([{ text: 'plain', style: PLAIN }]);
  });

  it.each([
    ['10%\r50%\r100%', '100%'],
    ['progress\rdone', 'doneress'],
    ['progress\r\x1b[Kdone', 'done'],
    ['progress\x1b[2Kdone', 'done'],
    ['progress\x1b[2K\x1b[1Gdone', 'done'],
    ['abc\b\bX', 'aXc'],
    ['abc\x1b[2DX', 'aXc'],
    ['windows\r', 'windows'],
    ['👩x\b\bab', 'ab'],
  ])('overwrites the line: %j', (output, shown) => {
    expect(textsOf(output)).toEqual([shown]);
  });

  it.each([
    ['title', `${ESC}]0;title\x07`],
    ['title with ST', `${ESC}]2;title${ESC}\\`],
    ['clipboard', `${ESC}]52;c;aGk=\x07`],
    ['clear screen', `${ESC}[2J`],
    ['cursor up', `${ESC}[5A`],
    ['cursor right', `${ESC}[999999999C`],
    ['cursor position', `${ESC}[1;1H`],
    ['hidden cursor', `${ESC}[?25l`],
    ['alternate screen', `${ESC}[?1049h`],
    ['character set', `${ESC}(0`],
    ['reset', `${ESC}c`],
    ['device control string', `${ESC}P+q544e${ESC}\\`],
    ['status report', `${ESC}[6n`],
  ])('removes sequences that do not set a style: %s', (_, sequence) => {
    expect(read(`a${sequence}b`)).toEqual([[{ text: 'ab', style: PLAIN }]]);
  });

  it('shows the text of a link without its target', () => {
    expect(textsOf(`${ESC}]8;;https://evil.example\x07text${ESC}]8;;\x07`)).toEqual(['text']);
  });

  it.each([`${ESC}]0;title`, `${ESC}[31`, `${ESC}P`, ESC, `${ESC}[${'1;'.repeat(3_000)}m`])(
    'shows a sequence without an end as text: %j',
    (output) => {
      expect(textsOf(`a${output}\nb`)).toEqual([`a${output}`, 'b']);
    },
  );

  it('limits the number of styles in a line', () => {
    for (const output of ['\x1b[31ma\x1b[32mb'.repeat(1_000), `x\b${'\x1b[31ma\x1b[32mb'.repeat(1_000)}`]) {
      const [line] = read(output);
      expect(line).toHaveLength(1_000);
      expect(textOf(line!)).toBe('ab'.repeat(1_000));
    }
  });

  it('splits lines that are too long', () => {
    const lines = textsOf(`${'x'.repeat(200_000)}\nnext`);
    expect(lines.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 3_392, 4]);
  });

  it.each(['\b', '\r', 'x\r', 'ab\b', `${ESC}[2Kx`, `${ESC}[K`, `${ESC}[`, `${ESC}]`, `${ESC}[1;`, `${ESC}[31mx`])(
    'needs time in proportion to the output: %j',
    (part) => {
      const growth = measureGrowth(20_000, (length) => void read(part.repeat(length / part.length)));
      expect(growth).toBeLessThan(LINEAR_GROWTH);
    },
  );

  const pieces = fc.oneof(
    fc.constantFrom(
      ESC,
      '[',
      ']',
      '31',
      '38;5;',
      'm',
      'K',
      '2K',
      'G',
      'D',
      '\r',
      '\n',
      '\b',
      '\x07',
      ';',
      ':',
      '\\',
      'P',
      '\x9b',
      '\t',
    ),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    anyText({ maxLength: 5 }),
  );
  const output = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));

  it('reads the same lines for all chunks of the output', () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat(200), { maxLength: 8 }), (text, cuts) => {
        const ends = [...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort((a, b) => a - b);
        const chunks = ends.map((end, i) => text.slice(i === 0 ? 0 : ends[i - 1], end));
        expect(read(...chunks)).toEqual(read(text));
      }),
      { numRuns: 500 },
    );
  });

  it('never makes text longer, and leaves no layout characters but tabs', () => {
    fc.assert(
      fc.property(output, (text) => {
        const lines = textsOf(text);
        expect(lines.join('').length).toBeLessThanOrEqual(text.length);
        expect(lines.join('')).not.toMatch(/[\n\r\b]/);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps text without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const plain = text.replace(/\p{Cc}/gu, '');
        expect(textsOf(plain)).toEqual([plain]);
      }),
    );
  });
});
