import pc from 'picocolors';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type Column, renderTable, truncateText, wrapText } from './table.ts';

const plain = pc.createColors(false);
const columns: Column<[string, string]>[] = [
  { head: 'NAME', text: ([name]) => name },
  { head: 'TEXT', text: ([, text]) => text },
];
const render = (rows: [string, string][], widthColumns: number | null) =>
  renderTable(columns, rows, { widthColumns, colors: plain });

describe('a table', () => {
  it('aligns columns without lines or trailing spaces', () => {
    expect(
      render(
        [
          ['a', 'one'],
          ['long-name', 'two'],
        ],
        null,
      ),
    ).toBe('NAME       TEXT\na          one\nlong-name  two');
  });

  it.each([5, 20, 40, 79, 80, 200])('never exceeds a terminal of %d columns with text that may be cut', (width) => {
    const rows: [string, string][] = [
      ['x'.repeat(300), 'y'.repeat(300)],
      ['データ'.repeat(40), '👩‍🚀🇩🇪'.repeat(40)],
    ];
    for (const line of render(rows, width).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it('cuts nothing if the output is not a terminal', () => {
    expect(render([['x'.repeat(300), 'y']], null)).toContain('x'.repeat(300));
  });

  it('shrinks the widest column first', () => {
    expect(render([['short-name', 'y'.repeat(100)]], 30)).toContain('short-name  y');
  });

  it('escapes characters that move the cursor, hide or reorder text', () => {
    const hostile = '\u001b[2J\u0007\r\n\u202eevil\u200b\u009b31m\u2028';
    const table = render([[hostile, 'b']], 80);
    expect(table.split('\n')).toHaveLength(2);
    expect(table).toContain('\\x1b[2J\\x07\\r\\n\\u{202e}evil\\u{200b}\\x9b31m\\u{2028}');
  });

  it('keeps wide characters aligned', () => {
    const [, first, second] = render(
      [
        ['データ', '|'],
        ['abcdef', '|'],
      ],
      null,
    ).split('\n');
    expect(stringWidth(first!.slice(0, first!.indexOf('|')))).toBe(stringWidth(second!.slice(0, second!.indexOf('|'))));
  });

  it('paints a cell without changing its width', () => {
    const painted: Column<string>[] = [
      { head: 'A', text: (row) => row, color: (_, colors) => colors.red },
      { head: 'B', text: () => 'b' },
    ];
    const table = renderTable(painted, ['x'.repeat(50)], { widthColumns: 20, colors: pc.createColors(true) });
    for (const line of table.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(20);
    expect(table).toContain('\u001b[31m');
  });
});

describe('a table with IDs and reasons', () => {
  const id = `dlv_${'0123456789'.repeat(3).slice(0, 26)}`;
  const reason = 'the secret is not the one that the sender signs with';
  const row = { id, label: 'Rejected (auth)', size: '1234', reason };
  const wide: Column<typeof row>[] = [
    { head: 'ID', text: (shown) => shown.id, narrow: 'whole' },
    { head: 'LABEL', text: (shown) => shown.label, narrow: 'whole' },
    { head: 'SIZE', text: (shown) => shown.size, narrow: 'whole', drop: 2 },
    { head: 'DELIVERY ID', text: () => 'build-1', narrow: 'whole', drop: 1 },
    { head: 'REASON', text: (shown) => shown.reason, narrow: 'below' },
  ];
  const draw = (width: number | null, rows = [row]) => renderTable(wide, rows, { widthColumns: width, colors: plain });

  it.each([10, 30, 40, 50, 60, 80, 120])('never cuts the ID, the label or the reason at %d columns', (width) => {
    const table = draw(width);
    expect(table).not.toContain('…');
    const words = table.split(/\s+/).join(' ');
    for (const text of [id, 'Rejected (auth)', reason]) expect(words).toContain(text);
  });

  it('prints the reason below its row if the row is too narrow', () => {
    expect(draw(80).split('\n')).toEqual([
      `ID${' '.repeat(30)}LABEL            SIZE  DELIVERY ID`,
      `${id}  Rejected (auth)  1234  build-1`,
      `  ${reason}`,
    ]);
  });

  it('prints nothing below a row without a reason', () => {
    expect(draw(80, [row, { ...row, reason: '-' }]).split('\n')).toHaveLength(4);
  });

  it('omits columns with high drop numbers first', () => {
    expect(draw(62).split('\n')[0]).toBe(`ID${' '.repeat(30)}LABEL            DELIVERY ID`);
    expect(draw(52).split('\n')[0]).toBe(`ID${' '.repeat(30)}LABEL`);
  });

  it('keeps a narrow column if a wider one with more priority does not fit', () => {
    expect(draw(58).split('\n')[0]).toBe(`ID${' '.repeat(30)}LABEL            SIZE`);
  });

  it('wraps the reason between words', () => {
    expect(draw(48).split('\n').slice(2)).toEqual(['  the secret is not the one that the sender', '  signs with']);
  });

  it('puts the label below the ID if not even both fit', () => {
    expect(draw(32).split('\n').slice(1, 3)).toEqual([id, '  Rejected (auth)']);
  });

  it('prints the lead before text below its row', () => {
    const led: Column<string>[] = [
      { head: 'NAME', text: () => 'a', narrow: 'whole' },
      { head: 'USED BY', text: (text) => text, narrow: 'below', lead: 'used by ' },
    ];
    expect(renderTable(led, ['one, two'], { widthColumns: 10, colors: plain })).toContain('\n  used by\n  one, two');
  });
});

describe('wrapText', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['same body as dlv_01jd3v8k6n', 9, ['same body', 'as', 'dlv_01jd3v8k6n']],
    ['データ データ', 7, ['データ', 'データ']],
  ])('breaks %j to %d columns', (text, width, lines) => {
    expect(wrapText(text, width)).toEqual(lines);
  });
});

describe('truncateText', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['データデータ', 6, 'デー…'],
    ['👩‍🚀👩‍🚀👩‍🚀', 4, '👩‍🚀…'],
    ['abc', 1, '…'],
  ])('cuts %j to %d columns', (text, width, expected) => {
    expect(truncateText(text, width)).toBe(expected);
  });
});
