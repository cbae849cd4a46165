import { PassThrough } from 'node:stream';
import type { Argument, Option } from 'commander';
import type { CliCommand } from '../src/cli/cli-command.ts';
import { describeExitCodes } from '../src/cli/cli-command.ts';
import { createProgram } from '../src/cli/create-program.ts';
import { systemClock } from '../src/core/time/clock.ts';

const INTRODUCTION = `# Command line

<!-- generated from src/cli by scripts/generate-cli-docs.ts: run npx tsx scripts/generate-cli-docs.ts after a change -->

Each command explains itself with \`--help\`. Results go to standard output, everything else to standard error. The first line
of an error is one sentence that says what failed.

With \`--json\`, standard output holds exactly the JSON of the management API. An error is then the last line of standard error,
as one JSON object: \`{"error": {"code": "unreachable", "message": "…", "hint": "…"}}\`. \`code\` is a code of the management API
or one of \`usage\`, \`unreachable\`, \`ambiguous\`, \`interrupted\` and \`unexpected_answer\`; \`status\` and \`diagnostics\` are added
if the management API answered with them.

Colors and spinners appear on a terminal only. \`NO_COLOR\` and \`--no-color\` turn colors off, \`FORCE_COLOR\` turns them on for
pipes. On a terminal, tables fit its width: reasons move below their row and less important columns are omitted. IDs, names and
states are never cut. In files and pipes, tables are complete.

Instead of an ID, you can use a unique prefix with at least 6 characters after the type prefix, such as \`run_01m814\`. For the
most recent object, use \`last\`.

Exit codes: 0 done; 1 the result is negative (invalid definition, would not trigger, run failed) or the output cannot
be written; 2 wrong usage or unreachable daemon; 130 after Ctrl-C at a prompt.

Commands that talk to a daemon find it by \`--url\`, then \`DOCKBELL_URL\`, then \`daemon.json\` in the data directory. The data
directory is that of \`--data-dir\`, then \`DOCKBELL_DATA_DIR\`, then \`dataDir\` of \`dockbell.yaml\` in the working directory, then
\`./.dockbell\`. They read the token from \`--token\`, then \`--token-file\`, then \`DOCKBELL_TOKEN\`, then the file that
\`DOCKBELL_TOKEN_FILE\` names, then \`admin-token\` in the data directory. The token of a data directory is sent to the daemon of
that directory only. \`DOCKBELL_FACTORY\` names the factory if \`--factory\` does not.
`;

/** The whole page docs/reference/cli.md, made from the commands themselves. */
export async function renderCliReference(): Promise<string> {
  const { program: root, declareAll } = createProgram(createSilentContext());
  await declareAll();
  const sections = [renderGlobalOptions(root), ...listCommands(root).map(renderCommand)];
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

/** The program is built, never run: nothing of this is used. */
function createSilentContext(): Parameters<typeof createProgram>[0] {
  const stream = new PassThrough();
  const { signal } = new AbortController();
  return {
    stdin: stream,
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: '/',
    clock: systemClock,
    outputClosed: signal,
    newId: () => 'id',
    sleep: async () => {},
    catchInterrupts: () => signal,
  };
}

function listCommands(command: CliCommand): CliCommand[] {
  return command.commands.flatMap((child) => [child as CliCommand, ...listCommands(child as CliCommand)]);
}

function renderGlobalOptions(root: CliCommand): string {
  return ['## Options of every command', '', renderOptions(root.options), ''].join('\n');
}

function renderCommand(command: CliCommand): string {
  const title = `${'#'.repeat(pathOf(command).length)} \`${pathOf(command).join(' ')}\``;
  const parts = [title, '', `${sentence(command.description())}`, ''];
  if (command.commands.length > 0) return parts.join('\n');
  parts.push('```', `${pathOf(command).join(' ')} ${command.usage()}`, '```', '');
  if (command.registeredArguments.length > 0) parts.push(renderArguments(command.registeredArguments), '');
  if (command.options.length > 0) parts.push(renderOptions(command.options), '');
  return [...parts, ...renderNotes(command)].join('\n');
}

function renderNotes(command: CliCommand): string[] {
  const { notes } = command;
  if (notes === null) return [];
  const more = notes.more === undefined ? [] : [notes.more.replaceAll('\n', ' '), ''];
  const examples = notes.examples.flatMap(([line, effect]) => [`# ${effect}`, line]);
  return [...more, '```sh', ...examples, '```', '', `Exit codes: ${describeExitCodes(command, notes)}.`, ''];
}

function renderArguments(args: readonly Argument[]): string {
  return args.map((argument) => `- \`${argument.name()}\`: ${escapeMarkdown(describe(argument))}`).join('\n');
}

function renderOptions(options: readonly Option[]): string {
  return options.map((option) => `- \`${option.flags}\`: ${escapeMarkdown(describe(option))}`).join('\n');
}

function describe({ description, argChoices, defaultValue, defaultValueDescription }: Argument | Option): string {
  const choices = argChoices === undefined ? '' : ` (one of ${argChoices.join(', ')})`;
  const fallback = defaultValueDescription ?? defaultValue;
  return `${description}${choices}${fallback === undefined ? '' : ` (default: ${fallback})`}`;
}

function pathOf(command: CliCommand): string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent as CliCommand), command.name()];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Placeholders such as `<data-dir>` would otherwise be read as HTML. */
function escapeMarkdown(text: string): string {
  return text.replace(/</g, '\\<');
}
