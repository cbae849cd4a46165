import { CommanderError } from 'commander';
import { AppError } from '../core/errors.ts';
import { ApiError } from './api-client.ts';
import { createColors } from './colors.ts';
import type { CliContext } from './context.ts';
import { createProgram } from './create-program.ts';
import { describeDiagnostic } from './describe-reconciliation.ts';
import { CliError, EXIT_CODES, exitCodeOf } from './exit-codes.ts';

/**
 * Runs one command line and answers with its exit code; never ends the process and never throws.
 *
 * @param argv the arguments after the name of the program
 */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    const { program, exitCode } = createProgram(context);
    await program.parseAsync(argv, { from: 'user' });
    return exitCode();
  } catch (error) {
    return reportFailure(error, context);
  }
}

function reportFailure(error: unknown, context: CliContext): number {
  // Commander has written its own message already; help and version arrive here too, with its exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.failed;
  for (const line of describeFailure(error, context)) context.stderr.write(`${line}\n`);
  return exitCodeOf(error);
}

function describeFailure(error: unknown, context: CliContext): string[] {
  const lines = [error instanceof Error ? error.message : String(error)];
  if (error instanceof CliError && error.hint !== '') lines.push(error.hint);
  if (error instanceof ApiError) lines.push(...listFindings(error, context));
  const expected = error instanceof CliError || error instanceof AppError;
  if (!expected) lines[0] = `Unexpected error: ${lines[0]}`;
  if (context.env.DOCKBELL_DEBUG && error instanceof Error) lines.push(error.stack ?? '');
  else if (!expected) lines.push('Set DOCKBELL_DEBUG=1 to see where it happened, and please report it.');
  return lines;
}

/** Findings about files of which the message names the first alone. */
function listFindings({ diagnostics }: ApiError, { stderr, env }: CliContext): string[] {
  if (diagnostics === null || diagnostics.length < 2) return [];
  const colors = createColors(stderr, env);
  return diagnostics.map((diagnostic) => `  ${describeDiagnostic(diagnostic, colors)}`);
}
