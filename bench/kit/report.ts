import type { Row, Table, Target } from './benchmark.ts';
import type { FsyncTime, Machine } from './machine.ts';
import { takeLargest, takeMedian, takeSmallest } from './statistics.ts';

/** Everything that one run measured. `--json` prints it. */
export interface Report {
  name: string;
  rounds: number;
  machine: Machine;
  /** `null` if the figures do not include waiting for the disk. */
  fsync: FsyncTime | null;
  tables: Table[];
}

const HEADS = ['', 'median', 'minimum', 'maximum', 'target', 'met'];
const SPREAD_HEADS = ['minimum', 'maximum'];
const TARGET_HEADS = ['target', 'met'];

/** The report as text for a terminal. */
export function formatReport({ name, rounds, machine, fsync, tables }: Report): string {
  const { cores, cpu, node } = machine;
  const disk = fsync === null ? '' : `, ${describeFsync(fsync)}`;
  const head = `${name}: ${rounds} rounds, ${cores} cores (${cpu}), Node ${node}${disk}`;
  return `${[head, ...tables.map(formatTable)].join('\n\n')}\n`;
}

/** Shown with durable figures, because they depend on the disk. */
export function describeFsync({ medianMs, minMs, maxMs }: FsyncTime): string {
  return `fdatasync of 4 KiB ${medianMs.toFixed(2)} ms (${minMs.toFixed(2)} to ${maxMs.toFixed(2)})`;
}

function formatTable({ title, notes, rows }: Table): string {
  const lines = composeLines(rows);
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  const body = lines.map((cells) => cells.map(pad).join('  ').trimEnd());
  return [title, ...body, ...notes.map((note) => `- ${note}`)].join('\n');
}

/** The table in Markdown. */
export function formatMarkdownTable({ rows }: Pick<Table, 'rows'>): string {
  const [heads = [], ...body] = composeLines(rows);
  const lines = [['measure', ...heads.slice(1)], heads.map(() => '---'), ...body];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

/** A head and a line for each row, without the columns that no row uses. */
function composeLines(rows: readonly Row[]): string[][] {
  const hasTargets = rows.some(({ target }) => target !== undefined);
  const isSingle = rows.every(({ samples }) => samples.length === 1);
  const isShown = (head: string) =>
    (hasTargets || !TARGET_HEADS.includes(head)) && (!isSingle || !SPREAD_HEADS.includes(head));
  const columns = HEADS.flatMap((head, column) => (isShown(head) ? [column] : []));
  const heads = HEADS.map((head) => (isSingle && head === 'median' ? 'value' : head));
  return [heads, ...rows.map(describeRow)].map((cells) => columns.map((column) => cells[column]!));
}

/** Cells in the order of `HEADS`. */
function describeRow({ measure, unit, samples, target }: Row): string[] {
  const format = (value: number) => formatValue(value, unit);
  const [median, smallest, largest] = [takeMedian(samples), takeSmallest(samples), takeLargest(samples)];
  const figures = [median, smallest, largest].map(format);
  if (target === undefined) return [measure, ...figures, '', ''];
  const compared = target.of === 'maximum' ? largest : median;
  return [measure, ...figures, describeTarget(target, format), isMet(target, compared) ? 'yes' : 'no'];
}

function describeTarget({ atMost, atLeast, stretch, of }: Target, format: (value: number) => string): string {
  const limit = atMost === undefined ? `≥ ${format(atLeast!)}` : `≤ ${format(atMost)}`;
  return `${of ?? ''} ${limit}${stretch === undefined ? '' : ` (stretch ${format(stretch)})`}`.trim();
}

function isMet({ atMost, atLeast }: Target, value: number): boolean {
  return atMost === undefined ? value >= atLeast! : value <= atMost;
}

function formatValue(value: number, unit: Row['unit']): string {
  const number = formatNumber(value, unit);
  if (unit === '' || unit === '×') return `${number}${unit}`;
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`;
}

function formatNumber(value: number, unit: Row['unit']): string {
  if (!Number.isFinite(value)) return '-';
  if (unit === '×') return value.toFixed(2);
  if (unit === '' && Number.isInteger(value)) return value.toLocaleString('en');
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
