import { escapeText } from '../core/escape-text.ts';
import type { BacktestExample, PlanPreview } from './api-types.ts';
import { describeSides } from './leaf-changes.ts';
import {
  describeExamined,
  describeStarts,
  listPlannedItems,
  listWarnings,
  type PlannedItem,
  summarisePlan,
} from './plan-summary.ts';

/** A comment at GitHub may have 65,536 characters. */
const MAX_CHARACTERS = 60_000;

/**
 * A plan as a comment on a pull request. What comes from files or senders stands in code spans, where it can neither
 * format nor mention anybody.
 */
export function renderPlanMarkdown(plan: PlanPreview): string {
  const items = listPlannedItems(plan);
  const live =
    plan.applied_revision === null ? 'Nothing is live yet' : `${code(plan.applied_revision.slice(0, 12))} is live`;
  const parts = [
    `### Dockbell plan for ${code(plan.factory)}: ${summarisePlan(items)}`,
    `${live}.`,
    renderItems(items),
    renderMissing(plan),
    renderFindings(plan),
    renderBacktest(plan),
  ].filter((part) => part !== '');
  return cut(`${parts.join('\n\n')}\n`);
}

function renderItems(items: readonly PlannedItem[]): string {
  if (items.length === 0) return '';
  const rows = items.map((item) => `| ${item.action} | ${item.kind} ${code(item.name)} | ${renderChanges(item)} |`);
  return ['| | | |', '| --- | --- | --- |', ...rows].join('\n');
}

function renderChanges({ action, url, changes }: PlannedItem): string {
  const shown = action === 'create' || action === 'delete' ? [] : changes;
  const lines = shown.map((change) => {
    const { from, to, place } = describeSides(change);
    return `${code(change.path)}${place}: ${code(from)} → ${code(to)}`;
  });
  return [...(url === null ? [] : [code(url)]), ...lines].join('<br>');
}

function renderMissing({ missing_secrets: missing }: PlanPreview): string {
  const lines = missing
    .filter(({ webhooks }) => webhooks.length > 0)
    .map(({ name, webhooks }) => `- ${code(name)}, for ${webhooks.map(code).join(', ')}`);
  return lines.length === 0 ? '' : `**The apply waits for secrets that do not exist:**\n\n${lines.join('\n')}`;
}

function renderFindings(plan: PlanPreview): string {
  const lines = listWarnings(plan).map(({ file, line, message }) => `- ${code(`${file}:${line}`)} ${code(message)}`);
  return lines.length === 0 ? '' : `**Warnings**\n\n${lines.join('\n')}`;
}

function renderBacktest(plan: PlanPreview): string {
  const { automations, stored } = plan.backtest;
  if (automations.length === 0) return '';
  if (stored === 0) return 'No delivery of the last days is stored that changed triggers could be put before.';
  const blocks = automations.map((one) => {
    const examples = [...renderExamples('gained', one.gained), ...renderExamples('lost', one.lost)];
    const head = `${code(one.automation)}: **${describeStarts(one)}**`;
    if (examples.length === 0) return `- ${head}`;
    return `<details><summary>${escapeHtml(one.automation)}: ${describeStarts(one)}</summary>\n\n${examples.join('\n')}\n\n</details>`;
  });
  return [`**Put before ${describeExamined(plan)}**`, ...blocks].join('\n\n');
}

function renderExamples(kind: string, examples: readonly BacktestExample[]): string[] {
  return examples.map(
    ({ delivery, received_at: at, message }) => `- ${kind} ${code(delivery)} (${at}): ${code(message)}`,
  );
}

/** A code span: fenced by more backticks than the text has in a row, a table's bars escaped, on one line. */
function code(text: string): string {
  const line = escapeText(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function escapeHtml(text: string): string {
  return escapeText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b');
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const kept = text.slice(0, text.lastIndexOf('\n', MAX_CHARACTERS));
  return `${kept}\n\nThe rest is left out here; \`dockbell plan\` shows all of it.\n`;
}
