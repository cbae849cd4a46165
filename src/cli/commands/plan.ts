import { resolve } from 'node:path';
import { Option } from 'commander';
import type { PlanPreview } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { collectSources } from '../../definitions/report/collect-sources.ts';
import { formatPretty } from '../../definitions/report/format-pretty.ts';
import { collectAgentFiles, isAgentPath } from '../../domain/definitions/agent-files.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { hasErrors } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { renderInvalidMarkdown, renderPlanMarkdown } from '../../reconcile/plan-report/plan-markdown.ts';
import { listPlannedItems, listWarnings } from '../../reconcile/plan-report/plan-summary.ts';
import { type CliCommand, DAEMON_FAILURES } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { validateOffline } from '../offline/validate-offline.ts';
import { hasColors } from '../output/colors.ts';
import { printPlan } from '../output/print-plan.ts';
import { startProgress } from '../output/progress.ts';

interface PlanOptions {
  format: 'pretty' | 'json' | 'markdown';
  rev?: string;
  detailedExitcode?: boolean;
  json?: boolean;
}

/** Exit codes with `--detailed-exitcode`. */
const DETAILED = { changed: 3, unreachable: 5 };

/** `dockbell plan`: the changes that a folder would make in a running daemon. */
export function declarePlan(command: CliCommand, bind: Bind): void {
  command
    .argument('[dir]', 'folder of the factory', '.')
    .addOption(
      new Option('--format <format>', 'output format').choices(['pretty', 'json', 'markdown']).default('pretty'),
    )
    .option('--rev <rev>', 'read a git revision (branch, tag, commit) instead of the files on disk')
    .option('--detailed-exitcode', 'exit with 3 if there are changes, and with 5 if the daemon cannot be reached')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .withExitCodes((exit, _code, { detailedExitcode }) =>
      detailedExitcode && exit === EXIT_CODES.unreachable ? DETAILED.unreachable : exit,
    )
    .explain({
      negative: 'the definition is invalid, so nothing would be applied, or the factory is unknown',
      failures: `${DAEMON_FAILURES}; with --detailed-exitcode: ${DETAILED.changed} there are changes, and ${DETAILED.unreachable} the daemon or the network cannot be reached`,
      more:
        'Nothing is written. The backtest evaluates the stored deliveries of the last 7 days with every automation whose\n' +
        'triggers change. It prints the number of deliveries that start it before and after the change, with examples.',
      examples: [
        ['dockbell plan', 'before a push'],
        ['dockbell plan --format markdown > comment.md', 'as a comment on a pull request'],
        ['dockbell plan --rev HEAD --detailed-exitcode', 'in a pipeline that asks for approval if something changes'],
      ],
    })
    .action(bind(plan));
}

/** The limit of the management API. */
const MAX_OTHER_FOLDERS = 1000;

async function plan(session: CommandSession, options: PlanOptions, dir: string): Promise<number> {
  // The daemon checks its own limit of webhooks. Here only what cannot be sent as text has to be found.
  const folder = resolve(session.context.cwd, dir);
  const { validated, tree } = await validateOffline(folder, options.rev, Number.POSITIVE_INFINITY);
  if (hasErrors(validated.diagnostics)) return reject(session, options, validated.diagnostics, tree);
  try {
    return await show(session, options, tree);
  } catch (error) {
    const found = error instanceof RequestFailed ? error.problem.diagnostics : undefined;
    if (found === undefined) throw error;
    const findings = found.map((finding) => ({ ...finding, file: tree.prefix + finding.file }));
    return reject(session, options, findings, tree);
  }
}

async function show(session: CommandSession, options: PlanOptions, tree: SourceTree): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const files = Object.fromEntries(
    tree.entries
      .filter(({ path }) => !isAgentPath(path))
      .flatMap(({ path, bytes }) => (bytes === null ? [] : [[path, Buffer.from(bytes).toString('utf8')]])),
  );
  const folders =
    tree.otherFolders === undefined ? {} : { other_folders: tree.otherFolders.slice(0, MAX_OTHER_FOLDERS) };
  const body = { files, agent_files: [...collectAgentFiles(tree.entries).set.files], ...folders };
  const progress = startProgress(session.context, 'Planning…');
  const preview = await readAnswer(
    api.POST('/api/v1/factories/{factory}/plan', { params: { path: { factory } }, body }),
  ).finally(() => progress.stop());
  print(session, options, preview);
  // A rule that only the daemon can check, and that the factory rates as an error.
  if (hasErrors(listWarnings(preview))) return EXIT_CODES.negative;
  const isChanged = listPlannedItems(preview).length > 0;
  return options.detailedExitcode && isChanged ? DETAILED.changed : EXIT_CODES.done;
}

function print({ output }: CommandSession, { format, json }: PlanOptions, preview: PlanPreview): void {
  if (json || format === 'json') output.json(preview);
  else if (format === 'markdown') output.bytes(Buffer.from(renderPlanMarkdown(preview)));
  else printPlan(output, preview);
}

function reject(
  session: CommandSession,
  { format, json }: PlanOptions,
  diagnostics: readonly Diagnostic[],
  tree: SourceTree,
) {
  const { output, context } = session;
  const text = (color: boolean) => formatPretty(diagnostics, { sources: collectSources(tree, diagnostics), color });
  if (json || format === 'json') output.json({ valid: false, diagnostics });
  else if (format === 'pretty') output.bytes(Buffer.from(text(hasColors(context.stdout, context.env))));
  else output.bytes(Buffer.from(renderInvalidMarkdown(text(false))));
  // As in validate: a folder without a factory is probably the wrong one.
  return diagnostics.some(({ rule }) => rule === 'factory/not-found') ? EXIT_CODES.usage : EXIT_CODES.negative;
}
