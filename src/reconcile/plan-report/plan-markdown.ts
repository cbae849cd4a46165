import type { BacktestExample, PlanPreview } from '../../client/api-types.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { describeUnrecorded } from '../../domain/words/payload-filters.ts';
import { codeMarkdown, escapeHtml } from '../../domain/words/posted-markdown.ts';
import { describeSides } from './leaf-changes.ts';
import {
  describeExamined,
  describeStarts,
  formatCount,
  listPlannedItems,
  listWarnings,
  NOTHING_STORED,
  type PlannedItem,
  summarisePlan,
} from './plan-summary.ts';

/** Below the limit of 65,536 characters for a comment on GitHub. */
const MAX_CHARACTERS = 60_000;

/**
 * A plan as a comment on a pull request. Texts of files and senders are in code spans, where they cannot format text or
 * mention users.
 */
export function renderPlanMarkdown(plan: PlanPreview): string {
  const items = listPlannedItems(plan);
  const live =
    plan.applied_revision === null
      ? 'Nothing is live yet'
      : `${codeMarkdown(plan.applied_revision.slice(0, 12))} is live`;
  const parts = [
    `### Dockbell plan for ${codeMarkdown(plan.factory)}: ${summarisePlan(items)}`,
    `${live}.`,
    renderItems(items),
    renderMissing(plan),
    renderFindings(plan),
    renderBacktest(plan),
  ].filter((part) => part !== '');
  return cut(`${parts.join('\n\n')}\n`);
}

/** The findings of an invalid definition, quoted as text, instead of a plan. */
export function renderInvalidMarkdown(findings: string): string {
  const text = findings.replaceAll('~~~', '~ ~ ~');
  const kept = text.length <= MAX_CHARACTERS ? text : `${text.slice(0, text.lastIndexOf('\n', MAX_CHARACTERS))}\n`;
  const rest =
    kept === text ? '' : `\nThe rest is omitted. Run ${codeMarkdown('dockbell validate')} to see all findings.\n`;
  return `### Dockbell plan: invalid\n\n~~~text\n${kept}~~~\n${rest}`;
}

function renderItems(items: readonly PlannedItem[]): string {
  if (items.length === 0) return '';
  const rows = items.map(
    (item) => `| ${item.action} | ${item.kind} ${codeMarkdown(item.name)} | ${renderChanges(item)} |`,
  );
  return ['| | | |', '| --- | --- | --- |', ...rows].join('\n');
}

function renderChanges({ action, url, changes, triggers }: PlannedItem): string {
  const shown = action === 'create' || action === 'delete' ? [] : changes;
  const lines = shown.map((change) => {
    const { from, to, place } = describeSides(change);
    return `${codeMarkdown(change.path)}${place}: ${codeMarkdown(from)} → ${codeMarkdown(to)}`;
  });
  return [...(url === null ? [] : [codeMarkdown(url)]), ...triggers.map(codeMarkdown), ...lines].join('<br>');
}

function renderMissing({ missing_secrets: missing }: PlanPreview): string {
  const lines = missing
    .filter(({ webhooks }) => webhooks.length > 0)
    .map(({ name, webhooks }) => {
      return `- ${codeMarkdown(name)}, for ${webhooks.map(codeMarkdown).join(', ')}: ${codeMarkdown(`dockbell secret create ${name}`)}`;
    });
  return lines.length === 0
    ? ''
    : `**The apply waits for secrets that do not exist, or whose scope excludes the factory:**\n\n${lines.join('\n')}`;
}

function renderFindings(plan: PlanPreview): string {
  const findings = listWarnings(plan);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity !== 'error');
  return [renderList('Errors', errors), renderList('Warnings', warnings)].filter((part) => part !== '').join('\n\n');
}

function renderList(title: string, findings: readonly Diagnostic[]): string {
  const lines = findings.map(
    ({ file, line, message }) => `- ${codeMarkdown(`${file}:${line}`)} ${codeMarkdown(message)}`,
  );
  return lines.length === 0 ? '' : `**${title}**\n\n${lines.join('\n')}`;
}

function renderBacktest(plan: PlanPreview): string {
  const { automations, stored } = plan.backtest;
  if (automations.length === 0) return '';
  if (stored === 0) return NOTHING_STORED;
  const blocks = automations.map((one) => {
    const examples = [
      ...(one.unrecorded > 0 ? [`- ${describeUnrecorded(one.unrecorded)}`] : []),
      ...renderExamples('gained', one.gained, one.gained_count),
      ...renderExamples('lost', one.lost, one.lost_count),
    ];
    const head = `${codeMarkdown(one.automation)}: **${describeStarts(one)}**`;
    if (examples.length === 0) return `- ${head}`;
    return `<details><summary>${escapeHtml(one.automation)}: ${describeStarts(one)}</summary>\n\n${examples.join('\n')}\n\n</details>`;
  });
  return [`**Backtest with ${describeExamined(plan)}**`, ...blocks].join('\n\n');
}

function renderExamples(kind: string, examples: readonly BacktestExample[], count: number): string[] {
  const lines = examples.map(
    ({ delivery, received_at: at, message }) =>
      `- ${kind} ${codeMarkdown(delivery)} (${at})${message === '' ? '' : `: ${codeMarkdown(message)}`}`,
  );
  return count > examples.length ? [...lines, `- ${kind} ${formatCount(count - examples.length)} more`] : lines;
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const kept = text.slice(0, text.lastIndexOf('\n', MAX_CHARACTERS));
  return `${kept}\n\nThe rest is omitted. Run \`dockbell plan\` to see the complete plan.\n`;
}
