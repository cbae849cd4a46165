import type { Reconciliation } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { describeIdArgument, findId } from '../find/find-id.ts';
import { countOption } from '../input/value-options.ts';
import { isFailure, shortenRevision } from '../output/describe-reconciliation.ts';
import { formatAge } from '../output/format-time.ts';
import { printReconciliation } from '../output/print-reconciliation.ts';
import { printList, printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

/** `dockbell reconciliation …`: the outcome of each revision. */
export function declareReconciliation(reconciliation: CliCommand, bind: Bind): void {
  reconciliation
    .command('list')
    .description('list the outcome of each revision, the most recent first')
    .addOption(countOption('--limit <count>', 'maximum number of entries').default(20))
    .withResult(RESULT_KINDS.reconciliation)
    .explain({
      more: 'If a revision fails again in the same way, no new entry is added.',
      examples: [['dockbell reconciliation list --factory payments', 'the outcomes in one factory']],
    })
    .action(bind(listReconciliations));
  reconciliation
    .command('show')
    .argument('<id>', describeIdArgument('reconciliation'))
    .description('show the commit and the changes, or every finding with file and line')
    .withResult(RESULT_KINDS.reconciliation)
    .explain({
      negative: 'the revision was not applied',
      examples: [['dockbell reconciliation show rec_01jd3v8k6n', 'the changes of this revision']],
    })
    .action(bind(showReconciliation));
}

async function listReconciliations(
  session: CommandSession,
  options: ResultOptions & { limit: number },
): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const page = await listRows(
    (page) =>
      readAnswer(
        api.GET('/api/v1/factories/{factory}/reconciliations', { params: { path: { factory }, query: page } }),
      ),
    options.limit,
  );
  await printList(session, options, {
    kind: RESULT_KINDS.reconciliation,
    page,
    columns: createColumns(session.nowMs),
    empty: 'No reconciliations yet.',
  });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Reconciliation>[] {
  return [
    { head: 'ID', text: ({ id }) => id, narrow: 'whole' },
    { head: 'WHEN', text: ({ attempted_at }) => formatAge(attempted_at, nowMs), narrow: 'whole', drop: 1 },
    { head: 'REVISION', text: ({ revision }) => shortenRevision(revision), narrow: 'whole', drop: 2 },
    {
      head: 'RESULT',
      text: ({ result }) => result,
      color: (row, colors) => (isFailure(row) ? colors.red : row.result === 'applied' ? colors.green : colors.dim),
      narrow: 'whole',
    },
    { head: 'AUTHOR', text: ({ commit }) => commit?.author ?? '-', drop: 3 },
    { head: 'SUBJECT', text: ({ commit }) => commit?.subject ?? '-', minWidth: 24, drop: 4 },
    { head: 'CHANGES', text: describeOutcome, narrow: 'below' },
  ];
}

/** The changes, or the reason why nothing was applied. */
function describeOutcome(row: Reconciliation): string {
  if (row.result !== 'applied') return row.result === 'unchanged' ? '-' : row.message;
  const sections = [row.plan.webhooks, row.plan.automations];
  const name = (sign: string, key: 'create' | 'update' | 'delete') =>
    sections.flatMap((section) => section[key].map((entry) => `${sign}${entry.name}`));
  return [...name('+', 'create'), ...name('~', 'update'), ...name('-', 'delete')].join(' ') || '-';
}

async function showReconciliation(session: CommandSession, options: ResultOptions, ref: string): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const id = await findId(session, 'reconciliation', ref);
  const found = await readAnswer(
    api.GET('/api/v1/factories/{factory}/reconciliations/{id}', { params: { path: { factory, id } } }),
  );
  const print = () => printReconciliation(session.output, found);
  await printObject(session, options, { kind: RESULT_KINDS.reconciliation, value: found, print });
  return isFailure(found) ? EXIT_CODES.negative : EXIT_CODES.done;
}
