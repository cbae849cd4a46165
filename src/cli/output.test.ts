import pc from 'picocolors';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Column } from './output.ts';
import { hasColors, renderTable, truncateText } from './output.ts';

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

  it.each([5, 20, 40, 79, 80, 200])('never exceeds a terminal of %d columns', (width) => {
    const rows: [string, string][] = [
      ['x'.repeat(300), 'y'.repeat(300)],
      ['データ'.repeat(40), '👩‍🚀🇩🇪'.repeat(40)],
    ];
    for (const line of render(rows, width).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it('cuts nothing where there is no terminal', () => {
    expect(render([['x'.repeat(300), 'y']], null)).toContain('x'.repeat(300));
  });

  it('takes columns away from the widest column first', () => {
    expect(render([['short-name', 'y'.repeat(100)]], 30)).toContain('short-name  y');
  });

  it('gives up its minimum widths on a terminal that is narrower, the first column last', () => {
    const wide: Column<string>[] = [
      { head: 'ID', text: (row) => row, minWidth: 20 },
      { head: 'A', text: (row) => row, minWidth: 20 },
      { head: 'B', text: (row) => row, minWidth: 20 },
    ];
    const table = renderTable(wide, ['x'.repeat(20)], { widthColumns: 30, colors: plain });
    expect(table.split('\n')[1]).toBe(`${'x'.repeat(20)}  xx…  xx…`.slice(0, 30));
  });

  it('writes out what would move the cursor, hide or reorder text', () => {
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

describe('colours', () => {
  const terminal = { isTTY: true } as never;
  it('are there on a terminal only, and never with NO_COLOR or a dumb terminal', () => {
    expect(hasColors(terminal, {})).toBe(true);
    expect(hasColors({} as never, {})).toBe(false);
    expect(hasColors(terminal, { NO_COLOR: '1' })).toBe(false);
    expect(hasColors(terminal, { NO_COLOR: '' })).toBe(true);
    expect(hasColors(terminal, { TERM: 'dumb' })).toBe(false);
  });
});
