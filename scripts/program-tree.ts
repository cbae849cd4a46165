import { PassThrough } from 'node:stream';
import type { Argument, Option } from 'commander';
import type { CliCommand } from '../src/cli/cli-command.ts';
import { createProgram } from '../src/cli/create-program.ts';
import { systemClock } from '../src/domain/time/clock.ts';

/** The command line with all commands, for pages that describe it. It is never run. */
export async function loadProgram(): Promise<CliCommand> {
  const stream = new PassThrough().resume();
  const { signal } = new AbortController();
  const { program, declareAll } = createProgram({
    stdin: stream,
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: '/',
    server: null,
    clock: systemClock,
    outputClosed: signal,
    newId: () => 'id',
    sleep: async () => {},
    catchInterrupts: () => signal,
    leave: () => {},
    handleSignals: () => () => {},
    hasTerminal: () => false,
    terminalJob: { isForeground: () => false, signal: () => {} },
  });
  await declareAll();
  return program;
}

/** All commands below this one without hidden ones, each group before its subcommands. */
export function listCommands(command: CliCommand): CliCommand[] {
  return command.visibleSubcommands().flatMap((child) => [child, ...listCommands(child)]);
}

/** The names of the command from the program on. */
export function pathOf(command: CliCommand): string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent as CliCommand), command.name()];
}

/** Description, choices and default of an argument or option. */
export function describe({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Argument | Option): string {
  const choices = argChoices === undefined ? '' : ` (one of ${argChoices.join(', ')})`;
  const fallback = defaultValueDescription ?? defaultValue;
  return `${description}${choices}${fallback === undefined ? '' : ` (default: ${fallback})`}`;
}

/** The description of a command as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
