import Table from 'cli-table3';
import pc from 'picocolors';
import stringWidth from 'string-width';
import { escapeText } from '../core/escape-text.ts';
import type { CliContext, CliOutput } from './context.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** One column of a table. `color` paints the whole cell and never changes its width. */
export interface Column<Row> {
  head: string;
  /** The plain text of the cell; escaped here, so that names of strangers cannot drive the terminal. */
  text(row: Row): string;
  color?(row: Row, colors: Colors): (text: string) => string;
  /** Narrowest width that the column shrinks to. */
  minWidth?: number;
}

/** Writes what commands have to say: results to standard output, the rest to standard error. */
export interface Output {
  /** Colours of standard output; they paint nothing where it is no terminal or `NO_COLOR` is set. */
  colors: Colors;
  /** A line of our own words; what came from elsewhere in it goes through `escapeText` first. */
  line(text?: string): void;
  /** The API's JSON, indented. */
  json(value: unknown): void;
  /** One JSON value on one line, for streams. */
  jsonLine(value: unknown): void;
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void;
  /** A list of `name: value` with aligned values; values are escaped; `null` leaves the line out. */
  fields(entries: readonly (readonly [string, string | null])[]): void;
  /** Bytes as they are. */
  bytes(bytes: Uint8Array): void;
  /** A remark for the person, on standard error. */
  note(text: string): void;
}

export function createOutput(context: CliContext): Output {
  const { stdout } = context;
  const colors = pc.createColors(hasColors(stdout, context.env));
  const write = (text: string | Uint8Array) => {
    if (!context.outputClosed.aborted) stdout.write(text);
  };
  const line = (text = '') => write(`${text}\n`);
  return {
    colors,
    line,
    json: (value) => line(JSON.stringify(value, null, 2)),
    jsonLine: (value) => line(JSON.stringify(value)),
    table: (columns, rows) => line(renderTable(columns, rows, { widthColumns: widthOf(stdout), colors })),
    fields: (entries) => entries.length > 0 && line(renderFields(entries, colors)),
    bytes: write,
    note: (text) => void context.stderr.write(`${text}\n`),
  };
}

/** Are colours wanted there? Only on a terminal, and never with `NO_COLOR` (no-color.org: set and not empty). */
export function hasColors(stream: CliOutput, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Width of the terminal in columns; `null` where there is none, and so nothing is cut for scripts. */
function widthOf(stream: CliOutput): number | null {
  return stream.isTTY === true ? (stream.columns ?? 80) : null;
}

const GAP = 2;
const DEFAULT_MIN_WIDTH = 6;

/** A table without lines. On a terminal the widest columns give way until it fits; elsewhere nothing is cut. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { widthColumns: number | null; colors: Colors },
): string {
  const cells = rows.map((row) => columns.map((column) => escapeText(column.text(row))));
  const natural = columns.map((column, i) =>
    Math.max(stringWidth(column.head), ...cells.map((row) => stringWidth(row[i]!))),
  );
  const widths = fitWidths(
    natural,
    columns.map((column) => column.minWidth ?? DEFAULT_MIN_WIDTH),
    options.widthColumns,
  );
  const table = createBareTable();
  table.push(columns.map((column, i) => options.colors.bold(truncateText(column.head, widths[i]!))));
  rows.forEach((row, r) => {
    table.push(
      columns.map((column, i) => paintCell(column, row, truncateText(cells[r]![i]!, widths[i]!), options.colors)),
    );
  });
  return trimLineEnds(table.toString());
}

function paintCell<Row>(column: Column<Row>, row: Row, text: string, colors: Colors): string {
  return column.color === undefined ? text : column.color(row, colors)(text);
}

function createBareTable() {
  const sides = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'];
  const inner = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
  const chars = Object.fromEntries([...sides, ...inner].map((name) => [name, '']));
  return new Table({
    chars: { ...chars, middle: ' '.repeat(GAP) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
}

function trimLineEnds(text: string): string {
  return text.replace(/(?<! ) +((?:\u001b\[\d+m)*)$/gm, '$1');
}

/**
 * Takes width away until the sum fits: first from the widest columns down to their minimum, then, on a very narrow
 * terminal, from all but the first, which names the row, and at last from that one too.
 */
function fitWidths(natural: readonly number[], minimum: readonly number[], total: number | null): number[] {
  if (total === null) return [...natural];
  const available = total - GAP * (natural.length - 1);
  const floors = [minimum, minimum.map((width, i) => (i === 0 ? width : 2)), natural.map(() => 1)];
  return floors.reduce<number[]>((widths, floor) => shrinkWidest(widths, floor, available), [...natural]);
}

/** Shrinks the widest column by one, again and again; a column never falls under its floor. */
function shrinkWidest(widths: readonly number[], floor: readonly number[], available: number): number[] {
  const shrunk = [...widths];
  for (let excess = shrunk.reduce((sum, width) => sum + width, 0) - available; excess > 0; excess--) {
    const shrinkable = shrunk.map((width, i) => (width > floor[i]! ? width : 0));
    const widest = shrinkable.indexOf(Math.max(...shrinkable));
    if (shrinkable[widest] === 0) break;
    shrunk[widest]!--;
  }
  return shrunk;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts to so many terminal columns, with `…` where something is missing; wide characters are never halved. */
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

function renderFields(entries: readonly (readonly [string, string | null])[], colors: Colors): string {
  const shown = entries.filter((entry): entry is readonly [string, string] => entry[1] !== null);
  const width = Math.max(...shown.map(([name]) => stringWidth(name))) + 1;
  return shown.map(([name, value]) => `${colors.bold(`${name}:`.padEnd(width + 1))}${escapeText(value)}`).join('\n');
}
