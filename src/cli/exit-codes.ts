import { AppError, ERROR_CODES, type ErrorCode, systemErrorCode } from '../domain/errors.ts';

/**
 * Exit codes of every command (interfaces, "Command line"): 0 done; 1 the result is negative, or a name or reference is
 * unknown; 2 wrong usage; 3 the daemon or the network cannot be reached; 4 not signed in or not allowed; 130 after Ctrl-C at
 * a prompt. Commands with other exit codes declare them (`CliCommand.withExitCodes`).
 */
export const EXIT_CODES = { done: 0, negative: 1, usage: 2, unreachable: 3, denied: 4, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Failures of the command line itself. Those of the management API are in `ERROR_CODES`. */
const CLI_ERROR_CODES = {
  usage: EXIT_CODES.usage,
  ambiguous: EXIT_CODES.usage,
  unexpected_answer: EXIT_CODES.usage,
  declined: EXIT_CODES.negative,
  unreachable: EXIT_CODES.unreachable,
  interrupted: EXIT_CODES.interrupted,
} as const;

/** The kind of failure, for programs: several kinds have the same exit code. */
export type CliErrorCode = ErrorCode | keyof typeof CLI_ERROR_CODES;

/** An expected failure of a command. `message` is one sentence, `hint` says what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly hint: string;

  /** @param options.code `usage` if omitted */
  constructor(message: string, options: { hint?: string; code?: CliErrorCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.code = options.code ?? 'usage';
    this.hint = options.hint ?? '';
  }
}

/** The code of an error that a command threw. An unexpected error is `internal`. */
export function codeOf(error: unknown): CliErrorCode {
  return error instanceof CliError || error instanceof AppError ? error.code : 'internal';
}

/** The exit code for an error that a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  const code = codeOf(error);
  return isErrorCode(code) ? ERROR_CODES[code].exit : CLI_ERROR_CODES[code];
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** The code for an answer that does not come from Dockbell, such as that of a proxy or of a provider. */
export function codeOfStatus(status: number): CliErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 429) return 'too_many_requests';
  return status >= 502 && status <= 504 ? 'unreachable' : 'unexpected_answer';
}

/** The code for a file of a connection that cannot be read, such as that of a token. */
export function codeOfFileError(error: unknown): CliErrorCode {
  const code = systemErrorCode(error);
  return code === 'EACCES' || code === 'EPERM' ? 'forbidden' : 'usage';
}
