import type { Factory } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { findAnswer, readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { describeForgetting, describeRenaming } from '../../domain/words/factory-changes.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { rejectChange } from '../input/require-editable.ts';
import { FACTORY_COLUMNS } from '../output/factory-columns.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';

const NAME = 'name of the factory that the configuration no longer names';

/** `dockbell factory …`: all factories, and those that the configuration no longer names. */
export function declareFactory(factory: CliCommand, bind: Bind): void {
  factory
    .command('list')
    .description('list factories with source, live commit and state, also those that the configuration no longer names')
    .withResult(RESULT_KINDS.factory)
    .explain({ examples: [['dockbell factory list', 'all factories of the daemon']] })
    .action(bind(listFactories));
  factory
    .command('forget')
    .argument('<name>', NAME)
    .description(
      'delete a factory that the configuration no longer names: its webhooks and automations. Deliveries and ended runs stay until retention removes them',
    )
    .withYes()
    .withJson()
    .explain({
      negative: 'the configuration names the factory, or one of its runs has not ended',
      examples: [['dockbell factory forget old-shop', 'its URLs never work again']],
    })
    .action(bind(forgetFactory));
  factory
    .command('rename')
    .argument('<old>', NAME)
    .argument('<new>', 'its name in the configuration')
    .description(
      'give a factory that has another name in the configuration its webhooks, URLs, automations, runs and history',
    )
    .withYes()
    .withJson()
    .explain({
      negative:
        'the configuration still names the old factory or does not name the new one, or the new one would lose URLs',
      more: 'First rename the factory in dockbell.yaml and run dockbell reload. Limits of tokens and users get the new name, too.',
      examples: [['dockbell factory rename shop web-shop', 'the URLs of shop work again']],
    })
    .action(bind(renameFactory));
}

async function listFactories(session: CommandSession, options: ResultOptions): Promise<number> {
  const api = await session.api();
  const page = await listRows((page) => readAnswer(api.GET('/api/v1/factories', { params: { query: page } })), null);
  await printList(session, options, {
    kind: RESULT_KINDS.factory,
    page,
    columns: FACTORY_COLUMNS,
    empty: "The daemon serves no factory. Add one under 'factories' of dockbell.yaml.",
  });
  return EXIT_CODES.done;
}

async function forgetFactory(
  session: CommandSession,
  options: ConfirmOptions & { json?: boolean },
  name: string,
): Promise<number> {
  const [api, factory] = [await session.api(), await findFactory(session, name)];
  // Without a question, because the daemon rejects it.
  const { configured } = factory;
  const isConfirmed = await confirm(session, configured ? { ...options, yes: true } : options, {
    action: `Forget the factory ${name}`,
    effects: describeForgetting(factory),
    check: () => {
      if (configured) throw rejectConfigured(name);
      const running = factory.counts.running_runs ?? 0;
      if (running > 0) throw rejectChange(`The factory ${name} has ${countOf(running, 'running run')}.`);
    },
  });
  if (!isConfirmed) return EXIT_CODES.done;
  const forgotten = await readAnswer(
    api.DELETE('/api/v1/factories/{factory}', { params: { path: { factory: name } } }),
  );
  if (options.json) session.output.json(forgotten);
  else {
    const { cancelled_runs: runs } = forgotten;
    const cancelled = runs === 0 ? '' : ` ${runs} queued ${runs === 1 ? 'run was' : 'runs were'} cancelled.`;
    session.output.line(`Forgot factory ${escapeText(name)}.${cancelled}`);
  }
  return EXIT_CODES.done;
}

async function renameFactory(
  session: CommandSession,
  options: ConfirmOptions & { json?: boolean },
  name: string,
  to: string,
): Promise<number> {
  const [api, factory] = [await session.api(), await findFactory(session, name)];
  const { configured } = factory;
  const isConfirmed = await confirm(session, configured ? { ...options, yes: true } : options, {
    action: `Rename the factory ${name} to ${to}`,
    effects: describeRenaming(factory, to),
    check: async () => {
      if (configured) throw rejectConfigured(name);
      const target = await findFactory(session, to);
      if (!target.configured) throw rejectChange(`The configuration does not name the factory ${to}.`);
    },
  });
  if (!isConfirmed) return EXIT_CODES.done;
  const request = { params: { path: { factory: name } }, body: { to } };
  const renamed = await readAnswer(api.POST('/api/v1/factories/{factory}/rename', request));
  if (options.json) session.output.json(renamed);
  else printRenamed(session, name, renamed);
  return EXIT_CODES.done;
}

function rejectConfigured(name: string): CliError {
  return rejectChange(`The configuration still names the factory ${name}.`);
}

/** A definition that cannot be applied leaves the one before live. */
function printRenamed({ output }: CommandSession, name: string, { name: to, conditions, counts }: Factory): void {
  const webhooks = counts.webhooks === 1 ? '1 webhook keeps its URL' : `${counts.webhooks} webhooks keep their URLs`;
  output.line(`Renamed factory ${escapeText(name)} to ${escapeText(to)}: ${webhooks}.`);
  const failed = conditions.find(({ type, status }) => type === 'Reconciled' && status === 'False');
  if (failed !== undefined) {
    output.note(`The definition of ${name} is live, because the current one is not: ${failed.message}`);
  }
}

async function findFactory(session: CommandSession, name: string): Promise<Factory> {
  const api = await session.api();
  const found = await findAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory: name } } }));
  if (found !== null) return found;
  throw new CliError(`There is no factory '${escapeText(name)}'.`, {
    code: 'not_found',
    hint: "See 'dockbell factory list'.",
  });
}
