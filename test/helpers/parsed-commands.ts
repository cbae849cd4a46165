import { CommanderError } from 'commander';
import { loadProgram } from '../../scripts/program-tree.ts';
import type { CliCommand } from '../../src/cli/cli-command.ts';

/** A command line that was parsed and not run. */
export interface ParsedCommand {
  command: CliCommand;
  /** As the work of the command gets them, with those of every command. */
  options: Record<string, unknown>;
}

/** What the last arguments were parsed to. */
let parsed: ParsedCommand | null = null;
/** With commands that do no work. It is built once, because that takes longer than to parse arguments. */
let idleProgram: Promise<CliCommand> | null = null;

/** Parses these arguments as the program does. `null` if it prints help instead. Throws `CommanderError` for wrong usage. */
export async function parseCommand(args: readonly string[]): Promise<ParsedCommand | null> {
  idleProgram ??= loadProgram().then(idle);
  const program = await idleProgram;
  parsed = null;
  program.parse(args, { from: 'user' });
  return parsed;
}

function idle(command: CliCommand): CliCommand {
  command.exitOverride();
  if (!command.isGroup) {
    command.action(() => {
      parsed = { command, options: command.optsWithGlobals() };
    });
  }
  for (const subcommand of command.commands) idle(subcommand as CliCommand);
  return command;
}

/** The error of commander for these arguments; `null` if it would run them. */
export async function findFault(args: readonly string[]): Promise<string | null> {
  try {
    await parseCommand(args);
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : `${error.code}: ${error.message}`;
  }
}

/** Words of a shell line up to the end of its first command, without quotes. Not a full shell parser, but sufficient here. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const [, single, double, substitution, end, plain] of line.matchAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|(\$\([^)]*\))|(&&|[|;>]|<(?!\w)|\s#.*)|([^\s'"|;&<>]+|<\w+>)/g,
  )) {
    if (end !== undefined) break;
    // In the documents, every substitution is a commit.
    words.push((single ?? double ?? substitution ?? plain ?? '').replace(/^\$\(.*\)$/, 'c0ffee00'));
  }
  return words;
}

/** Arguments of every `dockbell` on a line. It can follow `npx`, `sudo -u dockbell`, a container, a pipe or assignments. */
export function listCalls(line: string): string[][] {
  return line
    .split(/(?:&&|\|)(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/)
    .map((part) => part.trim().replace(/^docker (?:compose )?exec dockbell /, ''))
    .map((part) => /(?:^|(?<!-u)\s)dockbell (.*)$/.exec(part)?.[1])
    .flatMap((rest) => (rest === undefined || rest === '' ? [] : [splitWords(rest)]));
}
