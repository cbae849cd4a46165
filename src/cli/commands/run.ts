import { Option } from 'commander';
import type { Run, RunAttempt, RunInput, RunPost } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { listRows } from '../../client/list-rows.ts';
import { LogTimesReader } from '../../client/log-times-reader.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import { findLogTime } from '../../domain/words/log-times.ts';
import { describeNoticeState } from '../../domain/words/notices.ts';
import { countOf, formatDuration } from '../../domain/words/quantities.ts';
import { describeProgress, listContext } from '../../domain/words/runs.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { describeIdArgument, findId } from '../find/find-id.ts';
import { followRunLog, isEnded, readRunLog, waitsForConfiguration } from '../follow/follow-run-log.ts';
import type { WatchOptions } from '../follow/watch-list.ts';
import { type Change, type DryRunOptions, showDryRun } from '../input/confirm.ts';
import { rejectChange } from '../input/require-editable.ts';
import { addRunFilters, type RunFilterOptions, readRunFilters } from '../input/run-filters.ts';
import { countOption } from '../input/value-options.ts';
import type { Colors } from '../output/colors.ts';
import { formatAge, formatInstantWithAge } from '../output/format-time.ts';
import { createLogPrinter } from '../output/log-printer.ts';
import { printAnswer, printList, printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';
import { declareRunArtifact } from './run-artifact.ts';
import { declareRunRetry } from './run-retry.ts';

type ListOptions = RunFilterOptions & WatchOptions & { limit: number };

const ID_HELP = describeIdArgument('run');

/** `dockbell run …`: runs. */
export function declareRun(run: CliCommand, bind: Bind): void {
  addRunFilters(run.command('list'))
    .description('list runs, the most recent first')
    .addOption(countOption('--limit <count>', 'maximum number of runs').default(20))
    .withWatch()
    .withResult(RESULT_KINDS.run)
    .explain({
      examples: [
        ['dockbell run list', 'the most recent runs of the factory'],
        ['dockbell run list --state failed --since 2h', 'the failed runs of the last two hours'],
        ['dockbell run list --dead-letter', 'what failed and is not retried automatically'],
        ['dockbell run list --revision 4f2a91c', 'what a commit started'],
        ['dockbell run list --search flaky', 'runs whose result contains the word'],
        ['dockbell run list --watch', 'runs as they start and end'],
      ],
    })
    .action(bind(listOrWatchRuns));
  run
    .command('show')
    .argument('<id>', ID_HELP)
    .description('show state, delivery, times, attempts and error of a run')
    .addOption(
      new Option('--attempts', 'all facts of each attempt').conflicts([
        'input',
        'payload',
        'output',
        'quiet',
        'fields',
      ]),
    )
    .addOption(
      new Option('--input', 'the prompt and the envelope that the run gets').conflicts(['payload', 'quiet', 'fields']),
    )
    .addOption(
      new Option('--payload', 'the exact bytes of the payload that the run gets').conflicts([
        'output',
        'quiet',
        'fields',
      ]),
    )
    .withResult(RESULT_KINDS.run)
    .explain({
      negative: 'the run has failed or was cancelled',
      examples: [
        ['dockbell run show run_01jd3v8k6n', 'the outcome of a run'],
        ['dockbell run show last', 'the most recent run'],
        ['dockbell run show last --attempts', 'how each attempt ended, and who requested it'],
        ['dockbell run show last --payload', 'the payload of the delivery'],
      ],
    })
    .action(bind(showRun));
  run
    .command('log')
    .argument('<id>', ID_HELP)
    .description('print the output of a run; a terminal gets its colors, but no other control sequences')
    .option('-f, --follow', 'continue until the run has ended')
    .addOption(countOption('--attempt <number>', 'only the output of this attempt'))
    .option('-t, --timestamps', 'print before each line when it was written, or "-" if that is not known')
    .explain({
      negative: 'with --follow: the run has failed or was cancelled',
      examples: [
        ['dockbell run log run_01jd3v8k6n', 'the output so far'],
        ['dockbell run log run_01jd3v8k6n --follow', 'the output so far, and new output until the run ends'],
        ['dockbell run log run_01jd3v8k6n --attempt 1', 'the output of the first attempt'],
        ['dockbell run log run_01jd3v8k6n --timestamps', 'each line with its time, accurate to the second'],
        ['dockbell run log run_01jd3v8k6n > run.log', 'the exact bytes'],
      ],
    })
    .action(bind(showLog));
  run
    .command('cancel')
    .argument('<id>', ID_HELP)
    .description('cancel a queued run, or stop a running one with all its processes')
    .withDryRun()
    .withJson()
    .explain({
      negative: 'the run had already ended',
      examples: [['dockbell run cancel run_01jd3v8k6n', 'the run ends as cancelled']],
    })
    .action(bind(cancelRun));
  declareRunArtifact(run, bind);
  declareRunRetry(run, bind);
}

async function listOrWatchRuns(session: CommandSession, options: ListOptions): Promise<number> {
  if (!options.watch) return listRuns(session, options);
  const { watchList } = await import('../follow/watch-list.ts');
  return watchList(session, options, { factory: await session.factory(), print: listRuns });
}

async function listRuns(session: CommandSession, options: ListOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const query = await readRunFilters(session, options);
  const page = await listRows(
    (page) =>
      readAnswer(
        api.GET('/api/v1/factories/{factory}/runs', { params: { path: { factory }, query: { ...page, ...query } } }),
      ),
    options.limit,
  );
  const columns = createColumns(session.nowMs);
  await printList(session, options, { kind: RESULT_KINDS.run, page, columns, empty: 'No matching runs.' });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Run>[] {
  return [
    { head: 'ID', text: (run) => run.id, narrow: 'whole' },
    { head: 'AUTOMATION', text: (run) => run.automation, minWidth: 24, drop: 2 },
    {
      head: 'STATE',
      text: (run) => run.state,
      color: (run, colors) => pickStateColor(run.state, colors),
      narrow: 'whole',
    },
    { head: 'ATTEMPT', text: (run) => String(run.attempt), narrow: 'whole', drop: 5 },
    { head: 'CREATED', text: (run) => formatAge(run.created_at, nowMs), narrow: 'whole', drop: 3 },
    { head: 'TOOK', text: (run) => describeSpan(run, nowMs), narrow: 'whole', drop: 4 },
    { head: 'REASON', text: (run) => describeReason(run) ?? '-', color: pickReasonColor, narrow: 'below' },
  ];
}

/** Why a run failed, or why it has not started. */
function describeReason({ error, waiting }: Run): string | null {
  if (waiting === null) return error;
  return waiting.position === null ? waiting.reason_text : `${waiting.reason_text} Position ${waiting.position}.`;
}

function pickReasonColor({ waiting }: Run, colors: Colors): (text: string) => string {
  return waiting !== null && waitsForConfiguration(waiting) ? colors.yellow : (text) => text;
}

function pickStateColor(state: Run['state'], colors: Colors): (text: string) => string {
  if (state === 'succeeded') return colors.green;
  return state === 'failed' ? colors.red : state === 'running' ? colors.cyan : colors.dim;
}

function describeSpan({ started_at, finished_at }: Pick<Run, 'started_at' | 'finished_at'>, nowMs: number): string {
  if (started_at === null) return '-';
  const endMs = finished_at === null ? nowMs : Date.parse(finished_at);
  return formatDuration(endMs - Date.parse(started_at));
}

interface ShowOptions extends ResultOptions {
  attempts?: boolean;
  input?: boolean;
  payload?: boolean;
}

async function showRun(session: CommandSession, options: ShowOptions, ref: string): Promise<number> {
  const id = await findId(session, 'run', ref);
  if (options.input) return printInput(session, id, options);
  if (options.payload) return printPayload(session, id);
  const api = await session.api();
  const run = await readAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
  const print = () => (options.attempts ? printAttempts(session, run) : printRun(session, run, api));
  await printObject(session, options, { kind: RESULT_KINDS.run, value: run, print });
  return exitCodeOfRun(run);
}

async function printInput(session: CommandSession, id: string, options: ShowOptions): Promise<number> {
  const api = await session.api();
  const input = await readAnswer(api.GET('/api/v1/runs/{id}/input', { params: { path: { id } } }));
  const print = () => {
    session.output.line(escapeLines(`${input.prompt.trimEnd()}\n\n---\n\n${input.envelope.trimEnd()}`));
    for (const line of describeStandsFor(input.stands_for)) session.output.line(line);
  };
  await printAnswer(session, options, { value: input, print });
  return EXIT_CODES.done;
}

/** The deliveries whose runs the run replaced. */
function describeStandsFor({ count, deliveries }: RunInput['stands_for']): string[] {
  if (count === 0) return [];
  const title = `Stands for ${countOf(count, 'other delivery', 'other deliveries')}, newest first:`;
  const rows = deliveries.map(({ id, delivery_id }) => `  ${id}  ${escapeText(delivery_id)}`);
  const rest = count - deliveries.length;
  return ['', title, ...rows, ...(rest === 0 ? [] : [`  and ${rest} older ones`])];
}

async function printPayload(session: CommandSession, id: string): Promise<number> {
  const api = await session.api();
  const path = '/api/v1/runs/{id}/attachments/event-payload.json';
  const payload = await readAnswer(api.GET(path, { params: { path: { id } }, parseAs: 'arrayBuffer' }));
  session.output.bytes(new Uint8Array(payload as unknown as ArrayBuffer));
  return EXIT_CODES.done;
}

function printAttempts({ output, nowMs }: CommandSession, run: Run): void {
  if (run.attempts.length === 0) output.line('No attempt has started.');
  for (const [i, attempt] of run.attempts.entries()) {
    if (i > 0) output.line();
    output.fields([
      ['Attempt', String(attempt.number)],
      ['State', attempt.state],
      ['Reason', attempt.reason_text],
      ['Exit code', attempt.exit_code === null ? null : String(attempt.exit_code)],
      ['Requested by', describeRequest(attempt)],
      ['Requested', attempt.requested_at && formatInstantWithAge(attempt.requested_at, nowMs)],
      ['Started', formatInstantWithAge(attempt.started_at, nowMs)],
      ['Finished', formatInstantWithAge(attempt.finished_at, nowMs)],
      ['Took', describeSpan(attempt, nowMs)],
      ['Executor', attempt.executor],
      ['Worker', attempt.worker],
      ['Log', attempt.log_offset === null ? null : `dockbell run log ${run.id} --attempt ${attempt.number}`],
    ]);
  }
}

function createAttemptColumns(nowMs: number): Column<RunAttempt>[] {
  return [
    { head: 'ATTEMPT', text: ({ number }) => String(number), narrow: 'whole' },
    {
      head: 'STATE',
      text: ({ state }) => state,
      color: ({ state }, colors) => pickStateColor(state, colors),
      narrow: 'whole',
    },
    { head: 'REQUESTED BY', text: describeRequest, drop: 2 },
    { head: 'STARTED', text: ({ started_at }) => formatAge(started_at, nowMs), narrow: 'whole', drop: 3 },
    { head: 'TOOK', text: (attempt) => describeSpan(attempt, nowMs), narrow: 'whole', drop: 4 },
    { head: 'WORKER', text: ({ worker }) => worker ?? '-', drop: 1 },
    { head: 'REASON', text: ({ reason_text }) => reason_text ?? '-', narrow: 'below' },
  ];
}

function describeRequest({ number, requested_at, requested_by }: RunAttempt): string {
  if (requested_by !== null) return requested_by.name;
  if (requested_at !== null) return 'Dockbell, automatically';
  return number === 1 ? 'the delivery' : 'unknown';
}

async function printRun({ output, nowMs }: CommandSession, run: Run, api: ApiClient): Promise<void> {
  const lastAttempt = run.error === null ? undefined : run.attempts.at(-1);
  output.fields([
    ['ID', run.id],
    ['State', run.state],
    ['Waiting', run.waiting && describeReason(run)],
    ['Error', run.error],
    ['Reason', lastAttempt?.reason_text === run.error ? null : (lastAttempt?.reason_text ?? null)],
    ['Exit code', run.exit_code === null ? null : String(run.exit_code)],
    ['Automation', run.automation],
    ['Delivery', run.delivery],
    ['Delivery ID', run.delivery_id],
    ['Webhook', run.webhook_uid],
    ...listContext(run.context ?? {}).map(({ label, text }): [string, string] => [label, text]),
    ['Concurrency key', run.concurrency_key],
    ['Superseded by', run.superseded_by],
    ['Progress', describeProgress(run.attempts.at(-1)?.progress ?? null)],
    ['Attempt', String(run.attempt)],
    ['Executor', run.executor ?? 'none yet'],
    ['Revision', run.revision],
    ['Created', formatInstantWithAge(run.created_at, nowMs)],
    ['Started', formatInstantWithAge(run.started_at, nowMs)],
    ['Finished', formatInstantWithAge(run.finished_at, nowMs)],
    ['Took', describeSpan(run, nowMs)],
  ]);
  printResult(output, run);
  if (isEnded(run)) {
    const { data } = await readAnswer(api.GET('/api/v1/runs/{id}/posts', { params: { path: { id: run.id } } }));
    printPosts(output, data);
  }
  if (run.attempt > 1) {
    output.line();
    output.table(createAttemptColumns(nowMs), run.attempts);
  }
  const id = escapeText(run.id);
  if (run.started_at !== null) output.line(`\nIts output: dockbell run log ${id}`);
  if (exitCodeOfRun(run) === EXIT_CODES.negative) output.line(`Retry it: dockbell run retry ${id}`);
}

/** What the run wrote to `result.json`. */
function printResult(output: CommandSession['output'], { id, result }: Run): void {
  if (result === null) return;
  const { summary, links, artifacts, problem } = result;
  output.line('\nResult:');
  for (const text of [problem, summary]) if (text !== null) output.line(indent(escapeLines(text)));
  for (const { title, url } of links) output.line(`  ${escapeText(title)}: ${escapeText(url)}`);
  for (const [index, { name }] of artifacts.entries())
    output.line(`  ${escapeText(name)}: dockbell run artifact ${escapeText(id)} ${index + 1}`);
}

/** Where the results of the attempts were posted, or why not. */
function printPosts(output: CommandSession['output'], posts: readonly RunPost[]): void {
  if (posts.length > 0) output.line('\nPosts:');
  for (const { attempt, target, state, problem, ...place } of posts) {
    const to = describePlace(place);
    const of = attempt === 1 ? '' : `attempt ${attempt}, `;
    const because = problem === null ? '' : `: ${escapeText(problem)}`;
    output.line(`  ${escapeText(target)}${to}: ${of}${describeNoticeState(state)}${because}`);
  }
}

function describePlace({ repository, commit, number }: Pick<RunPost, 'repository' | 'commit' | 'number'>): string {
  if (repository === null) return '';
  const subject = commit === null ? `#${number}` : commit.slice(0, 12);
  return escapeText(` ${repository} ${subject}`);
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

function exitCodeOfRun(run: Run): number {
  return run.state === 'failed' || run.state === 'cancelled' ? EXIT_CODES.negative : EXIT_CODES.done;
}

interface LogOptions {
  follow?: boolean;
  attempt?: number;
  timestamps?: boolean;
}

async function showLog(session: CommandSession, options: LogOptions, ref: string): Promise<number> {
  const id = await findId(session, 'run', ref);
  const { output, context } = session;
  const { attempt } = options;
  const api = await session.api();
  const times = options.timestamps ? new LogTimesReader(api, { id, attempt }) : null;
  const prefix = times && ((lineOffset: number) => `${findLogTime(times.times, lineOffset) ?? '-'} `);
  const print = createLogPrinter(context, output.bytes, prefix);
  if (!options.follow) {
    const bytes = await readRunLog(api, id, { attempt });
    await times?.update();
    print(bytes);
    return EXIT_CODES.done;
  }
  const run = await followRunLog({ api, context, id, attempt, times, print });
  return isEnded(run) ? exitCodeOfRun(run) : EXIT_CODES.done;
}

async function cancelRun(session: CommandSession, options: DryRunOptions, ref: string): Promise<number> {
  const id = await findId(session, 'run', ref);
  const api = await session.api();
  if (options.dryRun) {
    const run = await readAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
    await showDryRun(session, options, describeCancellation(run));
    return EXIT_CODES.done;
  }
  const answer = await readAnswer(api.POST('/api/v1/runs/{id}/cancel', { params: { path: { id } } }));
  if (options.json) session.output.json(answer);
  else session.output.line(describeCancel(answer));
  return EXIT_CODES.done;
}

function describeCancellation(run: Run): Change {
  const { id, state, automation } = run;
  return {
    action: `Cancel ${id}`,
    effects: [
      state === 'running'
        ? `It is running, so all processes of this run of ${automation} are stopped.`
        : `It is queued, so ${automation} does not start.`,
    ],
    check: () => {
      if (isEnded(run)) throw rejectChange(`The run had already ended as ${state}.`);
    },
  };
}

function describeCancel(run: Run): string {
  const id = escapeText(run.id);
  return run.state === 'cancelled' ? `Cancelled ${id}.` : `Stopping ${id}. See 'dockbell run show ${id}' for its end.`;
}
