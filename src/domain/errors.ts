/**
 * All error codes. `status` is the HTTP status of the management API, `exit` the exit code of the command line. A
 * published code is never reused with another meaning.
 */
export const ERROR_CODES = {
  internal: { status: 500, exit: 2, title: 'Internal error' },
  bad_request: { status: 400, exit: 2, title: 'Bad request' },
  unauthorized: { status: 401, exit: 4, title: 'Credentials missing or wrong' },
  forbidden: { status: 403, exit: 4, title: 'Permission missing' },
  not_found: { status: 404, exit: 1, title: 'Not found' },
  method_not_allowed: { status: 405, exit: 2, title: 'Method not allowed' },
  conflict: { status: 409, exit: 1, title: 'Conflict' },
  invalid_filter: { status: 422, exit: 2, title: 'Invalid filter' },
  too_many_requests: { status: 429, exit: 3, title: 'Too many requests' },
  definition_invalid: { status: 422, exit: 1, title: 'Definition not valid' },
  precondition_failed: { status: 412, exit: 1, title: 'Changed by another request' },
  idempotency_key_reused: { status: 422, exit: 2, title: 'Idempotency key reused' },
  idempotency_answer_lost: { status: 409, exit: 1, title: 'Response lost' },
  idempotency_key_in_use: { status: 409, exit: 1, title: 'Request in progress' },
  apply_failed: { status: 503, exit: 1, title: 'Committed, but not live yet' },
  secret_in_use: { status: 409, exit: 1, title: 'Secret in use' },
  shutting_down: { status: 503, exit: 3, title: 'Daemon is stopping' },
  storage_unavailable: { status: 503, exit: 3, title: 'Storage unavailable' },
  storage_broken: { status: 503, exit: 2, title: 'Storage broken' },
  storage_damaged: { status: 503, exit: 2, title: 'Database damaged' },
  not_leading: { status: 503, exit: 3, title: 'Another replica leads' },
  storage_newer: { status: 500, exit: 2, title: 'Database written by a newer version' },
  data_dir_locked: { status: 500, exit: 2, title: 'Data directory in use' },
  master_key_wrong: { status: 500, exit: 2, title: 'Wrong master key' },
  config_invalid: { status: 422, exit: 2, title: 'Invalid configuration' },
  source_unavailable: { status: 502, exit: 3, title: 'Source unavailable' },
  cannot_connect: { status: 409, exit: 2, title: 'Webhook cannot be connected' },
  provider_failed: { status: 502, exit: 2, title: 'Provider request failed' },
  provider_denied: { status: 502, exit: 4, title: 'Provider does not allow the request' },
  provider_target_unknown: { status: 502, exit: 1, title: 'Target unknown to the provider' },
  provider_busy: { status: 502, exit: 3, title: 'Provider busy' },
  provider_unreachable: { status: 502, exit: 3, title: 'Provider unreachable' },
  ingress_unreachable: { status: 502, exit: 3, title: 'Ingress unreachable' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An error with a code. `message` is one readable sentence without secrets. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
  }
}

/** One error in a request. */
export interface ProblemItem {
  /** JSON Pointer as a URI fragment, for example `#/name`. */
  pointer: string;
  /** The part of the request that the pointer points into. */
  in: 'body' | 'query' | 'path';
  detail: string;
}

/** Node.js has no name for this error of Linux. Its code and its text are different for synchronous calls and for others. */
const EDQUOT = { errno: -122, texts: /^(UNKNOWN: unknown error|(Unknown system error -122): \2)/ };

function isQuotaExceeded(error: Error): boolean {
  return 'errno' in error && error.errno === EDQUOT.errno;
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isQuotaExceeded(error) ? error.message.replace(EDQUOT.texts, 'EDQUOT: disk quota exceeded') : error.message;
}

/** The code of a system error, for example `ENOENT`; `null` for any other thrown value. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  if (isQuotaExceeded(error)) return 'EDQUOT';
  return typeof error.code === 'string' ? error.code : null;
}
