import type { Argument, Option } from 'commander';
import type { CliCommand } from '../src/cli/cli-command.ts';
import { describeExitCodes } from '../src/cli/cli-command.ts';
import { readIntroduction } from './cli-reference.ts';
import { describe, listCommands, loadProgram, pathOf, sentence } from './program-tree.ts';

/** The command line as manual pages: `dockbell(1)`, and a page for each command, as git has them. */
export interface ManPage {
  /** File name, such as `dockbell-send.1`. */
  file: string;
  /** In roff, with the macros of man(7). */
  text: string;
}

interface Edition {
  version: string;
  /** Date in the footer, such as 2026-11-23. */
  date: string;
}

export async function renderManPages(edition: Edition): Promise<ManPage[]> {
  const root = await loadProgram();
  const pages = root.visibleSubcommands().map((command) => ({
    file: fileOf(command),
    text: renderCommandPage(command, edition),
  }));
  return [{ file: fileOf(root), text: renderMainPage(root, edition) }, ...pages];
}

function renderMainPage(root: CliCommand, edition: Edition): string {
  const [summary = '', ...more] = root.description().split(/(?<=\.) /);
  return joinParts([
    renderHead(root, edition),
    section('NAME', `${toRoff('dockbell')} \\- ${toRoff(lowerFirst(summary).replace(/\.$/, ''))}`),
    section('SYNOPSIS', `${bold('dockbell')} ${toRoff('[options] <command> [arguments]')}`),
    section('DESCRIPTION', [more.join(' '), ...readIntroduction().split('\n\n')].map(renderMarkdown).join('\n.PP\n')),
    section(
      'COMMANDS',
      ...root
        .visibleSubcommands()
        .map((command) => item(`dockbell-${command.name()}(1)`, sentence(command.description()))),
    ),
    section('OPTIONS', ...root.options.map(renderParameter)),
    section('EXIT STATUS', toRoff(`${describeExitCodes(root, root.notes!)}.`)),
    section('EXAMPLES', renderExamples(root)),
  ]);
}

function renderCommandPage(command: CliCommand, edition: Edition): string {
  const leaves = [command, ...listCommands(command)].filter((candidate) => !candidate.isGroup);
  const isGroup = leaves.length > 1 || leaves[0] !== command;
  return joinParts([
    renderHead(command, edition),
    section('NAME', `${toRoff(`dockbell-${command.name()}`)} \\- ${toRoff(command.description())}`),
    section('SYNOPSIS', leaves.map(renderSynopsis).join('\n.br\n')),
    ...(isGroup ? [section('COMMANDS', ...leaves.map(renderSubcommand))] : renderLeaf(command)),
    section('SEE ALSO', `${seeAlso('dockbell')}${isOffline(leaves) ? '' : ' for the options that find the daemon'}`),
  ]);
}

/** The sections of a command without subcommands. */
function renderLeaf(command: CliCommand): string[] {
  const parameters = [...command.registeredArguments, ...command.options].map(renderParameter);
  return [
    section('DESCRIPTION', ...renderDescription(command)),
    ...(parameters.length === 0 ? [] : [section('OPTIONS', ...parameters)]),
    section('EXIT STATUS', toRoff(`${describeExitCodes(command, command.notes!)}.`)),
    section('EXAMPLES', renderExamples(command)),
  ];
}

/** A command of a group: the same facts below one heading. */
function renderSubcommand(command: CliCommand): string {
  return joinParts([
    `.SS ${quote(pathOf(command).slice(1).join(' '))}`,
    ...renderDescription(command),
    ...[...command.registeredArguments, ...command.options].map(renderParameter),
    `.PP\n${toRoff(`Exit codes: ${describeExitCodes(command, command.notes!)}.`)}`,
    renderExamples(command),
  ]).trimEnd();
}

function renderDescription(command: CliCommand): string[] {
  const more = command.listParagraphs().map((text) => `.PP\n${toRoff(text.replaceAll('\n', ' '))}`);
  return [toRoff(sentence(command.description())), ...more];
}

function renderSynopsis(command: CliCommand): string {
  return `${bold(pathOf(command).join(' '))} ${toRoff(command.usage())}`;
}

function renderParameter(parameter: Argument | Option): string {
  return item('flags' in parameter ? parameter.flags : parameter.name(), `${describe(parameter)}.`);
}

function renderExamples({ notes }: CliCommand): string {
  const lines = notes!.examples.map(([line, effect]) => `${toRoff(`# ${effect}`)}\n${toRoff(line)}`);
  return `.RS 4\n.nf\n${lines.join('\n')}\n.fi\n.RE`;
}

function renderHead(command: CliCommand, { version, date }: Edition): string {
  const name = fileOf(command).replace(/\.1$/, '').toUpperCase();
  const title = `.TH ${quote(name)} 1 ${date} ${quote(`dockbell ${version}`)} ${quote('Dockbell manual')}`;
  // Neither justified nor hyphenated, so that commands and paths stay as they are typed.
  return `${title}\n.ad l\n.nh`;
}

function fileOf(command: CliCommand): string {
  return `${pathOf(command).join('-')}.1`;
}

function isOffline(commands: CliCommand[]): boolean {
  return commands.every((command) => command.isOffline);
}

function section(title: string, ...parts: string[]): string {
  return joinParts([`.SH ${title}`, ...parts]).trimEnd();
}

function item(term: string, text: string): string {
  return `.TP\n${bold(term)}\n${toRoff(text)}`;
}

function seeAlso(name: string): string {
  return `${bold(name)}(1)`;
}

function bold(text: string): string {
  return `\\fB${escapeInline(text)}\\fR`;
}

/** Inline code becomes bold. */
function renderMarkdown(paragraph: string): string {
  const words = paragraph.replaceAll('\n', ' ');
  const parts = words.split('`').map((part, index) => (index % 2 === 1 ? bold(part) : escapeInline(part)));
  return protectStart(parts.join(''));
}

/** A line that begins with a dot or an apostrophe is a request, so it gets an empty character first. */
function toRoff(text: string): string {
  return protectStart(escapeInline(text));
}

function protectStart(text: string): string {
  return text.replace(/^(?=[.'])/gm, '\\&');
}

function escapeInline(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...');
}

function quote(text: string): string {
  return `"${escapeInline(text).replaceAll('"', '\\(dq')}"`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function joinParts(parts: string[]): string {
  return `${parts.join('\n')}\n`;
}
