import pc from 'picocolors';
import stringWidth from 'string-width';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { listDiagnostics, summarise, type ValidationReport } from './validation-report.ts';

type Colors = ReturnType<typeof pc.createColors>;

// A line of a hostile file may be 256 KiB long. The excerpt shows only the text around the column.
const EXCERPT_BEFORE = 60;
const EXCERPT_AFTER = 60;

/** A report for people: the diagnostics, what triggers need from their provider, then a summary. */
export function formatPrettyReport(report: ValidationReport): string {
  const { green, red } = pc.createColors(report.color);
  return `${formatPretty(listDiagnostics(report), report)}${formatNotes(report)}${(report.valid ? green : red)(summarise(report))}\n`;
}

function formatNotes({ factories }: ValidationReport): string {
  const triggers = factories.flatMap((factory) => factory.triggers).filter(({ note }) => note !== null);
  return triggers.map(({ automation, trigger, note }) => `${escapeText(automation)}: ${trigger}: ${note}\n`).join('');
}

/**
 * Diagnostics for people: position, message, the line of the file with a caret below it, and the hint. Text from files is
 * escaped, so that no file can forge a line of the report or send escape sequences to the terminal.
 *
 * @param options.sources `file` of a diagnostic → text of that file
 */
export function formatPretty(
  diagnostics: readonly Diagnostic[],
  { sources, color }: { sources: ReadonlyMap<string, string>; color: boolean },
): string {
  if (diagnostics.length === 0) return '';
  const colors = pc.createColors(color);
  const readLine = createLineReader(sources);
  // More people can read pipeline logs than the repository, so no excerpt shows a line with a credential.
  const placeOf = ({ file, line }: Diagnostic) => `${line}:${file}`;
  const hidden = new Set(diagnostics.filter(({ rule }) => rule === 'file/exposed-secret').map(placeOf));
  const findings = diagnostics.map((diagnostic) =>
    formatFinding(diagnostic, hidden.has(placeOf(diagnostic)) ? undefined : readLine(diagnostic), colors),
  );
  return `${findings.join('\n')}\n${formatSummary(diagnostics, colors)}\n`;
}

function formatFinding(diagnostic: Diagnostic, sourceLine: string | undefined, colors: Colors): string {
  const { severity, rule, file, line, column, message, hint } = diagnostic;
  const place = file === '' ? '' : `${colors.bold(`${escapeText(file)}:${line}:${column}`)} `;
  const word = severity === 'error' ? colors.red('error') : colors.yellow('warning');
  const lines = [`${place}${word} ${escapeText(message)} ${colors.dim(`[${rule}]`)}`];
  if (sourceLine !== undefined) lines.push(...formatExcerpt(sourceLine, line, column, severity, colors));
  if (hint !== '') lines.push(`  ${colors.cyan('hint:')} ${escapeText(hint)}`);
  return `${lines.join('\n')}\n`;
}

/** Splits each file only once. */
function createLineReader(sources: ReadonlyMap<string, string>): (at: Diagnostic) => string | undefined {
  const linesByFile = new Map<string, string[]>();
  return ({ file, line }) => {
    const source = sources.get(file);
    if (source === undefined) return undefined;
    let lines = linesByFile.get(file);
    if (lines === undefined) {
      lines = source.replace(/^\ufeff/, '').split(/\r?\n/);
      linesByFile.set(file, lines);
    }
    return lines[line - 1];
  };
}

function formatExcerpt(
  text: string,
  line: number,
  column: number,
  severity: Diagnostic['severity'],
  colors: Colors,
): string[] {
  const from = Math.max(0, column - 1 - EXCERPT_BEFORE);
  const to = Math.min(text.length, column - 1 + EXCERPT_AFTER);
  const before = `${from > 0 ? '…' : ''}${escapeText(text.slice(from, column - 1))}`;
  const after = `${escapeText(text.slice(column - 1, to))}${to < text.length ? '…' : ''}`;
  const gutter = ' '.repeat(String(line).length);
  // Width as the terminal shows it: wide characters take two cells, escape sequences several.
  const caret = `${' '.repeat(stringWidth(before))}${'^'.repeat(countMarked(text, column))}`;
  const paint = severity === 'error' ? colors.red : colors.yellow;
  return [`  ${colors.dim(`${line} |`)} ${before}${after}`.trimEnd(), `  ${colors.dim(`${gutter} |`)} ${paint(caret)}`];
}

/** Width of the word that starts at the column: a key or a plain value. Anything else gets one caret. */
function countMarked(text: string, column: number): number {
  const word = /^[\w.$-]+/.exec(text.slice(column - 1, column - 1 + EXCERPT_AFTER))?.[0];
  return word?.length ?? 1;
}

function formatSummary(diagnostics: readonly Diagnostic[], colors: Colors): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const files = new Set(diagnostics.map(({ file }) => file).filter((file) => file !== '')).size;
  const counts = [
    ...(errors > 0 ? [colors.red(countOf(errors, 'error'))] : []),
    ...(warnings > 0 ? [colors.yellow(countOf(warnings, 'warning'))] : []),
  ];
  return `${counts.join(', ')}${files > 0 ? ` in ${countOf(files, 'file')}` : ''}`;
}
