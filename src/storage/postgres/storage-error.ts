import { DatabaseError } from 'pg';
import { AppError, messageOf, systemErrorCode } from '../../domain/errors.ts';

/** Serialization failure and deadlock: the transaction had no effect, and the same one can succeed now. */
const RETRYABLE: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Connection exceptions, too few resources, shutdown and start, and a server that only reads: the next attempt may succeed. */
const UNAVAILABLE = /^(08|53|57P|25006)/;

const REFUSED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'ENOENT',
]);

export function isRetryable(error: unknown): boolean {
  return error instanceof DatabaseError && RETRYABLE.has(error.code ?? '');
}

/** The connection ended, so the outcome of its last statement is not known. */
export function isLostConnection(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08|57P)/.test(error.code ?? '');
  return (
    REFUSED.has(systemErrorCode(error) ?? '') ||
    /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has)/i.test(messageOf(error))
  );
}

/** Translates an error of PostgreSQL to the code that callers decide on. Other errors are returned unchanged. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (isLostConnection(error))
    return new AppError('storage_unavailable', `PostgreSQL: ${messageOf(error)}`, { cause: error });
  if (!(error instanceof DatabaseError)) return error;
  const text = `PostgreSQL ${error.code}: ${messageOf(error)}`;
  const isTransient = isRetryable(error) || UNAVAILABLE.test(error.code ?? '');
  return new AppError(isTransient ? 'storage_unavailable' : 'internal', text, { cause: error });
}
