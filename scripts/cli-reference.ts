import type { Argument, Option } from 'commander';
import type { CliCommand } from '../src/cli/cli-command.ts';
import { describeExitCodes } from '../src/cli/cli-command.ts';
import { describe, listCommands, loadProgram, pathOf, sentence } from './program-tree.ts';

const TITLE = `# Command line

<!-- generated from src/cli by scripts/generate-cli-docs.ts: run npx tsx scripts/generate-cli-docs.ts after a change -->
`;

/** What is true for all commands, in Markdown. */
export const INTRODUCTION = `Each command explains itself with \`--help\`. Results go to standard output, everything else to standard error. The first line
of an error is one sentence that says what failed.

Commands that list or show objects have the option \`-o, --output\`: \`table\` (the default), \`json\`, \`yaml\`, or \`name\` for one
ID or name on each line and nothing else. \`--json\` is \`-o json\`, and \`-q, --quiet\` is \`-o name\`. \`--fields id,commit.author\`
selects fields by their names in the API, in this order. They are the columns of the table and the only keys of JSON and YAML.

With \`--json\`, standard output holds exactly the JSON of the management API. An error is then the last line of standard error,
as one JSON object, which is also valid YAML for \`-o yaml\`: \`{"error": {"code": "unreachable", "message": "…", "hint": "…"}}\`. \`code\` is a code of the management API
or one of \`usage\`, \`unreachable\`, \`ambiguous\`, \`declined\`, \`interrupted\` and \`unexpected_answer\`; \`status\` and \`diagnostics\` are added
if the management API answered with them.

Colors and spinners appear on a terminal only. \`NO_COLOR\` and \`--no-color\` turn colors off, \`FORCE_COLOR\` turns them on for
pipes. On a terminal, tables fit its width: reasons move below their row and less important columns are omitted. IDs, names and
states are never cut. In files and pipes, tables are complete.

Instead of an ID, you can use a unique prefix with at least 6 characters after the type prefix, such as \`run_01m814\`. For the
most recent object, use \`last\`.

Exit codes: 0 done; 1 the result is negative (invalid definition, would not trigger, run failed), a name or reference is
unknown, or the output cannot be written; 2 wrong usage, or an unexpected error; 3 the daemon or the network cannot be reached,
or cannot serve the request now, so that a later call can succeed; 4 not signed in or not allowed: the token is missing, wrong or
expired, its role is not sufficient, or the user cannot read its file; 130 Ctrl-C at a prompt. With \`plan --detailed-exitcode\`,
3 means that there are changes, and 5 that the daemon or the network cannot be reached. \`serve\` ends with 0, 1 or 2.

A profile is a named connection: an address or a data directory, a file with the token, and a factory (\`dockbell profile\`).
Options come first: \`--url\` or \`--data-dir\`, else \`--profile\`. Then come variables: \`DOCKBELL_URL\`, \`DOCKBELL_DATA_DIR\`,
\`DOCKBELL_PROFILE\`. If none is set, commands use the \`dockbell dev\` of the working directory, then its data directory if it
exists, then the profile of \`dockbell profile use\`. With a profile, variables with tokens are ignored.

Without a profile, commands find the daemon by \`--url\`, then \`DOCKBELL_URL\`, then \`daemon.json\` in the data directory. The data
directory is that of \`--data-dir\`, then \`DOCKBELL_DATA_DIR\`, then \`dataDir\` of \`dockbell.yaml\` in the working directory, then
\`./.dockbell\`. They read the token from \`--token\`, then \`--token-file\`, then \`DOCKBELL_TOKEN\`, then the file that
\`DOCKBELL_TOKEN_FILE\` names, then \`admin-token\` in the data directory. The token of a data directory is sent to the daemon of
that directory only. \`DOCKBELL_FACTORY\` names the factory if \`--factory\` does not.
`;

/** The whole page docs/reference/cli.md, made from the commands themselves. */
export async function renderCliReference(): Promise<string> {
  const root = await loadProgram();
  const sections = [renderGlobalOptions(root), ...listCommands(root).map(renderCommand)];
  return [TITLE, INTRODUCTION, ...sections].join('\n');
}

function renderGlobalOptions(root: CliCommand): string {
  return ['## Options of every command', '', renderOptions(root.options), ''].join('\n');
}

function renderCommand(command: CliCommand): string {
  const title = `${'#'.repeat(pathOf(command).length)} \`${pathOf(command).join(' ')}\``;
  const parts = [title, '', `${sentence(command.description())}`, ''];
  if (command.isGroup) return parts.join('\n');
  parts.push('```', `${pathOf(command).join(' ')} ${command.usage()}`, '```', '');
  if (command.registeredArguments.length > 0) parts.push(renderArguments(command.registeredArguments), '');
  if (command.options.length > 0) parts.push(renderOptions(command.options), '');
  return [...parts, ...renderNotes(command)].join('\n');
}

function renderNotes(command: CliCommand): string[] {
  const { notes } = command;
  if (notes === null) return [];
  const more = command.listParagraphs().flatMap((text) => [text.replaceAll('\n', ' '), '']);
  const examples = notes.examples.flatMap(([line, effect]) => [`# ${effect}`, line]);
  return [...more, '```sh', ...examples, '```', '', `Exit codes: ${describeExitCodes(command, notes)}.`, ''];
}

function renderArguments(args: readonly Argument[]): string {
  return args.map((argument) => `- \`${argument.name()}\`: ${escapeMarkdown(describe(argument))}`).join('\n');
}

function renderOptions(options: readonly Option[]): string {
  return options.map((option) => `- \`${option.flags}\`: ${escapeMarkdown(describe(option))}`).join('\n');
}

/** Placeholders such as `<data-dir>` would otherwise be read as HTML. */
function escapeMarkdown(text: string): string {
  return text.replace(/</g, '\\<');
}
