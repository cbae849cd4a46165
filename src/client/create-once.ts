import { type PendingAnswer, RequestFailed, readAnswer } from './read-answer.ts';

/** Pauses before each repetition of a request that creates something. */
const REPEAT_AFTER_MS = [500, 1000, 2000, 4000] as const;

/**
 * Sends a request that creates something. If its answer is lost, it sends the request again with the same
 * `Idempotency-Key`: the daemon then returns the first answer, secrets included, and creates nothing twice.
 *
 * @param send called for each attempt, with the headers that it has to send
 */
export async function createOnce<T>(
  send: (headers: { 'idempotency-key': string }) => PendingAnswer<T>,
  { newKey, sleep }: { newKey: () => string; sleep: (ms: number) => Promise<void> },
): Promise<NonNullable<T>> {
  const headers = { 'idempotency-key': newKey() };
  for (const [repetitions, waitMs] of REPEAT_AFTER_MS.entries()) {
    try {
      return await readAnswer(send(headers));
    } catch (error) {
      if (!isWorthRepeating(error, repetitions)) throw error;
    }
    await sleep(waitMs);
  }
  return readAnswer(send(headers));
}

/** The answer was lost, the daemon is restarting since then, or it still executes the first request. */
function isWorthRepeating(error: unknown, repetitions: number): boolean {
  if (!(error instanceof RequestFailed)) return false;
  if (error.problem.code === 'idempotency_key_in_use') return true;
  const code = findSystemCode(error.cause);
  if (code === 'ECONNREFUSED') return repetitions > 0;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** The code of a network error, for example `ECONNREFUSED`. */
export function findSystemCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : findSystemCode(cause.cause);
}
