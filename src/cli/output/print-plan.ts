import type { BacktestExample, PlanPreview } from '../../client/api-types.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { describeUnrecorded } from '../../domain/words/payload-filters.ts';
import { describeSides } from '../../reconcile/plan-report/leaf-changes.ts';
import {
  describeExamined,
  describeStarts,
  listOtherSchedules,
  listPlannedItems,
  listWarnings,
  NOTHING_STORED,
  type PlannedItem,
  summarisePlan,
} from '../../reconcile/plan-report/plan-summary.ts';
import type { Colors } from './colors.ts';
import { describeCommit, describeDiagnostic, shortenRevision } from './describe-reconciliation.ts';
import type { Output } from './output.ts';

/** Prints a plan for people: the changed keys, missing secrets, and the backtest of changed triggers. */
export function printPlan(output: Output, plan: PlanPreview): void {
  const items = listPlannedItems(plan);
  const live =
    plan.applied_revision === null ? 'nothing is live yet' : `${shortenRevision(plan.applied_revision)} is live`;
  const commit = describeCommit(plan.applied_commit);
  output.line(`Plan for ${escapeText(plan.factory)}; ${live}${commit === null ? '' : `: ${escapeText(commit)}`}.`);
  for (const item of items) printItem(output, item);
  for (const schedule of listOtherSchedules(plan, items)) output.line(`  = ${escapeText(schedule)}`);
  for (const warning of listWarnings(plan)) output.line(describeDiagnostic(warning, output.colors));
  printMissing(output, plan);
  printBacktest(output, plan);
  output.line(`${summarisePlan(items)}.`);
}

const SIGNS = { create: '+', restore: '+', change: '~', enable: '~', disable: '~', delete: '-' } as const;
const PAINTS = { '+': 'green', '~': 'yellow', '-': 'red' } as const;
const NOTES = {
  create: '',
  restore: ' restored with its earlier UID',
  change: '',
  enable: ' enabled',
  disable: ' disabled: senders get 404',
  delete: ' deleted: senders get 404',
} as const;

function printItem(output: Output, { kind, action, name, uid, url, changes, triggers }: PlannedItem): void {
  const sign = SIGNS[action];
  const note = kind === 'webhook' ? NOTES[action] : NOTES[action].replace(': senders get 404', '');
  output.line(`  ${output.colors[PAINTS[sign]](sign)} ${kind} ${output.colors.bold(escapeText(name))}${note}`);
  if (uid !== null) output.line(`      ${output.colors.dim(escapeText(url ?? uid))}`);
  for (const trigger of triggers) output.line(`      ${escapeText(trigger)}`);
  if (action === 'create' || action === 'delete') return;
  for (const change of changes) {
    const { from, to, place } = describeSides(change);
    output.line(`      ${escapeText(change.path)}${place}: ${escapeText(from)} → ${escapeText(to)}`);
  }
}

function printMissing(output: Output, { missing_secrets: missing }: PlanPreview): void {
  for (const { name, webhooks } of missing.filter((secret) => secret.webhooks.length > 0)) {
    const users = webhooks.map((webhook) => escapeText(webhook)).join(', ');
    const command = `dockbell secret create ${escapeText(name)}`;
    output.line(
      `${output.colors.yellow('waits')} for the secret ${escapeText(name)} of ${users}; create it: ${command}; if it exists, extend its scope`,
    );
  }
}

function printBacktest(output: Output, plan: PlanPreview): void {
  const { automations, stored } = plan.backtest;
  if (automations.length === 0) return;
  if (stored === 0) {
    output.line(NOTHING_STORED);
    return;
  }
  output.line(`Backtest with ${describeExamined(plan)}:`);
  for (const one of automations) {
    output.line(`  ${output.colors.bold(escapeText(one.automation))}: ${describeStarts(one)}`);
    if (one.unrecorded > 0) output.line(`    ${output.colors.yellow(describeUnrecorded(one.unrecorded))}`);
    printExamples(output, output.colors.green('+'), one.gained, one.gained_count);
    printExamples(output, output.colors.red('-'), one.lost, one.lost_count);
  }
}

function printExamples(
  { line, colors }: Output,
  sign: string,
  examples: readonly BacktestExample[],
  count: number,
): void {
  for (const example of examples) line(`    ${sign} ${describeExample(example, colors)}`);
  if (count > examples.length) line(`    ${sign} and ${count - examples.length} more`);
}

function describeExample({ delivery, received_at: at, message }: BacktestExample, colors: Colors): string {
  return `${escapeText(delivery)} ${colors.dim(escapeText(at))} ${escapeText(message)}`;
}
