import { findSystemCode } from '../client/create-once.ts';
import type { RequestFailed } from '../client/read-answer.ts';
import type { Diagnostic } from '../domain/definitions/diagnostic.ts';
import { escapeText } from '../domain/words/escape-text.ts';
import { CliError, codeOfStatus, isErrorCode } from './exit-codes.ts';

/** A request that the daemon, or a proxy in front of it, rejected. */
export class ApiError extends CliError {
  readonly status: number;
  /** Findings in definition files, if they are the reason. */
  readonly diagnostics: Diagnostic[] | null;

  constructor({ problem }: RequestFailed) {
    const { status, code, detail, diagnostics } = problem;
    super(escapeText(detail), {
      hint: HINTS[status] ?? '',
      code: isErrorCode(code) ? code : codeOfStatus(status),
    });
    this.name = 'ApiError';
    this.status = status;
    this.diagnostics = diagnostics ?? null;
  }
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check --token-file, --token, DOCKBELL_TOKEN or DOCKBELL_TOKEN_FILE. Owners find a token in <dataDir>/admin-token.',
  403: "Ask an owner for a token with a higher role ('dockbell token create').",
};

/** A failed request as the command line reports it. */
export function explainRequestFailure(failure: RequestFailed, url: string): CliError {
  const { problem, cause } = failure;
  if (problem.code === 'unreachable') {
    const why = findSystemCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
    return new CliError(`The daemon at ${url} cannot be reached (${why}).`, {
      code: 'unreachable',
      hint: "Start it with 'dockbell serve', or check --data-dir, --url and DOCKBELL_URL.",
      cause,
    });
  }
  if (problem.status !== 0) return new ApiError(failure);
  if (problem.code !== 'unexpected_answer') return new CliError(escapeText(problem.detail), { cause });
  const hint = 'Check --url and DOCKBELL_URL: they name the admin address, not the ingress.';
  return new CliError(problem.detail, { code: 'unexpected_answer', hint, cause });
}
