import { Option } from 'commander';
import type { Alert } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { ALERT_STATES } from '../../domain/messages/alert.ts';
import { ALERT_RULE_NAMES } from '../../domain/messages/alert-rules.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { describeIdForms, pickById } from '../find/find-id.ts';
import { countOption } from '../input/value-options.ts';
import type { Colors } from '../output/colors.ts';
import { formatAge, formatInstantWithAge } from '../output/format-time.ts';
import { printList, printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface ListOptions extends ResultOptions {
  state: Alert['state'] | 'active' | 'all';
  rule?: Alert['rule'];
  limit: number;
}

/** Alerts among which an abbreviated ID is looked up, newest first. */
const MAX_SEARCHED = 200;

/** `dockbell alert …`: what needs attention, and who gets messages about it. */
export function declareAlert(alert: CliCommand, bind: Bind): void {
  alert
    .command('list')
    .description('list alerts, the most recent first')
    .addOption(
      new Option('--state <state>', 'only alerts in this state; active means open or acknowledged')
        .choices(['active', ...ALERT_STATES, 'all'])
        .default('active'),
    )
    .addOption(new Option('--rule <rule>', 'only alerts of this rule').choices(ALERT_RULE_NAMES))
    .addOption(countOption('--limit <count>', 'maximum number of entries').default(50))
    .withResult(RESULT_KINDS.alert)
    .explain({
      more: 'An alert stays open until its cause has ended for alerts.resolveAfter. Resolved alerts are kept for 90 days.',
      examples: [
        ['dockbell alert list', 'what needs attention now'],
        ['dockbell alert list --state resolved --factory payments', 'what has ended in one factory'],
        ['dockbell alert list --state open --json', 'for scripts'],
      ],
    })
    .action(bind(listAlerts));
  alert
    .command('show')
    .argument('<id>', `the alert: ${describeIdForms('alt')}`)
    .description('show an alert with what to do')
    .withResult(RESULT_KINDS.alert)
    .explain({
      negative: 'the alert is open',
      examples: [['dockbell alert show last', 'the alert that opened last']],
    })
    .action(bind(showAlert));
  alert
    .command('acknowledge')
    .argument('<id>', `the alert: ${describeIdForms('alt')}`)
    .description('mark an open alert as taken care of, so that messages about it are not repeated')
    .option('--note <text>', 'what is being done, for others')
    .withJson()
    .explain({
      more: 'The alert is resolved when its cause has ended. The audit log records who acknowledged it.',
      examples: [['dockbell alert acknowledge alt_01jd3v8k6n --note "provider is down"', 'with a note']],
    })
    .action(bind(acknowledgeAlert));
  alert
    .command('test')
    .argument('<target>', 'name of a target in alerts.targets of dockbell.yaml')
    .description('send a test message to a target')
    .withJson()
    .explain({
      negative: 'the target did not take the message',
      examples: [['dockbell alert test ops', 'after a change of the target, and dockbell reload']],
    })
    .action(bind(testTarget));
}

async function listAlerts(session: CommandSession, options: ListOptions): Promise<number> {
  const api = await session.api();
  const { state, rule, limit } = options;
  const filters = { state: state === 'all' ? undefined : state, rule, factory: session.globals.factory };
  const page = await listRows(
    (page) => readAnswer(api.GET('/api/v1/alerts', { params: { query: Object.assign({}, filters, page) } })),
    limit,
  );
  await printList(session, options, {
    kind: RESULT_KINDS.alert,
    page,
    columns: createColumns(session.nowMs),
    empty: state === 'active' ? 'No alert is active.' : 'No alerts.',
  });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Alert>[] {
  return [
    { head: 'ID', text: ({ id }) => id, narrow: 'whole' },
    { head: 'STATE', text: ({ state }) => state, color: paintState, narrow: 'whole' },
    { head: 'OPENED', text: (alert) => formatAge(alert.opened_at, nowMs), narrow: 'whole', drop: 1 },
    { head: 'RULE', text: ({ rule }) => rule, narrow: 'whole' },
    { head: 'ABOUT', text: describeObject, minWidth: 16 },
    { head: 'SUMMARY', text: ({ summary }) => summary, narrow: 'below' },
  ];
}

function paintState({ state, severity }: Alert, colors: Colors): Colors['red'] {
  if (state !== 'open') return colors.dim;
  return severity === 'error' ? colors.red : colors.yellow;
}

function describeObject({ factory, object }: Alert): string {
  return [factory, object?.name].filter((name) => name != null).join('/') || 'installation';
}

async function showAlert(session: CommandSession, options: ResultOptions, ref: string): Promise<number> {
  const api = await session.api();
  const id = await findAlert(session, ref);
  const alert = await readAnswer(api.GET('/api/v1/alerts/{id}', { params: { path: { id } } }));
  await printObject(session, options, {
    kind: RESULT_KINDS.alert,
    value: alert,
    print: async () => printAlert(session, alert),
  });
  return alert.state === 'open' ? EXIT_CODES.negative : EXIT_CODES.done;
}

function printAlert({ output, nowMs }: CommandSession, alert: Alert): void {
  output.fields([
    ['ID', alert.id],
    ['Rule', `${alert.rule} (${alert.title})`],
    ['State', alert.state],
    ['Severity', alert.severity],
    ['About', describeObject(alert)],
    ['Found', alert.summary],
    ['What to do', alert.advice],
    ['Opened', formatInstantWithAge(alert.opened_at, nowMs)],
    ['Last seen', formatInstantWithAge(alert.last_seen_at, nowMs)],
    ['Resolved', alert.resolved_at && formatInstantWithAge(alert.resolved_at, nowMs)],
    ['Returned', alert.count === 1 ? null : `${countOf(alert.count - 1, 'time')} after a short time`],
    ['Acknowledged', alert.acknowledged_at && formatInstantWithAge(alert.acknowledged_at, nowMs)],
    ['  By', alert.acknowledged_by?.name ?? null],
    ['  Note', alert.note],
  ]);
}

async function acknowledgeAlert(
  session: CommandSession,
  { note, json }: { note?: string; json?: boolean },
  ref: string,
): Promise<number> {
  const api = await session.api();
  const id = await findAlert(session, ref);
  const body = note === undefined ? {} : { note };
  const alert = await readAnswer(api.POST('/api/v1/alerts/{id}/acknowledge', { params: { path: { id } }, body }));
  if (json) session.output.json(alert);
  else
    session.output.line(`Acknowledged ${alert.id}: ${escapeText(alert.title)} (${escapeText(describeObject(alert))}).`);
  return EXIT_CODES.done;
}

async function testTarget(session: CommandSession, { json }: { json?: boolean }, name: string): Promise<number> {
  const api = await session.api();
  const result = await readAnswer(api.POST('/api/v1/alert-targets/{name}/test', { params: { path: { name } } }));
  if (json) session.output.json(result);
  else if (result.sent) session.output.line(`The target ${escapeText(name)} took the test message.`);
  else session.output.line(`The target ${escapeText(name)} got no test message: ${escapeText(result.problem ?? '')}.`);
  return result.sent ? EXIT_CODES.done : EXIT_CODES.negative;
}

/** Completes an abbreviated ID. A complete ID needs no request. */
async function findAlert(session: CommandSession, ref: string): Promise<string> {
  if (/^alt_[0-9a-hjkmnp-tv-z]{26}$/.test(ref)) return ref;
  const api = await session.api();
  const query = { limit: MAX_SEARCHED, factory: session.globals.factory };
  const { data } = await readAnswer(api.GET('/api/v1/alerts', { params: { query } }));
  const entries = data.map(({ id, opened_at }) => ({ id, created_at: opened_at }));
  const found = pickById({ what: 'alert', type: 'alt' }, ref, entries);
  if (found !== null) return found.id;
  throw new CliError(`There is no alert '${escapeText(ref)}'.`, {
    code: 'not_found',
    hint: `Give ${describeIdForms('alt')}. See 'dockbell alert list --state all'.`,
  });
}
