import { AppError, ERROR_CODES } from '../core/errors.ts';

/**
 * Exit codes of every command (interfaces, "Command line"): 0 done, 1 the thing asked about is negative, 2 wrong
 * usage or unreachable daemon; 3 only where `plan` is asked to tell changes from none.
 */
export const EXIT_CODES = { done: 0, negative: 1, failed: 2, changed: 3 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** An expected way for a command to end early. `message` is one readable sentence, `hint` says what to do. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string;

  constructor(message: string, options: { hint?: string; exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? EXIT_CODES.failed;
    this.hint = options.hint ?? '';
  }
}

/** The exit code that stands for whatever a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof AppError) return ERROR_CODES[error.code].exit;
  return EXIT_CODES.failed;
}
