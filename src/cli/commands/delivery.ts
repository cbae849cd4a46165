import { Option } from 'commander';
import type { AutomationDecision, Delivery, DeliveryExplanation } from '../../client/api-types.ts';
import { type ListQuery, listRows, type Page } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { DeliveryLabel } from '../../domain/resources/delivery.ts';
import {
  describeLabel as describeEntryLabel,
  describeIdentitySource,
  IDENTITY_SOURCE_WORDS,
  isTickSource,
  NO_LABEL,
} from '../../domain/words/deliveries.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { DELIVERY_ARGUMENT, findDelivery } from '../find/find-delivery.ts';
import { findWebhookOrDeleted, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { followDeliveries } from '../follow/follow-deliveries.ts';
import type { WatchOptions } from '../follow/watch-list.ts';
import { addDeliveryFilters, type DeliveryFilterOptions, readDeliveryFilters } from '../input/delivery-filters.ts';
import { countOption } from '../input/value-options.ts';
import type { Colors } from '../output/colors.ts';
import { formatAge, formatInstantWithAge } from '../output/format-time.ts';
import { createRowPrinter, printAnswer, printList, printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import { RESULT_OPTIONS, type ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';
import { printPayload, printSample } from './delivery-payload.ts';

interface ListOptions extends WatchOptions, DeliveryFilterOptions {
  follow?: boolean;
  limit: number;
}

interface ShowOptions extends ResultOptions {
  payload?: boolean;
  explain?: boolean;
  asSample?: boolean;
  redact?: string[];
}

/** `dockbell delivery …`: the delivery log. */
export function declareDelivery(delivery: CliCommand, bind: Bind): void {
  addDeliveryFilters(delivery.command('list'), ['follow'])
    .argument('[webhook]', `${WEBHOOK_ARGUMENT}. Default: all webhooks of the factory, deleted ones included`)
    .description('list deliveries of the factory or of one webhook, the most recent first')
    .option('-f, --follow', 'print each new delivery until Ctrl-C, the oldest first')
    .addOption(countOption('--limit <count>', 'maximum number; with --follow, the number to begin with').default(20))
    .withWatch(['follow'])
    .withResult(RESULT_KINDS.delivery, "the API's JSON; with --follow one object on each line,")
    .explain({
      examples: [
        ['dockbell delivery list', 'the most recent deliveries of all webhooks'],
        ['dockbell delivery list internal-ci --follow', 'watch deliveries arrive'],
        [
          "dockbell delivery list --label 'Rejected (auth)' --from 2h",
          'rejected requests of the last two hours, with the reason',
        ],
        ['dockbell delivery list --delivery-id 72d3162e', 'all entries with one delivery ID'],
        ['dockbell delivery list --event pull_request', 'deliveries of all events of pull requests'],
        ['dockbell delivery list --unmatched --from 24h', 'what was accepted today and started nothing'],
        ["dockbell delivery list --search 'acme/api'", 'deliveries with this text in their payload or headers'],
      ],
    })
    .action(bind(listOrWatchDeliveries));
  delivery
    .command('show')
    .argument('<ref>', DELIVERY_ARGUMENT)
    .description('show a delivery, its body, why it started runs or not, or a sample of it')
    .addOption(
      new Option('--payload', 'print the exact bytes received, also of a form').conflicts([
        'explain',
        ...RESULT_OPTIONS,
      ]),
    )
    .addOption(
      new Option(
        '--explain',
        'show for each automation of the webhook whether it started, and which key decided',
      ).conflicts(['quiet', 'fields']),
    )
    .addOption(
      new Option('--as-sample', 'print a sample for "dockbell test", with the automations that it started').conflicts([
        'payload',
        'explain',
        ...RESULT_OPTIONS,
      ]),
    )
    .option(
      '--redact <path...>',
      'with --as-sample: replace the value at this path with an empty one, such as sender.email or items[*].name',
    )
    .withResult(RESULT_KINDS.delivery)
    .explain({
      examples: [
        ['dockbell delivery show dlv_01jd3v8k6n', 'label, identity, size and runs'],
        ['dockbell delivery show 72d3162e', 'find it by the delivery ID of the sender'],
        ['dockbell delivery show dlv_01jd3v8k6n --explain', 'why did nothing start?'],
        ['dockbell delivery show dlv_01jd3v8k6n --payload > event.json', 'save the exact body'],
        [
          'dockbell delivery show dlv_01jd3v8k6n --as-sample --redact sender.email > webhooks/ci.samples/push.json',
          'save a sample without the email address',
        ],
      ],
    })
    .action(bind(showDelivery));
  delivery
    .command('replay')
    .argument('<ref>', DELIVERY_ARGUMENT)
    .description('evaluate the payload again with the live automations, and start new runs')
    .option('--automation <name>', 'only with this automation')
    .withJson()
    .explain({
      negative: 'the delivery cannot be replayed: its payload is not stored, or the webhook is disabled or deleted',
      examples: [
        ['dockbell delivery replay dlv_01jd3v8k6n', 'after you fixed a filter or a prompt'],
        ['dockbell delivery replay dlv_01jd3v8k6n --automation fix-errors', 'start only this automation again'],
      ],
    })
    .action(bind(replayDelivery));
}

async function listOrWatchDeliveries(
  session: CommandSession,
  options: ListOptions,
  nameOrUid?: string,
): Promise<number> {
  if (!options.watch) return listDeliveries(session, options, nameOrUid);
  const { watchList } = await import('../follow/watch-list.ts');
  const print = (inner: CommandSession, more: ListOptions) => listDeliveries(inner, more, nameOrUid);
  return watchList(session, options, { factory: await session.factory(), print });
}

async function listDeliveries(session: CommandSession, options: ListOptions, nameOrUid?: string): Promise<number> {
  const { output, nowMs } = session;
  const readPage = await findList(session, nameOrUid);
  const { event, unmatched, search } = options;
  const query = { label: options.label, ...readDeliveryFilters(options, nowMs) };
  if (options.follow) {
    const { context } = session;
    const print = await createRowPrinter(session, options, {
      kind: RESULT_KINDS.delivery,
      print: (row) => output.line(describeLine(row, output.colors)),
    });
    await followDeliveries({
      context,
      readPage: (page) => readPage({ ...query, ...page }),
      limit: options.limit,
      print,
    });
    return EXIT_CODES.done;
  }
  const examined = limitExamined(readPage);
  const page = await listRows((part) => examined.readPage({ ...query, ...part }), options.limit);
  const to = examined.to();
  const isExamined = unmatched || event !== undefined || search !== undefined;
  await printList(session, options, {
    kind: RESULT_KINDS.delivery,
    page: isExamined ? { ...page, examined_to: to } : page,
    columns: createColumns(nowMs, nameOrUid === undefined),
    empty: 'No matching deliveries.',
  });
  if (to !== null) output.note(`Examined deliveries back to ${to}. To examine earlier ones, add: --to ${to}`);
  return EXIT_CODES.done;
}

/** Maximum number of pages that one command examines. */
const MAX_EXAMINED_PAGES = 10;

/** Stops after some pages without enough matches, so that a search does not read the whole log. */
function limitExamined(readPage: (query: DeliveryQuery) => Promise<DeliveryPage>) {
  let pages = 0;
  let to: string | null = null;
  return {
    to: () => to,
    readPage: async (query: DeliveryQuery): Promise<DeliveryPage> => {
      const page = await readPage(query);
      pages += 1;
      to = page.examined_to ?? null;
      const isEnough = to !== null && pages >= MAX_EXAMINED_PAGES;
      return isEnough ? { ...page, next_cursor: null } : page;
    },
  };
}

type DeliveryPage = Page<Delivery> & { examined_to?: string | null };

type DeliveryQuery = ListQuery & {
  label?: DeliveryLabel;
  delivery_id?: string;
  event?: string;
  unmatched?: boolean;
  search?: string;
  from?: string;
  to?: string;
};

/** Reads pages of the log of one webhook, or of the factory. */
async function findList(
  session: CommandSession,
  nameOrUid: string | undefined,
): Promise<(query: DeliveryQuery) => Promise<DeliveryPage>> {
  const api = await session.api();
  if (nameOrUid === undefined) {
    const path = { factory: await session.factory() };
    return (query) => readAnswer(api.GET('/api/v1/factories/{factory}/deliveries', { params: { path, query } }));
  }
  const path = await findWebhookOrDeleted(session, nameOrUid);
  return (query) =>
    readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params: { path, query } }));
}

function createColumns(nowMs: number, showsWebhook: boolean): Column<Delivery>[] {
  const webhook: Column<Delivery> = { head: 'WEBHOOK', text: (row) => row.webhook_name, narrow: 'whole', drop: 1 };
  return [
    { head: 'ID', text: (row) => row.id, narrow: 'whole' },
    { head: 'RECEIVED', text: (row) => formatAge(row.received_at, nowMs), narrow: 'whole', drop: 2 },
    ...(showsWebhook ? [webhook] : []),
    { head: 'LABEL', text: describeLabel, color: (row, colors) => pickLabelColor(row, colors), narrow: 'whole' },
    { head: 'EVENT', text: (row) => row.event ?? '-', narrow: 'whole', drop: 6 },
    { head: 'DELIVERY ID', text: (row) => row.delivery_id ?? '-', narrow: 'whole', drop: 3 },
    { head: 'SIZE', text: (row) => String(row.size), narrow: 'whole', drop: 5 },
    { head: 'RUNS', text: (row) => String(row.runs.length), narrow: 'whole', drop: 4 },
    { head: 'ABOUT', text: (row) => describeReason(row) ?? row.summary ?? '-', narrow: 'below' },
  ];
}

/** Entries that count several requests show the number. */
function describeLabel(row: Delivery): string {
  const label = row.label ?? NO_LABEL;
  return row.count > 1 ? `${label} ×${row.count}` : label;
}

/** The reason with its sentence; for a duplicate or a replay, the other delivery. */
function describeReason(row: Delivery): string | null {
  if (row.replay_of !== null) return `replay of ${row.replay_of}`;
  if (row.label === null) return `${row.reason}: ${row.detail}`;
  if (row.label !== 'Duplicate') return row.reason === null ? null : `${row.reason}: ${row.reason_text}`;
  const original = row.duplicate_of ?? 'an entry that retention has removed';
  const difference = row.reason === 'same_identity_other_body' ? ', with another body' : '';
  return `same ${IDENTITY_SOURCE_WORDS[row.delivery_id_source ?? 'body_hash']} as ${original}${difference}`;
}

function pickLabelColor(row: Delivery, colors: Colors): (text: string) => string {
  if (row.label === 'Accepted') return colors.green;
  return row.label === 'Duplicate' ? colors.dim : colors.red;
}

/** One entry as one line, for `--follow`. */
function describeLine(row: Delivery, colors: Colors): string {
  const label = pickLabelColor(row, colors)(describeLabel(row).padEnd(23));
  const reason = describeReason(row) ?? row.summary;
  const runs = row.runs.map(escapeText).join(' ');
  const parts = [row.received_at, label, row.id, escapeText(row.delivery_id ?? '-'), `${row.size} B`, runs];
  return [...parts, reason === null ? '' : escapeText(reason)].filter((part) => part !== '').join('  ');
}

async function showDelivery(session: CommandSession, options: ShowOptions, ref: string): Promise<number> {
  if (options.redact !== undefined && !options.asSample) throw new CliError('--redact requires --as-sample.');
  const id = await findDelivery(session, ref);
  if (options.payload) await printPayload(session, id);
  else if (options.asSample)
    await printSample(session, { id, explanation: await readExplanation(session, id), redacted: options.redact ?? [] });
  else if (options.explain) await explainDelivery(session, options, id);
  else {
    const api = await session.api();
    const delivery = await readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id } } }));
    const print = () => printDelivery(session, delivery);
    await printObject(session, options, { kind: RESULT_KINDS.delivery, value: delivery, print });
  }
  return EXIT_CODES.done;
}

function printDelivery(session: CommandSession, delivery: Delivery): void {
  const { output, nowMs } = session;
  const isTick = isTickSource(delivery.webhook_name);
  output.fields([
    ['ID', delivery.id],
    ['Label', describeLabel(delivery)],
    ['Reason', describeReason(delivery)],
    ['Detail', delivery.label === null ? null : delivery.detail],
    ['Event', delivery.event],
    ['Summary', delivery.summary],
    ['Delivery ID', delivery.delivery_id],
    ['Identified by', isTick ? null : describeIdentitySource(delivery.delivery_id_source, delivery.deduplicated)],
    ['Webhook', isTick ? null : `${delivery.webhook_name} (${delivery.webhook_uid})`],
    ['Factory', delivery.factory],
    ['Size', delivery.label === null ? null : `${delivery.size} bytes`],
    ['Received', formatInstantWithAge(delivery.received_at, nowMs)],
    ['Client address', isTick ? null : delivery.client_address],
    ['Replay of', delivery.replay_of],
    ['Replay', delivery.replay],
    ['Revision', delivery.revision],
    ['Runs', delivery.runs.join(', ') || 'none'],
  ]);
  printHeaders(session, delivery);
  const question = findQuestion(delivery);
  if (question !== null) output.line(`\nWhy: ${question}`);
}

function printHeaders({ output }: CommandSession, { headers }: Delivery): void {
  if (headers === null) return;
  output.line();
  output.line(output.colors.bold('Recorded request headers:'));
  output.line();
  output.fields(Object.entries(headers));
}

/** The command that explains the entry. `null` if no command does. */
function findQuestion({ id, label }: Delivery): string | null {
  if (label === 'Accepted') return `dockbell delivery show ${escapeText(id)} --explain`;
  return label === 'Rejected (auth)' ? `dockbell diagnose ${escapeText(id)}` : null;
}

async function explainDelivery(session: CommandSession, options: ShowOptions, id: string): Promise<void> {
  const explanation = await readExplanation(session, id);
  const print = () => printExplanation(session, id, explanation);
  await printAnswer(session, options, { value: explanation, print });
}

async function printExplanation(session: CommandSession, id: string, explanation: DeliveryExplanation): Promise<void> {
  const { output } = session;
  if (explanation.decisions.length > 0) {
    for (const decision of explanation.decisions) printDecision(session, decision);
    const omitted = describeOmitted(explanation);
    if (omitted !== null) output.line(omitted);
    return;
  }
  const api = await session.api();
  const { label } = await readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id } } }));
  const accepted = label === 'Accepted';
  output.line(
    accepted
      ? 'No automation had a trigger for this webhook when the delivery arrived.'
      : `No automation was evaluated. ${escapeText(describeEntryLabel(label))} Only accepted deliveries start runs.`,
  );
}

/** All pages in one. */
async function readExplanation(session: CommandSession, id: string): Promise<DeliveryExplanation> {
  const api = await session.api();
  const readPage = (query: { cursor?: string }) =>
    readAnswer(api.GET('/api/v1/deliveries/{id}/explain', { params: { path: { id }, query } }));
  const whole = await readPage({});
  while (whole.next_cursor !== null) {
    const { decisions, next_cursor } = await readPage({ cursor: whole.next_cursor });
    whole.decisions.push(...decisions);
    whole.next_cursor = next_cursor;
  }
  return whole;
}

/** `null` if every decision is listed. */
function describeOmitted({
  not_stored: { filtered, disabled, filter_error: failed },
}: DeliveryExplanation): string | null {
  const total = filtered + disabled + failed;
  if (total === 0) return null;
  return `${total} more automations did not start (${filtered} by their filter, ${disabled} disabled, ${failed} with a filter error). Their decisions were not stored. Every automation that started is listed.`;
}

const OUTCOME_WORDS = {
  started: 'started',
  filtered: 'not started: the filter did not match',
  disabled: 'not started: the automation was disabled',
  filter_error: 'not started: the filter could not be evaluated',
  ignored_actor: 'not started: the account is ignored',
  loop_guard: 'not started: too many runs for the same subject',
  paused: 'not started: the automation was paused',
} as const;

function printDecision(session: CommandSession, decision: AutomationDecision): void {
  const { output } = session;
  const started = decision.outcome === 'started';
  const mark = started ? output.colors.green('✓') : output.colors.yellow('✗');
  const run = decision.run === null ? '' : ` ${escapeText(decision.run)}`;
  output.line(
    `${mark} ${output.colors.bold(escapeText(decision.automation))}: ${OUTCOME_WORDS[decision.outcome]}${run}`,
  );
  if (decision.path !== null) {
    output.fields([
      ['  Key', decision.path],
      ['  Expected', JSON.stringify(decision.expected)],
      ['  Actual', JSON.stringify(decision.actual)],
    ]);
  }
  if (decision.message !== '') output.line(`  ${escapeText(decision.message)}`);
}

interface ReplayOptions {
  automation?: string;
  json?: boolean;
}

async function replayDelivery(session: CommandSession, options: ReplayOptions, ref: string): Promise<number> {
  const { output } = session;
  const api = await session.api();
  const { automation = null } = options;
  const id = await findDelivery(session, ref);
  const made = await session.create((headers) =>
    api.POST('/api/v1/deliveries/{id}/replay', { params: { path: { id } }, body: { automation }, headers }),
  );
  if (options.json) output.json(made);
  else output.line(`Replayed as ${escapeText(made.id)}: ${describeStarted(made)}`);
  return EXIT_CODES.done;
}

function describeStarted({ id, runs }: Delivery): string {
  if (runs.length > 0) return `started ${runs.map(escapeText).join(', ')}.`;
  return `started nothing. Why: dockbell delivery show ${escapeText(id)} --explain`;
}
