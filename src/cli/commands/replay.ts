import { InvalidArgumentError, Option } from 'commander';
import type { Replay } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { previewReplay, type ReplaySelection, type WholePreview } from '../../client/preview-replay.ts';
import { readAnswer } from '../../client/read-answer.ts';
import {
  DEFAULT_REPLAY_RATE,
  MAX_REPLAY_RATE,
  REPLAY_DEFINITIONS,
  REPLAY_STATES,
  type ReplayDefinition,
  type ReplayState,
} from '../../domain/resources/replay.ts';
import { describePreview, describeReplayed, describeUnexamined } from '../../domain/words/deliveries.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { DELIVERY_ARGUMENT, findDelivery } from '../find/find-delivery.ts';
import { describeIdArgument, findId } from '../find/find-id.ts';
import { findWebhookOrDeleted, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import {
  addDeliveryFilters,
  type DeliveryFilterOptions,
  hasDeliveryFilters,
  readDeliveryFilters,
} from '../input/delivery-filters.ts';
import { countOption } from '../input/value-options.ts';
import { formatAge, formatInstantWithAge } from '../output/format-time.ts';
import { printList, printObject } from '../output/print-result.ts';
import { startProgress } from '../output/progress.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface StartOptions extends DeliveryFilterOptions, ConfirmOptions {
  webhook?: string;
  automation?: string;
  asOf: ReplayDefinition;
  rate: number;
  wait?: boolean;
}

/** `dockbell replay …`: stored deliveries again. */
export function declareReplay(replay: CliCommand, bind: Bind): void {
  addDeliveryFilters(replay.defaultCommand('start'))
    .argument('[ref]', `${DELIVERY_ARGUMENT}; or use filters`)
    .description('show what stored deliveries would start, and replay them after a confirmation')
    .option('--webhook <name>', `only deliveries to this webhook: ${WEBHOOK_ARGUMENT}`)
    .option('--automation <name>', 'evaluate only this automation')
    .addOption(
      new Option(
        '--as-of <time>',
        'the definition that decides what starts: the live one, or the one when each delivery was received',
      )
        .choices(REPLAY_DEFINITIONS)
        .default('now'),
    )
    .addOption(
      new Option('--rate <number>', `maximum number of deliveries in a second, such as ${DEFAULT_REPLAY_RATE}/s`)
        .argParser(parseRate)
        .default(DEFAULT_REPLAY_RATE, `${DEFAULT_REPLAY_RATE}/s`),
    )
    .option('-y, --yes', 'do not ask for confirmation; required if standard input is not a terminal')
    .option('--wait', 'wait for the end of the replay')
    .withDryRun()
    .withJson()
    .explain({
      negative: 'the delivery has no stored payload, or with --wait, the replay did not finish',
      examples: [
        ['dockbell replay 72d3162e', 'one delivery, with the live definition; the name "start" can be omitted'],
        ['dockbell replay --event issues --from 2h --dry-run', 'what the issues of two hours would start now'],
        ['dockbell replay --unmatched --from 24h', 'what started nothing today, after you fixed a filter'],
        [
          'dockbell replay --from 2h --as-of then --rate 5/s --yes',
          'the same runs again, with the prompts of that time',
        ],
      ],
      more: 'Each delivery is replayed once, also if the daemon restarts. Deliveries that arrive later, and replays, are not part of it.',
    })
    .action(bind(startReplay));
  replay
    .command('list')
    .description('list replays, the most recent first')
    .addOption(new Option('--state <state>', 'only replays in this state').choices(REPLAY_STATES))
    .addOption(countOption('--limit <count>', 'maximum number of replays').default(20))
    .withResult(RESULT_KINDS.replay)
    .explain({ examples: [['dockbell replay list --state running', 'what is replayed now']] })
    .action(bind(listReplays));
  replay
    .command('show')
    .argument('<id>', describeIdArgument('replay'))
    .description('show a replay and how far it is')
    .withResult(RESULT_KINDS.replay)
    .explain({ examples: [['dockbell replay show last', 'the progress of the most recent replay']] })
    .action(bind(showReplay));
  replay
    .command('cancel')
    .argument('<id>', describeIdArgument('replay'))
    .description('replay no further delivery; runs that have started continue')
    .withJson()
    .explain({
      negative: 'the replay has ended',
      examples: [['dockbell replay cancel last', 'stop the most recent replay']],
    })
    .action(bind(cancelReplay));
}

function parseRate(text: string): number {
  const [, digits = ''] = /^(\d{1,6})(?:\/s)?$/.exec(text) ?? [];
  const rate = Number(digits);
  if (rate >= 1 && rate <= MAX_REPLAY_RATE) return rate;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_REPLAY_RATE}, such as 5/s.`);
}

async function startReplay(session: CommandSession, options: StartOptions, ref?: string): Promise<number> {
  const { factory, selection } = await readSelection(session, options, ref);
  const preview = await previewReplay(await session.api(), factory, selection);
  if (options.dryRun && options.json) session.output.json(preview);
  if (!options.json) printPreview(session, preview);
  if (options.dryRun) return EXIT_CODES.done;
  if (preview.replayed === 0 && preview.complete) {
    if (options.json) session.output.json(preview);
    return EXIT_CODES.done;
  }
  await requireYes(session, options, preview);
  const replay = await create(session, factory, { ...selection, rate: options.rate });
  const end = options.wait ? await waitForEnd(session, replay) : replay;
  if (options.json) session.output.json(end);
  else printStarted(session, options, end);
  return ['failed', 'cancelled'].includes(end.state) ? EXIT_CODES.negative : EXIT_CODES.done;
}

/** What to replay, in which factory. */
async function readSelection(
  session: CommandSession,
  options: StartOptions,
  ref: string | undefined,
): Promise<{ factory: string; selection: ReplaySelection }> {
  const { webhook, automation, asOf: as_of, label } = options;
  const isFiltered = hasDeliveryFilters(options) || webhook !== undefined;
  if (isFiltered && ref !== undefined) throw new CliError('Use either a delivery or filters, not both.');
  if (!isFiltered && ref === undefined) {
    throw new CliError('Specify what to replay.', { hint: 'Use the ID of a delivery, or filters such as --from 2h.' });
  }
  if (label !== undefined && label !== 'Accepted') {
    throw new CliError(`Deliveries with the label ${label} have no payload to replay.`, {
      hint: 'Omit --label: only accepted deliveries are replayed.',
    });
  }
  if (ref !== undefined) {
    const delivery = await findDelivery(session, ref);
    const api = await session.api();
    const { factory } = await readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id: delivery } } }));
    return { factory, selection: { delivery, automation, as_of } };
  }
  const filters = readDeliveryFilters(options, session.nowMs);
  if (webhook === undefined) {
    return { factory: await session.factory(), selection: { ...filters, automation, as_of } };
  }
  const { factory, uid } = await findWebhookOrDeleted(session, webhook);
  return { factory, selection: { ...filters, webhook: uid, automation, as_of } };
}

function printPreview({ output }: CommandSession, preview: WholePreview): void {
  output.line(`Dry run: ${describePreview(preview)}`);
  const unexamined = describeUnexamined(preview);
  if (unexamined !== null) output.line(unexamined);
  for (const { count, reason_text } of preview.skipped) {
    output.line(`Not replayed: ${count}. ${escapeText(reason_text)}`);
  }
  if (preview.automations.length === 0) return;
  output.line();
  output.table(PREVIEW_COLUMNS, preview.automations);
}

const PREVIEW_COLUMNS: Column<WholePreview['automations'][number]>[] = [
  { head: 'AUTOMATION', text: ({ automation }) => automation, narrow: 'whole' },
  { head: 'RUNS', text: ({ runs }) => String(runs), narrow: 'whole' },
  { head: 'EXAMPLES', text: ({ examples }) => examples.map(({ delivery }) => delivery).join(' '), narrow: 'below' },
];

async function requireYes(session: CommandSession, options: StartOptions, preview: WholePreview): Promise<void> {
  if (!options.yes && session.context.stdin.isTTY !== true) {
    throw new CliError('Standard input is not a terminal, so nothing was replayed.', {
      hint: 'Add --yes to start the replay.',
    });
  }
  const many = preview.complete ? `${preview.replayed}` : `at least ${preview.replayed}`;
  const action = `Replay ${many} ${preview.replayed === 1 ? 'delivery' : 'deliveries'}`;
  await confirm(session, options, { action, effects: [] });
}

async function create(
  session: CommandSession,
  factory: string,
  body: ReplaySelection & { rate: number },
): Promise<Replay> {
  const api = await session.api();
  const path = '/api/v1/factories/{factory}/replays';
  return session.create((headers) => api.POST(path, { params: { path: { factory } }, body, headers }));
}

const POLL_MS = 500;

async function waitForEnd(session: CommandSession, begun: Replay): Promise<Replay> {
  const api = await session.api();
  const progress = startProgress(session.context, `Replaying ${begun.total} deliveries…`);
  try {
    let replay = begun;
    while (replay.finished_at === null) {
      await session.context.sleep(POLL_MS);
      replay = await readAnswer(api.GET('/api/v1/replays/{id}', { params: { path: { id: begun.id } } }));
      progress.update(`Examined ${replay.examined} of ${replay.total} deliveries…`);
    }
    return replay;
  } finally {
    progress.stop();
  }
}

function printStarted({ output }: CommandSession, { wait }: StartOptions, replay: Replay): void {
  const id = escapeText(replay.id);
  output.line(
    wait
      ? `Replay ${id} ${replay.state}: ${describeReplayed(replay)}.`
      : `Replay ${id} started. Progress: dockbell replay show ${id}`,
  );
}

async function listReplays(
  session: CommandSession,
  options: ResultOptions & { limit: number; state?: ReplayState },
): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const { state } = options;
  const page = await listRows(
    (part) =>
      readAnswer(
        api.GET('/api/v1/factories/{factory}/replays', { params: { path: { factory }, query: { ...part, state } } }),
      ),
    options.limit,
  );
  await printList(session, options, {
    kind: RESULT_KINDS.replay,
    page,
    columns: createColumns(session.nowMs),
    empty: 'No replays yet.',
  });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Replay>[] {
  return [
    { head: 'ID', text: ({ id }) => id, narrow: 'whole' },
    { head: 'STATE', text: ({ state }) => state, narrow: 'whole' },
    { head: 'WHEN', text: ({ created_at }) => formatAge(created_at, nowMs), narrow: 'whole', drop: 2 },
    { head: 'EXAMINED', text: ({ examined, total }) => `${examined}/${total}`, narrow: 'whole', drop: 3 },
    { head: 'REPLAYED', text: ({ replayed }) => String(replayed), narrow: 'whole' },
    { head: 'RUNS', text: ({ runs }) => String(runs), narrow: 'whole' },
    { head: 'BY', text: ({ requested_by: by }) => by.name, drop: 1 },
  ];
}

async function showReplay(session: CommandSession, options: ResultOptions, ref: string): Promise<number> {
  const api = await session.api();
  const id = await findId(session, 'replay', ref);
  const found = await readAnswer(api.GET('/api/v1/replays/{id}', { params: { path: { id } } }));
  const print = () => printReplay(session, found);
  await printObject(session, options, { kind: RESULT_KINDS.replay, value: found, print });
  return EXIT_CODES.done;
}

function printReplay({ output, nowMs }: CommandSession, replay: Replay): void {
  const instant = (at: string | null) => (at === null ? null : formatInstantWithAge(at, nowMs));
  const filters = Object.entries(replay.filter).map(([name, value]) => `${name}=${String(value)}`);
  output.fields([
    ['ID', replay.id],
    ['State', replay.state],
    ['Error', replay.error],
    ['Factory', replay.factory],
    ['Delivery', replay.delivery],
    ['Filters', replay.delivery === null ? filters.join(' ') || 'none' : null],
    ['Automation', replay.automation],
    ['Definition', replay.as_of === 'now' ? 'the live one' : 'of the time each delivery was received'],
    ['Rate', `${replay.rate}/s`],
    ['Requested by', replay.requested_by.name],
    ['Created', instant(replay.created_at)],
    ['Started', instant(replay.started_at)],
    ['Finished', instant(replay.finished_at)],
    ['Examined', `${replay.examined} of ${replay.total} deliveries`],
    ['Replayed', `${replay.replayed}, of which ${replay.matched} started a run`],
    ['Runs', String(replay.runs)],
    ...replay.skipped.map(({ count, reason_text }) => ['Not replayed', `${count}. ${reason_text}`] as const),
  ]);
}

async function cancelReplay(session: CommandSession, options: { json?: boolean }, ref: string): Promise<number> {
  const api = await session.api();
  const id = await findId(session, 'replay', ref);
  const replay = await readAnswer(api.POST('/api/v1/replays/{id}/cancel', { params: { path: { id } } }));
  if (options.json) session.output.json(replay);
  else session.output.line(`Cancelled ${escapeText(replay.id)}: ${describeReplayed(replay)}.`);
  return EXIT_CODES.done;
}
