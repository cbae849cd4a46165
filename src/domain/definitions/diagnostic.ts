/** A position in a file. Both numbers start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** Severity of a diagnostic: an error prevents the apply, a warning does not. */
export type Severity = 'error' | 'warning';

/** One diagnostic of a definition tree. `line` and `column` start at 1. */
export interface Diagnostic {
  severity: Severity;
  /** Stable ID of the rule, for example `webhook/unknown-key`. */
  rule: string;
  /** Path of the file, relative to the root of the repository; `''` for diagnostics of the whole tree. */
  file: string;
  line: number;
  column: number;
  /** Key path inside the file, for example `triggers[0].filter.payload.level`; `''` for the whole file. */
  path: string;
  /** What is wrong. */
  message: string;
  /** The action to take; `''` if the message needs none. */
  hint: string;
}

/** Whether any of these diagnostics prevents the apply. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Orders diagnostics by file, line, column, then rule. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.rule, b.rule);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
