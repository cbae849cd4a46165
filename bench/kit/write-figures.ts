import { readFileSync, writeFileSync } from 'node:fs';
import type { Row, Table } from './benchmark.ts';
import { isBenchName } from './names.ts';
import { PUBLISHED } from './published.ts';
import { describeFsync, formatMarkdownTable, type Report } from './report.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);

/** Replaces the figures of a benchmark in `docs/performance.md`. */
export function writePage(report: Report): void {
  writeFileSync(PAGE, writeFigures(readFileSync(PAGE, 'utf8'), report));
}

/**
 * Replaces the figures of a benchmark in the page: the text between `<!-- figures: NAME -->` and `<!-- end -->`. All other
 * text is written by hand. The page has the rows with a target and those in `PUBLISHED`. Throws if the page has no such place.
 */
export function writeFigures(page: string, report: Report): string {
  const start = `<!-- figures: ${report.name} -->`;
  const end = '<!-- end -->';
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no ${start} with ${end} after it`);
  return `${page.slice(0, from + start.length)}\n${formatFigures(report)}\n${page.slice(to)}`;
}

function formatFigures({ name, rounds, machine, fsync, tables }: Report): string {
  const published = (isBenchName(name) && PUBLISHED[name]) || [];
  const isShown = ({ measure, target }: Row) => target !== undefined || published.includes(measure);
  const disk = fsync === null ? '' : `, ${describeFsync(fsync)}`;
  const { cores, cpu, memoryGiB, node } = machine;
  const head = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${cores} cores (${cpu}), ${memoryGiB} GiB, Node.js ${node}${disk}.`;
  const shown = tables.map((table) => ({ ...table, rows: table.rows.filter(isShown) }));
  return [head, ...shown.filter(({ rows }) => rows.length > 0).map(formatTable)].join('\n\n');
}

function formatTable({ title, rows, notes }: Table): string {
  const list = notes.map((note) => `- ${note}`).join('\n');
  return [`**${title}**`, formatMarkdownTable({ rows }), list].filter((part) => part !== '').join('\n\n');
}
