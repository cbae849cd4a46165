import { Option } from 'commander';
import type { Automation, AutomationTrigger, Pause, ProviderTrigger, Webhook } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { findAnswer, readAnswer } from '../../client/read-answer.ts';
import {
  describeCatchUp,
  describeMissed,
  describeSchedule,
  explainInactiveAutomation,
  listSelectedWebhooks,
  pickPolicy,
} from '../../domain/words/automations.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import { describeResults } from '../../domain/words/recent-activity.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { listWebhooks } from '../find/find-webhook.ts';
import type { WatchOptions } from '../follow/watch-list.ts';
import { writeAutomationFile } from '../input/automation-file.ts';
import { describeLastRun, describeWait } from '../output/describe-health.ts';
import { describeCommit, describeDiagnostic } from '../output/describe-reconciliation.ts';
import { formatInstantWithAge } from '../output/format-time.ts';
import { printList, printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';
import { describeUnknown, registerAutomationEditCommands } from './automation-edits.ts';

/** `dockbell automation …`: automations, their triggers, and why one does not start. */
export function declareAutomation(automation: CliCommand, bind: Bind): void {
  automation
    .command('list')
    .description('list automations with their triggers, last runs, and why one does not fire')
    .withWatch()
    .withResult(RESULT_KINDS.automation)
    .explain({ examples: [['dockbell automation list', 'all automations of the factory']] })
    .action(bind(listOrWatchAutomations));
  automation
    .command('show')
    .argument('<automation>', 'name of its folder or file in automations/')
    .description('show triggers, filter, prompt and last runs, and why it does not fire')
    .addOption(new Option('--as-file', 'print the text of its automation.md').conflicts(['output', 'quiet', 'fields']))
    .withResult(RESULT_KINDS.automation)
    .explain({
      examples: [
        ['dockbell automation show triage', 'which deliveries start it'],
        ['dockbell filter test --automation triage --payload event.json', 'would this event start it?'],
        [
          'dockbell automation show triage --as-file > triage.md',
          "edit the file, then run 'dockbell automation update'",
        ],
      ],
    })
    .action(bind(showAutomation));
  registerAutomationEditCommands(automation, bind);
}

async function listOrWatchAutomations(session: CommandSession, options: WatchOptions): Promise<number> {
  if (!options.watch) return listAutomations(session, options);
  const { watchList } = await import('../follow/watch-list.ts');
  return watchList(session, options, { factory: await session.factory(), print: listAutomations });
}

async function listAutomations(session: CommandSession, options: WatchOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const page = await listRows(
    (page) =>
      readAnswer(api.GET('/api/v1/factories/{factory}/automations', { params: { path: { factory }, query: page } })),
    null,
  );
  await printList(session, options, {
    kind: RESULT_KINDS.automation,
    page,
    columns: async () => createColumns(await listWebhooks(session), session.nowMs),
    empty:
      "No automations. Commit automations/<name>/automation.md, or run 'dockbell automation create NAME' in a managed or live factory.",
  });
  return EXIT_CODES.done;
}

function createColumns(webhooks: readonly Webhook[], nowMs: number): Column<Automation>[] {
  const explain = (automation: Automation) => explainInactiveAutomation(automation, webhooks);
  return [
    { head: 'NAME', text: (automation) => automation.name, narrow: 'whole' },
    { head: 'LISTENS TO', text: (automation) => describeSources(automation, webhooks), minWidth: 12, drop: 2 },
    {
      head: 'FILTER',
      text: ({ triggers }) => (triggers.some(isFiltered) ? 'yes' : 'no'),
      narrow: 'whole',
      drop: 1,
    },
    {
      head: 'FIRES',
      text: (automation) => (explain(automation).isInactive ? 'no' : 'yes'),
      color: (automation, colors) => (explain(automation).isInactive ? colors.yellow : colors.green),
      narrow: 'whole',
    },
    {
      head: 'LAST RUN',
      text: ({ results }) => describeLastRun(results, nowMs),
      color: ({ results }, colors) => (results.last_run?.state === 'failed' ? colors.red : (text) => text),
      narrow: 'whole',
      drop: 3,
    },
    {
      head: 'FAILED',
      text: ({ results: { recent_runs, recent_failed } }) =>
        recent_runs === 0 ? '-' : `${recent_failed} of ${recent_runs}`,
      narrow: 'whole',
      drop: 4,
    },
    {
      head: 'QUEUED',
      text: ({ oldest_queued_at }) => describeWait(oldest_queued_at, nowMs) ?? '-',
      narrow: 'whole',
      drop: 5,
    },
    {
      head: 'REASON',
      text: (automation) => describeObstacle(automation, explain(automation).reasons),
      narrow: 'below',
    },
  ];
}

/** The parts of the filter that require something. */
function listFilterParts(trigger: AutomationTrigger): [name: string, part: object][] {
  if ('service' in trigger) return [];
  const { headers, payload } = trigger.filter;
  return Object.entries({ headers, payload }).filter(
    (part): part is [string, NonNullable<typeof payload>] => part[1] !== null && Object.keys(part[1]).length > 0,
  );
}

/** Why the runs of an automation do not start, in a list. */
function describeObstacle({ pause }: Automation, [reason]: readonly string[]): string {
  return pause === null ? (reason ?? '-') : `Paused by ${pause.paused_by.name}.`;
}

function describePause({ paused_at, paused_by, reason }: Pause, nowMs: number): string {
  const by = `${formatInstantWithAge(paused_at, nowMs)}, by ${paused_by.name}`;
  return reason === null ? by : `${by}: ${reason}`;
}

/** A policy as its definition file has it. */
function describePolicy([key, policy]: [string, unknown]): [string, string] {
  const title = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  return [title, typeof policy === 'string' ? policy : JSON.stringify(policy)];
}

function describeSources(automation: Automation, webhooks: readonly Webhook[]): string {
  const names = automation.triggers.flatMap((trigger) =>
    'service' in trigger && trigger.listens_to.length === 0
      ? [`(${trigger.provider})`]
      : trigger.listens_to.map((uid) => webhooks.find((webhook) => webhook.uid === uid)?.name ?? uid),
  );
  return [...new Set(names)].join(', ') || '-';
}

async function showAutomation(
  session: CommandSession,
  options: ResultOptions & { asFile?: boolean },
  name: string,
): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const automation = await findAnswer(
    api.GET('/api/v1/factories/{factory}/automations/{name}', { params: { path: { factory, name } } }),
  );
  if (automation === null) throw describeUnknown(factory, name);
  if (options.asFile) session.output.bytes(Buffer.from(writeAutomationFile(automation)));
  else {
    const print = async () => printAutomation(session, automation, await listWebhooks(session));
    await printObject(session, options, { kind: RESULT_KINDS.automation, value: automation, print });
  }
  return EXIT_CODES.done;
}

function printAutomation(session: CommandSession, automation: Automation, webhooks: readonly Webhook[]): void {
  const { output, nowMs } = session;
  const { results, oldest_queued_at } = automation;
  output.fields([
    ['Name', automation.name],
    ['Description', automation.description],
    ['State', automation.enabled ? 'enabled' : 'disabled'],
    ['Paused', automation.pause && describePause(automation.pause, nowMs)],
    ...Object.entries(pickPolicy(automation)).map(describePolicy),
    ['Agent', automation.agent ?? 'the foreman'],
    ['File', automation.file],
    ['Revision', automation.revision],
    ['Commit', describeCommit(automation.commit)],
    ['Commit page', automation.commit?.url ?? null],
    ['Last run', results.last_run && `${results.last_run.id}, ${describeLastRun(results, nowMs)}`],
    ['Recent runs', describeResults(results)],
    ['Failing since', results.failing_since && formatInstantWithAge(results.failing_since, nowMs)],
    ['Oldest queued', describeWait(oldest_queued_at, nowMs)],
  ]);
  for (const [i, trigger] of automation.triggers.entries()) printTrigger(session, trigger, i, webhooks);
  const { isInactive, reasons } = explainInactiveAutomation(automation, webhooks);
  if (reasons.length > 0) {
    const title = isInactive ? 'It does not fire:' : 'It does not fire from everything it names:';
    output.line(`\n${output.colors.yellow(title)}`);
  }
  for (const reason of reasons) output.line(`  - ${escapeText(reason)}`);
  if (automation.warnings.length > 0) output.line(`\n${output.colors.bold('Warnings:')}`);
  for (const warning of automation.warnings) output.line(`  ${describeDiagnostic(warning, output.colors)}`);
  output.line(`\n${output.colors.bold('Prompt:')}`);
  output.line(escapeLines(automation.prompt.replace(/\r\n/g, '\n').trimEnd()));
}

function printTrigger(
  session: CommandSession,
  trigger: AutomationTrigger,
  index: number,
  webhooks: readonly Webhook[],
): void {
  const { output } = session;
  output.line(`\n${output.colors.bold(`Trigger ${index + 1}: ${escapeText(nameTrigger(trigger))}`)}`);
  if ('service' in trigger) {
    printService(session, trigger);
    return;
  }
  for (const uid of listSelectedWebhooks(trigger)) {
    const name = webhooks.find((webhook) => webhook.uid === uid)?.name ?? 'not a webhook of this factory';
    output.line(`  listens to ${escapeText(name)} (${escapeText(uid)})`);
  }
  const parts = listFilterParts(trigger);
  for (const [name, part] of parts) {
    output.line(`  filter of ${name}:`);
    output.line(indent(JSON.stringify(part, null, 2), '    '));
  }
  if (parts.length === 0) output.line('  no filter: every delivery starts the automation');
}

function isFiltered(trigger: AutomationTrigger): boolean {
  if ('service' in trigger) return Object.keys(trigger.filter ?? {}).length > 0;
  return listFilterParts(trigger).length > 0;
}

/** A schedule has its name on the next line. */
function nameTrigger(trigger: AutomationTrigger): string {
  return 'service' in trigger && trigger.ticks === undefined ? trigger.service.trigger : trigger.provider;
}

/** What the provider sends, the filter as written with the IDs of its names, and the webhooks. */
function printService(session: CommandSession, { service, ticks, filter = null }: ProviderTrigger): void {
  const { output } = session;
  if (ticks !== undefined) printSchedule(session, ticks);
  for (const event of service.events) output.line(`  event ${escapeText(event)}`);
  if (service.served_by.length > 0) output.line(`  served by ${service.served_by.map(escapeText).join(', ')}`);
  if (service.reason !== null) output.line(`  cannot start here: ${escapeText(service.reason)}`);
  if (service.note !== null) output.line(`  ${escapeText(service.note)}`);
  if (filter !== null) output.line(`  filter:\n${indent(JSON.stringify(filter, null, 2), '    ')}`);
  for (const [name, ids] of Object.entries(service.names)) {
    output.line(`  the name ${escapeText(name)} stands for ${ids.map(escapeText).join(', ')}`);
  }
  if (service.repositories !== null) {
    output.line(`  of the repositories of factory.yaml: ${service.repositories.map(escapeText).join(', ') || 'none'}`);
  }
}

function printSchedule({ output, nowMs }: CommandSession, ticks: NonNullable<ProviderTrigger['ticks']>): void {
  const { next_at, last_at, last_delivery, missed, last_missed_at } = ticks;
  output.line(`  ${escapeText(describeSchedule(ticks))}`);
  output.line(`  ${describeCatchUp(ticks)}`);
  if (last_at !== null) {
    output.line(
      `  last: ${formatInstantWithAge(last_at, nowMs)}${last_delivery === null ? '' : ` (${last_delivery})`}`,
    );
  }
  const missedText = describeMissed(missed, last_missed_at);
  if (missedText !== null) output.line(`  ${output.colors.yellow(missedText)}`);
  for (const [index, at] of next_at.entries()) output.line(`  ${index === 0 ? 'next:' : '     '} ${at}`);
}

function indent(text: string, by: string): string {
  return escapeLines(text).replace(/^/gm, by);
}
