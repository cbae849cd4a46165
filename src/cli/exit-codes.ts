import { AppError, ERROR_CODES, type ErrorCode } from '../core/errors.ts';

/**
 * Exit codes of every command (interfaces, "Command line"): 0 done, 1 the result is negative, 2 wrong usage
 * or unreachable daemon, 3 if `plan --detailed-exitcode` finds changes, 130 after Ctrl-C at a prompt.
 */
export const EXIT_CODES = { done: 0, negative: 1, failed: 2, changed: 3, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/**
 * The kind of failure, for programs: exit code 2 stands for many. Codes of the management API, and those of failures of
 * the command line itself.
 */
export type CliErrorCode = ErrorCode | 'usage' | 'unreachable' | 'ambiguous' | 'interrupted' | 'unexpected_answer';

/** An expected failure of a command. `message` is one sentence, `hint` says what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly exitCode: ExitCode;
  readonly hint: string;

  /** @param options.code `usage` if omitted */
  constructor(
    message: string,
    options: { hint?: string; exitCode?: ExitCode; code?: CliErrorCode; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.code = options.code ?? 'usage';
    this.exitCode = options.exitCode ?? EXIT_CODES.failed;
    this.hint = options.hint ?? '';
  }
}

/** The exit code for an error that a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof AppError) return ERROR_CODES[error.code].exit;
  return EXIT_CODES.failed;
}
