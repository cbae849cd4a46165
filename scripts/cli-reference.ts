import { readFileSync } from 'node:fs';
import type { Argument, Option } from 'commander';
import type { CliCommand } from '../src/cli/cli-command.ts';
import { describeExitCodes } from '../src/cli/cli-command.ts';
import { describe, listCommands, loadProgram, pathOf, sentence } from './program-tree.ts';

const PAGE = new URL('../docs/reference/cli.md', import.meta.url);

/** What is true for all commands, in Markdown: the part of docs/reference/cli.md that is written by hand. */
export function readIntroduction(): string {
  const [, introduction] = /^# .*\n([\s\S]*?)<!-- site: /.exec(readFileSync(PAGE, 'utf8'))!;
  return introduction!.trim();
}

/** The commands in docs/reference/cli.md, made from the commands themselves. */
export async function renderCommands(): Promise<string> {
  const root = await loadProgram();
  return [renderGlobalOptions(root), ...listCommands(root).map(renderCommand)].join('\n');
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
