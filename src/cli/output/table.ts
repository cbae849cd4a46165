import stringWidth from 'string-width';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { Colors } from './colors.ts';

/** One column of a table. `color` colors the whole cell and never changes its width. */
export interface Column<Row> {
  head: string;
  /** The plain text of the cell; escaped here, so that untrusted names cannot control the terminal. */
  text(row: Row): string;
  color?(row: Row, colors: Colors): (text: string) => string;
  /**
   * What happens on a terminal that is too narrow. `whole`: the text is never cut, as for IDs, names and states.
   * `below`: the text moves to separate lines below its row, as for reasons. Default: the text is cut, not below
   * `minWidth` columns.
   */
  narrow?: 'whole' | 'below';
  /** With `below`: printed before the text, which is no longer under its header. */
  lead?: string;
  minWidth?: number;
  /** If the terminal is still too narrow, columns with high numbers are omitted first. Default: never omitted. */
  drop?: number;
}

interface TableOptions {
  /** Width of the terminal. `null` prints each row on one line. */
  widthColumns: number | null;
  colors: Colors;
}

const GAP = 2;
const INDENT = 2;
const DEFAULT_MIN_WIDTH = 10;

/** A table without borders. Its columns say what happens on a narrow terminal. Otherwise nothing is cut or moved. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options: TableOptions): string {
  const cells = columns.map((column) => measureColumn(column, rows));
  const layout = chooseLayout(cells, options.widthColumns);
  const head = layout.inline.map(({ cell, width }) => options.colors.bold(pad(cell.column.head, width)));
  const lines = rows.flatMap((row, index) => renderRow(layout, { row, index, ...options }));
  return [head.join(' '.repeat(GAP)), ...lines].map(trimLineEnd).join('\n');
}

/** A column with its text for each row. */
interface Cells<Row> {
  column: Column<Row>;
  texts: string[];
  /** Terminal columns of the longest text, the head included. */
  naturalWidth: number;
}

interface Layout<Row> {
  inline: { cell: Cells<Row>; width: number }[];
  below: Cells<Row>[];
}

function measureColumn<Row>(column: Column<Row>, rows: readonly Row[]): Cells<Row> {
  const texts = rows.map((row) => escapeText(column.text(row)));
  const naturalWidth = texts.reduce((width, text) => Math.max(width, stringWidth(text)), stringWidth(column.head));
  return { column, texts, naturalWidth };
}

/**
 * First, columns with `below` move below their rows. Then cells are cut and columns are omitted. If the columns that
 * always stay are still too wide, all except the first one move below the row.
 */
function chooseLayout<Row>(cells: readonly Cells<Row>[], total: number | null): Layout<Row> {
  if (total === null || sumWidths(cells.map(naturalWidthOf)) <= total) return layOut(cells, cells.map(naturalWidthOf));
  const below = cells.filter(({ column }) => column.narrow === 'below');
  const others = cells.filter(({ column }) => column.narrow !== 'below');
  const inline = keepByPriority(others, total);
  if (sumWidths(inline.map(smallestWidthOf)) > total) return stack(inline, below, total);
  return { ...layOut(inline, shrinkToFit(inline, total)), below };
}

function layOut<Row>(cells: readonly Cells<Row>[], widths: readonly number[]): Layout<Row> {
  return { inline: cells.map((cell, index) => ({ cell, width: widths[index]! })), below: [] };
}

function stack<Row>(
  [first, ...others]: readonly Cells<Row>[],
  below: readonly Cells<Row>[],
  total: number,
): Layout<Row> {
  const width = first!.column.narrow === 'whole' ? first!.naturalWidth : Math.min(first!.naturalWidth, total);
  return { inline: [{ cell: first!, width }], below: [...others, ...below] };
}

function naturalWidthOf<Row>({ naturalWidth }: Cells<Row>): number {
  return naturalWidth;
}

function smallestWidthOf<Row>({ column, naturalWidth }: Cells<Row>): number {
  return column.narrow === 'whole' ? naturalWidth : Math.min(naturalWidth, column.minWidth ?? DEFAULT_MIN_WIDTH);
}

function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
}

/** The columns that always stay and, by priority, those that fit in the remaining width. */
function keepByPriority<Row>(cells: readonly Cells<Row>[], total: number): Cells<Row>[] {
  const kept = new Set(cells.filter(({ column }) => column.drop === undefined));
  const droppable = cells.filter(({ column }) => column.drop !== undefined);
  for (const cell of droppable.sort((a, b) => a.column.drop! - b.column.drop!)) {
    if (sumWidths([...kept, cell].map(smallestWidthOf)) <= total) kept.add(cell);
  }
  return cells.filter((cell) => kept.has(cell));
}

/** Takes width from the widest column that may be cut until the sum fits. */
function shrinkToFit<Row>(cells: readonly Cells<Row>[], total: number): number[] {
  const widths = cells.map(naturalWidthOf);
  for (let excess = sumWidths(widths) - total; excess > 0; excess--) {
    const shrinkable = widths.map((width, index) => (width > smallestWidthOf(cells[index]!) ? width : 0));
    widths[shrinkable.indexOf(Math.max(...shrinkable))]!--;
  }
  return widths;
}

function renderRow<Row>(
  { inline, below }: Layout<Row>,
  { row, index, widthColumns, colors }: TableOptions & { row: Row; index: number },
): string[] {
  const paint = ({ column }: Cells<Row>, text: string) => (column.color ? column.color(row, colors)(text) : text);
  const line = inline.map(({ cell, width }) => paint(cell, pad(truncateText(cell.texts[index]!, width), width)));
  const more = below.flatMap((cell) => {
    const text = cell.texts[index]!;
    if (text === '' || text === '-') return [];
    return placeBelow(cell.column, text, widthColumns! - INDENT).map((part) => ' '.repeat(INDENT) + paint(cell, part));
  });
  return [line.join(' '.repeat(GAP)), ...more];
}

function placeBelow<Row>({ narrow, lead = '' }: Column<Row>, text: string, widthColumns: number): string[] {
  return narrow === undefined ? [truncateText(text, widthColumns)] : wrapText(`${lead}${text}`, widthColumns);
}

/** Padding inside color codes is trimmed as well, because text colors are invisible on spaces. */
function trimLineEnd(line: string): string {
  return line.replace(/(?<! ) +((?:\u001b\[\d+m)*)$/, '$1');
}

function pad(text: string, widthColumns: number): string {
  return text + ' '.repeat(Math.max(0, widthColumns - stringWidth(text)));
}

/** Breaks text between words. A word that is longer than a line stays whole, so that an ID in it can be copied. */
export function wrapText(text: string, widthColumns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && stringWidth(joined) <= widthColumns) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts to this number of terminal columns, with `…` at the end of what is cut; wide characters are never halved. */
export function truncateText(text: string, widthColumns: number): string {
  if (stringWidth(text) <= widthColumns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > widthColumns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
