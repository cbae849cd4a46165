import type { Run } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { type Problem, RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { countRetryable, type RetryFilters, type RetrySummary, retryMatching } from '../../client/retry-runs.ts';
import { DEAD_LETTER_STATE, ENDED_STATES, type RunState } from '../../domain/resources/run.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { describeIdArgument, findId } from '../find/find-id.ts';
import { isEnded } from '../follow/follow-run-log.ts';
import { type ConfirmOptions, confirm, showDryRun } from '../input/confirm.ts';
import { rejectChange } from '../input/require-editable.ts';
import { addRunFilters, hasRunFilters, type RunFilterOptions, readRunFilters } from '../input/run-filters.ts';

interface RetryOptions extends RunFilterOptions, ConfirmOptions {
  state?: (typeof ENDED_STATES)[number];
  json?: boolean;
}

/** `dockbell run retry`: executes runs that have ended again. */
export function declareRunRetry(run: CliCommand, bind: Bind): void {
  addRunFilters(run.command('retry'), ENDED_STATES)
    .argument('[id...]', `${describeIdArgument('run')}; or use filters`)
    .description('execute runs that have ended again, with the same prompt and payload')
    .option('-y, --yes', 'with filters: do not ask for confirmation; required if standard input is not a terminal')
    .withDryRun()
    .withJson()
    .explain({
      negative: 'a run has not ended, or its payload is no longer stored',
      examples: [
        ['dockbell run retry run_01jd3v8k6n', 'queue the next attempt'],
        ['dockbell run retry --dead-letter --dry-run', 'which runs would be retried'],
        ['dockbell run retry --dead-letter', 'retry everything that failed, after a confirmation'],
        ['dockbell run retry --automation triage --since 2h --yes', 'retry what failed in the last two hours'],
      ],
      more: 'Filters without --state retry only runs that failed. A retry that was interrupted can be repeated: runs that are queued again no longer match.',
    })
    .action(bind(retryRuns));
}

async function retryRuns(session: CommandSession, options: RetryOptions, refs: readonly string[]): Promise<number> {
  const isFiltered = hasRunFilters(options);
  if (isFiltered && refs.length > 0) throw new CliError('Use either IDs of runs or filters, not both.');
  if (isFiltered) return options.dryRun ? showMatching(session, options) : retryMatchingRuns(session, options);
  if (refs.length === 0) {
    throw new CliError('Specify runs to retry.', { hint: 'Use the IDs of runs, or filters such as --dead-letter.' });
  }
  if (options.dryRun) return showListed(session, options, refs);
  const [ref] = refs;
  return refs.length === 1 ? retryRun(session, options, ref!) : retryListed(session, options, refs);
}

async function retryRun(session: CommandSession, { json }: RetryOptions, ref: string): Promise<number> {
  const run = await sendRetry(session, await findId(session, 'run', ref));
  if (json) session.output.json(run);
  else session.output.line(`Queued ${escapeText(run.id)} again, as attempt ${run.attempt}.`);
  return EXIT_CODES.done;
}

/** With `--dry-run`: the runs that match. */
async function showMatching(session: CommandSession, options: RetryOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const filters = await readRunFilters(session, options);
  const isAnyState = filters.state === undefined && !filters.dead_letter;
  const state: RunState | undefined = isAnyState ? DEAD_LETTER_STATE : filters.state;
  const query = { ...filters, state };
  const { data } = await listRows(
    (page) =>
      readAnswer(
        api.GET('/api/v1/factories/{factory}/runs', { params: { path: { factory }, query: { ...query, ...page } } }),
      ),
    null,
  );
  return showRetries(session, options, data);
}

/** With `--dry-run`: the runs with these IDs. */
async function showListed(session: CommandSession, options: RetryOptions, refs: readonly string[]): Promise<number> {
  const api = await session.api();
  const ids = new Set<string>();
  for (const ref of refs) ids.add(await findId(session, 'run', ref));
  const runs: Run[] = [];
  for (const id of ids) runs.push(await readAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id } } })));
  const open = runs.filter((run) => !isEnded(run));
  if (open.length > 0) throw rejectChange(`${open.map(({ id }) => id).join(', ')} has not ended.`);
  return showRetries(session, options, runs);
}

async function showRetries(session: CommandSession, options: RetryOptions, runs: readonly Run[]): Promise<number> {
  await showDryRun(session, options, {
    action: `Retry ${countOf(runs.length, 'run')}`,
    effects: runs.map(({ id, automation, state, attempt }) => `${id}  ${automation}, ${state}: attempt ${attempt + 1}`),
  });
  return EXIT_CODES.done;
}

async function sendRetry(session: CommandSession, id: string): Promise<Run> {
  const api = await session.api();
  return session.create((headers) => api.POST('/api/v1/runs/{id}/retry', { params: { path: { id } }, headers }));
}

/** All IDs are resolved before the first run is retried. */
async function retryListed(session: CommandSession, options: RetryOptions, refs: readonly string[]): Promise<number> {
  const ids = new Set<string>();
  for (const ref of refs) ids.add(await findId(session, 'run', ref));
  const rejected: RetrySummary['rejected'][number][] = [];
  for (const id of ids) {
    const problem = await sendRetry(session, id).then(() => null, readRejection);
    if (problem !== null) rejected.push({ run: id, reason: problem.code, reason_text: problem.detail });
  }
  return printSummary(session, options, { retried: ids.size - rejected.length, rejected });
}

/** The problem of a run that cannot be retried. Other runs can be. */
function readRejection(error: unknown): Problem {
  if (error instanceof RequestFailed && [404, 409].includes(error.problem.status)) return error.problem;
  throw error;
}

async function retryMatchingRuns(session: CommandSession, options: RetryOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const filters: RetryFilters = await readRunFilters(session, options);
  const count = await countRetryable(api, factory, filters);
  if (count > 0) await confirmRetry(session, options, count);
  let done: RetrySummary = { retried: 0, rejected: [] };
  if (count > 0) {
    const retryPage = (page: { cursor?: string }) => {
      const body = Object.assign(page, filters);
      const path = '/api/v1/factories/{factory}/runs/retry';
      return session.create((headers) => api.POST(path, { params: { path: { factory } }, body, headers }));
    };
    await retryMatching(retryPage, (summary) => {
      done = summary;
    }).catch((error: unknown) => {
      session.context.stderr.write(`${describeRetried(done.retried)} Repeat the command to continue.\n`);
      throw error;
    });
  }
  return printSummary(session, options, done);
}

async function confirmRetry(session: CommandSession, options: RetryOptions, count: number): Promise<void> {
  const question = `Retry ${countOf(count, 'run')}?`;
  if (!options.yes && session.context.stdin.isTTY !== true) {
    throw new CliError(`${question} Standard input is not a terminal, so nothing was changed.`, {
      hint: 'Use --yes to retry them.',
    });
  }
  await confirm(session, options, { action: question.slice(0, -1), effects: [] });
}

const MAX_SHOWN_IDS = 10;

function printSummary(session: CommandSession, { json }: RetryOptions, summary: RetrySummary): number {
  const { retried, rejected } = summary;
  if (json) session.output.json(summary);
  else if (retried + rejected.length === 0) session.output.line('No matching runs.');
  else {
    session.output.line(describeRetried(retried));
    for (const text of new Set(rejected.map(({ reason_text }) => reason_text))) {
      const runs = rejected.filter(({ reason_text }) => reason_text === text).map(({ run }) => `  ${escapeText(run)}`);
      const more = runs.length > MAX_SHOWN_IDS ? [`  and ${runs.length - MAX_SHOWN_IDS} more`] : [];
      const lines = [`Not retried: ${runs.length}. ${escapeText(text)}`, ...runs.slice(0, MAX_SHOWN_IDS), ...more];
      session.output.line(lines.join('\n'));
    }
  }
  return rejected.length > 0 ? EXIT_CODES.negative : EXIT_CODES.done;
}

function describeRetried(count: number): string {
  return `Queued ${countOf(count, 'run')} again.`;
}
