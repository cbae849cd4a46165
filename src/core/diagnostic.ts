/** A place in a file. Both numbers count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** How bad a finding is: an error keeps a definition from applying, a warning does not. */
export type Severity = 'error' | 'warning';

/** One finding in a definition tree. `line` and `column` count from 1. */
export interface Diagnostic {
  severity: Severity;
  /** Stable id, `kind/what`, for example `webhook/unknown-key`. */
  rule: string;
  /** Path of the file, relative to the root of the repository; `''` for findings about the whole tree. */
  file: string;
  line: number;
  column: number;
  /** Key path inside the file, for example `triggers[0].filter.payload.level`; `''` for the whole file. */
  path: string;
  /** What is wrong. */
  message: string;
  /** What to do about it; `''` when the message says it all. */
  hint: string;
}

/** Does any of these findings keep the definition from applying? */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Orders findings as a reader walks a tree: by file, line, column, then rule. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.rule, b.rule);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
