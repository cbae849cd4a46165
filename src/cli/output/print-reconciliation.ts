import type { Commit, PlanSection, Reconciliation } from '../../client/api-types.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { diffValues } from '../../domain/words/yaml-text.ts';
import { describeDiagnostic, isFailure, shortenRevision } from './describe-reconciliation.ts';
import type { Output } from './output.ts';
import { printDiff } from './print-diff.ts';

/** Prints the changes or the findings of a reconciliation. */
export function printReconciliation(output: Output, reconciliation: Reconciliation): void {
  const { colors } = output;
  const failed = isFailure(reconciliation);
  const result = failed ? colors.red(reconciliation.result) : colors.green(reconciliation.result);
  const message = reconciliation.message === '' ? '' : `: ${escapeText(reconciliation.message)}`;
  output.line(
    `${escapeText(reconciliation.factory)} at ${shortenRevision(reconciliation.revision)} ${result}${message}`,
  );
  printCommit(output, reconciliation.commit);
  for (const diagnostic of reconciliation.diagnostics) output.line(`  ${describeDiagnostic(diagnostic, colors)}`);
  if (reconciliation.result === 'applied') printPlan(output, reconciliation);
}

function printCommit({ line, colors }: Output, commit: Commit | null): void {
  if (commit === null) return;
  const { subject, author, committed_at: at, url } = commit;
  const link = url === null ? '' : `, ${escapeText(url)}`;
  line(`  ${colors.bold(escapeText(subject))}`);
  line(`  ${colors.dim(`by ${escapeText(author)} at ${escapeText(at)}${link}`)}`);
}

/** Prints what an apply created, changed and deleted. */
export function printPlan(output: Output, { plan }: Pick<Reconciliation, 'plan'>): void {
  printSection(output, 'webhook', plan.webhooks);
  printSection(output, 'automation', plan.automations);
}

/** Below the line of its object. */
const DIFF_INDENT = ' '.repeat(6);

function printSection(output: Output, kind: string, section: PlanSection): void {
  const { colors } = output;
  for (const entry of section.create) {
    output.line(
      `  ${colors.green('+')} ${kind} ${escapeText(entry.name)}${entry.restored ? ' (restored with its earlier UID)' : ''}`,
    );
  }
  for (const entry of section.update) {
    const keys = entry.changes.map((change) => escapeText(change.key)).join(', ');
    output.line(`  ${colors.yellow('~')} ${kind} ${escapeText(entry.name)}${keys === '' ? '' : ` (${keys})`}`);
    for (const change of entry.changes) printDiff(output, diffValues(change), DIFF_INDENT);
  }
  for (const entry of section.delete) output.line(`  ${colors.red('-')} ${kind} ${escapeText(entry.name)}`);
}
