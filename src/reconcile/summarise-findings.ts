import type { Diagnostic } from '../domain/definitions/diagnostic.ts';

/** The first error with its location, and the number of other errors. */
export function summariseFindings(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  const [first] = errors;
  if (first === undefined) return 'the definition is not valid';
  const place = first.file === '' ? '' : `${first.file}:${first.line}:${first.column}: `;
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  return `${place}${first.message}${more}`;
}
