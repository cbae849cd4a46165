import stringWidth from 'string-width';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliContext, CliOutput } from '../context.ts';
import { type Colors, createColors } from './colors.ts';
import { type Column, renderTable } from './table.ts';

/** Writes results to standard output, and everything else to standard error. */
export interface Output {
  /** Colors for standard output. They do nothing if it is not a terminal or `NO_COLOR` is set. */
  colors: Colors;
  /** One line. Untrusted parts of it must be escaped with `escapeText`. */
  line(text?: string): void;
  /** The API's JSON, indented. */
  json(value: unknown): void;
  /** One JSON value on one line, for streams. */
  jsonLine(value: unknown): void;
  /** JSON or YAML. */
  data(text: string): void;
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void;
  /** A list of `name: value` with aligned, escaped values. `null` omits the line. */
  fields(entries: readonly (readonly [string, string | null])[]): void;
  /** Unchanged bytes. */
  bytes(bytes: Uint8Array): void;
  /** A note for people, on standard error. */
  note(text: string): void;
}

export function createOutput(context: CliContext): Output {
  const { stdout } = context;
  const colors = createColors(stdout, context.env);
  const write = (text: string | Uint8Array) => {
    if (!context.outputClosed.aborted) stdout.write(text);
  };
  const line = (text = '') => write(`${text}\n`);
  const data = (text: string) => line(stdout.isTTY === true ? escapeData(text) : text);
  return {
    colors,
    line,
    json: (value) => data(JSON.stringify(value, null, 2)),
    jsonLine: (value) => data(JSON.stringify(value)),
    data,
    table: (columns, rows) => line(renderTable(columns, rows, { widthColumns: widthOf(stdout), colors })),
    fields: (entries) => entries.length > 0 && line(renderFields(entries, colors)),
    bytes: write,
    note: (text) => void context.stderr.write(`${text}\n`),
  };
}

/**
 * JSON contains characters of which terminals make control sequences. They occur in strings only, where the escaped form has
 * the same value. YAML puts quotes around strings with such characters.
 */
function escapeData(text: string): string {
  return text.replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

const DEFAULT_WIDTH = 80;

/** Width of the terminal in columns; `null` if the stream is not a terminal, so that nothing is cut for scripts. */
function widthOf(stream: CliOutput): number | null {
  // Terminals without a size (docker run -t, script) report 0 columns.
  return stream.isTTY === true ? stream.columns || DEFAULT_WIDTH : null;
}

function renderFields(entries: readonly (readonly [string, string | null])[], colors: Colors): string {
  const shown = entries.filter((entry): entry is readonly [string, string] => entry[1] !== null);
  const width = Math.max(...shown.map(([name]) => stringWidth(name))) + 1;
  return shown.map(([name, value]) => `${colors.bold(`${name}:`.padEnd(width + 1))}${escapeText(value)}`).join('\n');
}
