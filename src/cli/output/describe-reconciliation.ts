import type { Commit, Reconciliation } from '../../client/api-types.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { Colors } from './colors.ts';

/** An abbreviated commit. `-` for none. */
export function shortenRevision(revision: string | null): string {
  return revision === null ? '-' : escapeText(revision.slice(0, 12));
}

/** Who made a commit and why; `null` if it is not known. */
export function describeCommit(commit: Commit | null): string | null {
  return commit === null ? null : `${commit.subject} (${commit.author})`;
}

/** One finding in the format of compilers, with its hint on a second line. */
export function describeDiagnostic(diagnostic: Diagnostic, colors: Colors): string {
  const { file, line, column, severity, rule, message, hint } = diagnostic;
  const place = file === '' ? '' : `${escapeText(file)}:${line}:${column}: `;
  const painted = severity === 'error' ? colors.red(severity) : colors.yellow(severity);
  const head = `${place}${painted} ${escapeText(message)} ${colors.dim(`[${escapeText(rule)}]`)}`;
  return hint === '' ? head : `${head}\n    ${escapeText(hint)}`;
}

/** Is the earlier definition still live after this reconciliation? */
export function isFailure(reconciliation: Reconciliation): boolean {
  return reconciliation.result === 'invalid' || reconciliation.result === 'failed';
}
