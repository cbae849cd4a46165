// The room of the command line. In: arguments, the terminal, signals (`context.ts`). Out: text or JSON, and an exit code.
// The way of a command: `command-directory.ts` finds its module, `cli-command.ts` declares it, `command-session.ts` gives it a
// client of the management API (`connect-daemon.ts`) and an output (`output/output.ts`). `exit-codes.ts` has the exit code of
// each error. Commands are clients of the API. Only the offline ones work without it, for example `commands/validate.ts` and
// `commands/restore.ts`.
// Next: `commands/delivery.ts`, a usual group; `dev/run-dev.ts` and `demo/run-demo.ts`, which run a daemon themselves.

import { CommanderError } from 'commander';
import type { Diagnostic } from '../domain/definitions/diagnostic.ts';
import { AppError } from '../domain/errors.ts';
import { escapeText } from '../domain/words/escape-text.ts';
import type { CliContext } from './context.ts';
import { createProgram } from './create-program.ts';
import { CliError, type CliErrorCode, codeOf, EXIT_CODES } from './exit-codes.ts';
import { ApiError } from './explain-request-failure.ts';
import { createColors } from './output/colors.ts';
import { describeDiagnostic } from './output/describe-reconciliation.ts';
import { wantsDataErrors } from './output/result-options.ts';

/**
 * Runs one command line and returns its exit code. It never ends the process and never throws.
 *
 * @param argv the arguments after the name of the program
 */
export async function runProgram(argv: readonly string[], surroundings: CliContext): Promise<number> {
  const context = readDisplayFlags(argv, surroundings);
  const { program, declare, exitCode, exitCodeOf } = createProgram(context);
  try {
    const [name] = program.parseOptions([...argv]).operands;
    await declare(name);
    await program.parseAsync(argv, { from: 'user' });
    return exitCode();
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error, context);
    reportFailure(error, context);
    return exitCodeOf(error);
  }
}

/** These flags also apply to messages about wrong usage, which commander prints before it has parsed all arguments. */
function readDisplayFlags(argv: readonly string[], context: CliContext): CliContext {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  return {
    ...context,
    env: flags.includes('--no-color') ? { ...context.env, NO_COLOR: '1' } : context.env,
    jsonErrors: wantsDataErrors(flags),
  };
}

function reportFailure(error: unknown, context: CliContext): void {
  const text = context.jsonErrors ? [formatJsonError(error)] : describeFailure(error, context);
  for (const line of text) context.stderr.write(`${line}\n`);
}

/** Commander has already printed its message as text. Help and version arrive here too, with exit code 0. */
function reportUsage(error: CommanderError, context: CliContext): number {
  if (error.exitCode === 0) return EXIT_CODES.done;
  const message = error.message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase()).replace('\n', ' ');
  if (context.jsonErrors) context.stderr.write(`${formatJsonError(new CliError(message))}\n`);
  return EXIT_CODES.usage;
}

/** The error as one JSON object, which `--json`, `-o json` and `-o yaml` print on standard error. */
interface JsonError {
  error: { code: CliErrorCode; message: string; hint?: string; status?: number; diagnostics?: Diagnostic[] };
}

/** On one line, so that programs find it after the notes of the command. */
function formatJsonError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const described: JsonError = { error: { code: codeOf(error), message } };
  if (error instanceof CliError && error.hint !== '') described.error.hint = error.hint;
  if (error instanceof ApiError) {
    described.error.status = error.status;
    if (error.diagnostics !== null) described.error.diagnostics = error.diagnostics;
  }
  return JSON.stringify(described);
}

function describeFailure(error: unknown, context: CliContext): string[] {
  const lines = [error instanceof Error ? error.message : String(error)];
  if (error instanceof CliError && error.hint !== '') lines.push(error.hint);
  if (error instanceof ApiError) lines.push(...listFindings(error, context));
  const expected = error instanceof CliError || error instanceof AppError;
  if (!expected) lines[0] = `Unexpected error: ${lines[0]}`;
  if (context.env.DOCKBELL_DEBUG && error instanceof Error) lines.push(error.stack ?? '');
  else if (!expected) lines.push('Set DOCKBELL_DEBUG=1 to see the stack, and please report the error.');
  return lines;
}

/** The findings in files, if the message quotes only the first one. */
function listFindings({ diagnostics }: ApiError, { stderr, env }: CliContext): string[] {
  if (diagnostics === null) return [];
  // The message quotes the first finding without its hint.
  if (diagnostics.length === 1) return diagnostics[0]!.hint === '' ? [] : [escapeText(diagnostics[0]!.hint)];
  const colors = createColors(stderr, env);
  return diagnostics.map((diagnostic) => `  ${describeDiagnostic(diagnostic, colors)}`);
}
