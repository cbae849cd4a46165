import type { ActivityHour } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type InstantOption, instantOption, toInstant } from '../input/value-options.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface ActivityOptions extends ResultOptions {
  since?: InstantOption;
  until?: InstantOption;
}

/** `dockbell activity`: deliveries and runs of a factory for each hour. */
export function declareActivity(command: CliCommand, bind: Bind): void {
  command
    .addOption(instantOption('--since <time>', 'from the hour of this time on'))
    .addOption(instantOption('--until <time>', 'up to the hour of this time'))
    .withResult(RESULT_KINDS.activity)
    .explain({
      more: 'Default: the last 24 hours; at most 31 days. Runs are counted in the hour in which they were created.',
      examples: [
        ['dockbell activity', 'the last 24 hours'],
        ['dockbell activity --since 7d --fields start,runs', 'the runs of a week'],
      ],
    })
    .action(bind(showActivity));
}

async function showActivity(session: CommandSession, { since, until, ...options }: ActivityOptions): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const [from, to] = [toInstant(since, session.nowMs), toInstant(until, session.nowMs)];
  const query = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const { buckets } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/activity', { params: { path: { factory }, query } }),
  );
  const page = { data: buckets, next_cursor: null };
  await printList(session, options, { kind: RESULT_KINDS.activity, page, columns: COLUMNS, empty: 'No hours.' });
  return EXIT_CODES.done;
}

const COLUMNS: Column<ActivityHour>[] = [
  { head: 'HOUR', text: ({ start }) => start, narrow: 'whole' },
  { head: 'ACCEPTED', text: ({ deliveries }) => String(deliveries.Accepted), narrow: 'whole' },
  { head: 'DUPLICATE', text: ({ deliveries }) => String(deliveries.Duplicate), narrow: 'whole' },
  { head: 'REJECTED', text: ({ deliveries }) => String(countRejected(deliveries)), narrow: 'whole' },
  { head: 'RUNS', text: ({ runs }) => String(sum(Object.values(runs))), narrow: 'whole' },
  { head: 'FAILED', text: ({ runs }) => String(runs.failed), narrow: 'whole' },
];

function countRejected({ Accepted: _, Duplicate: __, ...rejected }: ActivityHour['deliveries']): number {
  return sum(Object.values(rejected));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
