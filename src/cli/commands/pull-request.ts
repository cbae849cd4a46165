import type { PullRequest, PullRequests } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { describeRequestPosts, listPostProblems } from '../../domain/words/notices.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { WatchOptions } from '../follow/watch-list.ts';
import type { Colors } from '../output/colors.ts';
import { shortenRevision } from '../output/describe-reconciliation.ts';
import { formatAge } from '../output/format-time.ts';
import { printRows } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { Column } from '../output/table.ts';

/** `dockbell pull-request …`: the checks of open pull requests. */
export function declarePullRequest(pullRequest: CliCommand, bind: Bind): void {
  pullRequest
    .command('list')
    .description('list the open pull requests with their last checks, and whether status and comment were posted')
    .withWatch()
    .withResult(RESULT_KINDS.pullRequest)
    .explain({
      more:
        'For factories with pullRequests in dockbell.yaml. Above the list is why the git host could not be asked, if so.\n' +
        'A pull request in the state untouched changes nothing that the factory reads, so it gets no status.',
      examples: [
        ['dockbell pull-request list', 'why a pull request has no status'],
        ['dockbell pull-request list --watch', 'while checks run'],
        ['dockbell pull-request list --json', 'for scripts'],
      ],
    })
    .action(bind(listOrWatchPullRequests));
}

async function listOrWatchPullRequests(session: CommandSession, options: WatchOptions): Promise<number> {
  if (!options.watch) return listPullRequests(session, options);
  const { watchList } = await import('../follow/watch-list.ts');
  return watchList(session, options, { factory: await session.factory(), print: listPullRequests });
}

async function listPullRequests(session: CommandSession, options: WatchOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const list = await readAnswer(
    api.GET('/api/v1/factories/{factory}/pull-requests', { params: { path: { factory } } }),
  );
  const columns = createColumns(session.nowMs);
  await printRows(session, options, {
    kind: RESULT_KINDS.pullRequest,
    page: list,
    columns,
    print: () => printTable(session, list, columns),
  });
  return EXIT_CODES.done;
}

function printTable({ output, nowMs }: CommandSession, list: PullRequests, columns: readonly Column<PullRequest>[]) {
  const { host, repository, branch, listed_at: listedAt, problem, has_more: hasMore, data } = list;
  output.fields([
    ['Repository', `${repository} (${host}, branch ${branch})`],
    ['Listed', listedAt === null ? 'never' : formatAge(listedAt, nowMs)],
    ['Problem', problem],
  ]);
  output.line();
  if (data.length > 0) output.table(columns, data);
  else if (listedAt === null) output.line('The git host has not listed its pull requests yet.');
  else output.line('No open pull requests for this branch.');
  if (hasMore) output.note(`The git host has more open pull requests than the ${data.length} that are checked.`);
}

function createColumns(nowMs: number): Column<PullRequest>[] {
  return [
    { head: 'NUMBER', text: ({ number }) => String(number), narrow: 'whole' },
    { head: 'HEAD', text: ({ head }) => shortenRevision(head), narrow: 'whole' },
    { head: 'FORK', text: ({ fork }) => (fork ? 'yes' : 'no'), narrow: 'whole', drop: 2 },
    { head: 'STATE', text: ({ state }) => state, color: paintState, narrow: 'whole' },
    { head: 'POSTED', text: describeRequestPosts, color: paintPosts, narrow: 'whole' },
    { head: 'CHECKED', text: ({ checked_at: at }) => formatAge(at, nowMs), narrow: 'whole', drop: 1 },
    { head: 'TITLE', text: ({ title }) => title || '-', minWidth: 12, drop: 3 },
    { head: 'DESCRIPTION', text: describeCheck, narrow: 'below' },
  ];
}

function paintState({ state }: PullRequest, { green, red, yellow, dim }: Colors): Colors['red'] {
  if (state === 'success') return green;
  if (state === 'failure' || state === 'error') return red;
  return state === 'pending' ? yellow : dim;
}

function paintPosts(request: PullRequest, { yellow }: Colors): (text: string) => string {
  return listPostProblems(request).length === 0 ? (text) => text : yellow;
}

function describeCheck(request: PullRequest): string {
  const { description } = request;
  return [...(description === null ? [] : [description]), ...listPostProblems(request)].join('; ') || '-';
}
