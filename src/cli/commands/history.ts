import type { Revision } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { countOption } from '../input/value-options.ts';
import { shortenRevision } from '../output/describe-reconciliation.ts';
import { formatAge } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

const KEEPS = 'the factory is not managed, so it has no revisions';

/** `dockbell history` and `dockbell revert`: the revisions of a managed factory. */
export function declareHistory(command: CliCommand, bind: Bind): void {
  command
    .addOption(countOption('--limit <count>', 'maximum number of revisions').default(20))
    .withResult(RESULT_KINDS.revision)
    .explain({
      negative: KEEPS,
      more: "For the outcome of each revision, in any factory, see 'dockbell reconciliation list'.",
      examples: [['dockbell history --factory payments', 'the most recent changes']],
    })
    .action(bind(listRevisions));
}

export function declareRevert(command: CliCommand, bind: Bind): void {
  command
    .argument('<revision>', 'the revision: at least 7 hexadecimal digits')
    .withJson()
    .explain({
      negative: `${KEEPS}, or the earlier definition is no longer valid`,
      more: 'The definition is restored as a new revision. Restored webhooks keep their earlier URLs. Secrets do not change. The revisions in between stay in the history.',
      examples: [['dockbell revert c1c36eb06ce8', 'restore the definition of this revision']],
    })
    .action(bind(revert));
}

async function listRevisions(session: CommandSession, options: ResultOptions & { limit: number }): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const page = await listRows(
    (page) =>
      readAnswer(api.GET('/api/v1/factories/{factory}/history', { params: { path: { factory }, query: page } })),
    options.limit,
  );
  const columns = createColumns(session.nowMs);
  await printList(session, options, { kind: RESULT_KINDS.revision, page, columns, empty: 'No revisions yet.' });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Revision>[] {
  return [
    { head: 'REVISION', text: ({ revision }) => shortenRevision(revision), narrow: 'whole' },
    { head: 'WHEN', text: ({ created_at }) => formatAge(created_at, nowMs), narrow: 'whole' },
    { head: 'BY', text: ({ author }) => author },
    { head: 'CHANGE', text: ({ message }) => message, narrow: 'below' },
  ];
}

async function revert(session: CommandSession, options: { json?: boolean }, wanted: string): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const revision = await findRevision(session, factory, wanted);
  const reverted = await readAnswer(
    api.POST('/api/v1/factories/{factory}/reverts', { params: { path: { factory } }, body: { revision } }),
  );
  if (options.json) session.output.json(reverted);
  else {
    const now = shortenRevision(reverted.applied_revision);
    session.output.line(`Reverted ${escapeText(factory)} to ${shortenRevision(revision)}. ${now} is live.`);
  }
  return EXIT_CODES.done;
}

const WHOLE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const PREFIX = /^[0-9a-f]{7,64}$/;

/** The complete revision for an abbreviated one. */
async function findRevision(session: CommandSession, factory: string, wanted: string): Promise<string> {
  if (WHOLE.test(wanted)) return wanted;
  const hint = "See 'dockbell history'.";
  if (!PREFIX.test(wanted))
    throw new CliError(`'${escapeText(wanted)}' is not a revision of a managed factory.`, { code: 'not_found', hint });
  const api = await session.api();
  const { data } = await listRows(
    (page) =>
      readAnswer(api.GET('/api/v1/factories/{factory}/history', { params: { path: { factory }, query: page } })),
    null,
  );
  const [found, ...others] = data.filter(({ revision }) => revision.startsWith(wanted));
  if (found !== undefined && others.length === 0) return found.revision;
  const [code, why] =
    found === undefined
      ? (['not_found', 'is not a revision'] as const)
      : (['ambiguous', 'matches several revisions'] as const);
  throw new CliError(`'${wanted}' ${why} of ${escapeText(factory)}.`, { code, hint });
}
