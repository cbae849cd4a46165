import type { Page } from '../../client/list-rows.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import type { ChangedRows } from './changed-rows.ts';
import type { Output } from './output.ts';
import type { ResultKind } from './result-kinds.ts';
import { chooseFormat, type ResultOptions } from './result-options.ts';
import type { Column } from './table.ts';

type Result = Pick<CommandSession, 'output'>;

/** The rows of a list, and how a person sees them. */
interface ListedRows<Row> {
  kind: ResultKind<Row>;
  /** What the API answered. `--fields` selects keys of its rows. */
  page: Page<Row> & { examined_to?: string | null };
  /** Prints the rows as text. */
  print(): void | Promise<void>;
  /** A function if they need further requests. */
  columns: readonly Column<Row>[] | (() => Promise<readonly Column<Row>[]>);
}

/** Prints a list in the format of the options. Without options: as text. */
export async function printRows<Row extends object>(
  result: Result,
  options: ResultOptions,
  rows: ListedRows<Row>,
): Promise<void> {
  const { output } = result;
  const { kind, page, print } = rows;
  const { fields, changes } = options;
  if (changes !== undefined) return printChanges(result, { ...options, changes }, rows);
  const format = chooseFormat(options);
  if (format === 'name') for (const row of page.data) output.line(escapeText(kind.nameOf(row)));
  else if (format === 'table' && fields === undefined) await print();
  else if (format === 'table') output.table(fields!.map(createFieldColumn), page.data);
  else if (fields === undefined) await printData(output, format, page);
  else await printData(output, format, { ...page, data: page.data.map((row) => pickFields(row, fields)) });
}

/** Prints each row that has changed on one line. Lists of IDs have the most recent first, so they are printed from the end. */
async function printChanges<Row extends object>(
  result: Result,
  options: ResultOptions & { changes: ChangedRows },
  { kind, page, columns }: ListedRows<Row>,
): Promise<void> {
  const { changes, fields } = options;
  const isName = chooseFormat(options) === 'name';
  const pick = (row: Row) => (fields === undefined ? row : pickFields(row, fields));
  const content = (row: Row) => (isName ? kind.nameOf(row) : pick(row));
  const changed = changes.take(page.data, { nameOf: (row) => kind.nameOf(row), content });
  if (changed.length === 0) return;
  const shown = typeof columns === 'function' ? await columns() : columns;
  const printText = (row: Row) => result.output.line(shown.map(({ text }) => escapeText(text(row))).join('  '));
  const printRow = await createRowPrinter(result, options, { kind, print: printText });
  (kind.names === 'IDs' ? changed.reverse() : changed).forEach(printRow);
}

interface TableRows<Row> extends Omit<ListedRows<Row>, 'print'> {
  /** Printed instead of a table without rows. */
  empty: string;
}

/** As `printRows`. The text is a table. */
export async function printList<Row extends object>(
  result: Result,
  options: ResultOptions,
  { kind, page, columns, empty }: TableRows<Row>,
): Promise<void> {
  const { output } = result;
  const print = async () => {
    if (page.data.length === 0) output.line(empty);
    else output.table(typeof columns === 'function' ? await columns() : columns, page.data);
  };
  await printRows(result, options, { kind, page, print, columns });
}

/** One object, and how a person sees it. */
interface ShownObject<Row> {
  kind: ResultKind<Row>;
  value: Row;
  /** Prints it as text. */
  print(): void | Promise<void>;
}

/** Prints one object in the format of the options. Without options: as text. */
export async function printObject<Row extends object>(
  { output }: Result,
  options: ResultOptions,
  { kind, value, print }: ShownObject<Row>,
): Promise<void> {
  const { fields } = options;
  const format = chooseFormat(options);
  if (format === 'name') output.line(escapeText(kind.nameOf(value)));
  else if (format !== 'table')
    await printData(output, format, fields === undefined ? value : pickFields(value, fields));
  else if (fields === undefined) await print();
  else output.fields(fields.map((field) => [field, describeValue(readField(value, field))]));
}

/** Prints an answer of the API that is not one of the kinds. It has no names and no fields. */
export async function printAnswer(
  { output }: Result,
  options: Pick<ResultOptions, 'json' | 'output'>,
  { value, print }: { value: object; print(): void | Promise<void> },
): Promise<void> {
  const format = chooseFormat(options);
  if (format === 'json' || format === 'yaml') await printData(output, format, value);
  else await print();
}

/** Prints rows as they arrive, each in the format of the options. `print` prints a row as text. */
export async function createRowPrinter<Row extends object>(
  { output }: Result,
  options: ResultOptions,
  { kind, print }: { kind: ResultKind<Row>; print(row: Row): void },
): Promise<(row: Row) => void> {
  const { fields } = options;
  const format = chooseFormat(options);
  const pick = (row: Row) => (fields === undefined ? row : pickFields(row, fields));
  if (format === 'name') return (row) => output.line(escapeText(kind.nameOf(row)));
  if (format === 'json') return (row) => output.jsonLine(pick(row));
  if (format === 'yaml') {
    const { writeYamlData } = await import('./write-yaml-data.ts');
    return (row) => output.data(`---\n${writeYamlData(pick(row))}`);
  }
  if (fields === undefined) return print;
  return (row) => output.line(fields.map((field) => escapeText(describeValue(readField(row, field)))).join('  '));
}

async function printData(output: Output, format: 'json' | 'yaml', value: object): Promise<void> {
  if (format === 'json') return output.json(value);
  // Imported here, because the library takes longer to load than most commands run.
  const { writeYamlData } = await import('./write-yaml-data.ts');
  output.data(writeYamlData(value));
}

/** The value with these keys only, in this order. Keys of objects within stay where they are. */
function pickFields(value: object, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const [name = '', key] = field.split('.');
    const found = (value as Record<string, unknown>)[name];
    if (key === undefined || typeof found !== 'object' || found === null) picked[name] = found ?? null;
    else picked[name] = { ...(picked[name] as object | undefined), [key]: readField(value, field) };
  }
  return picked;
}

/** The value of a field, `null` if there is none. */
function readField(value: object, field: string): unknown {
  const read = (from: unknown, key: string) => (from as Record<string, unknown> | null)?.[key] ?? null;
  return field.split('.').reduce<unknown>(read, value);
}

/** On a narrow terminal, the chosen fields move below the first one instead of being cut. */
function createFieldColumn<Row extends object>(field: string): Column<Row> {
  return {
    head: field.toUpperCase(),
    text: (row) => describeValue(readField(row, field)),
    narrow: 'whole',
    lead: `${field}: `,
  };
}

function describeValue(value: unknown): string {
  if (value === null || value === '') return '-';
  if (Array.isArray(value) && value.every((part) => typeof part !== 'object')) return value.join(',') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
