import { request as send } from 'undici';
import { AppError } from '../core/errors.ts';
import { buildNotifyRequest, type NotifyOrder, type NotifyRequest } from './build-request.ts';
import { judgeAnswer, type NotifyAnswer, type Verdict } from './classify-response.ts';

const TIMEOUT_MS = 15_000;
/** More than any error message of a git host; what comes after is not read. */
const MAX_ANSWER_BYTES = 65_536;

/** Posts a request and answers with whatever comes back. Rejects where nothing does. */
export type PostRequest = (request: NotifyRequest, signal: AbortSignal) => Promise<NotifyAnswer>;

/**
 * Tells a target of a commit, once. `null` where `stopping` broke it off: it is not known then what came of it.
 */
export async function postNotice(
  order: NotifyOrder,
  post: PostRequest,
  stopping: AbortSignal,
): Promise<Verdict | null> {
  const secret = order.secret.trim();
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return { kind: 'final', problem: `the value of the team secret ${order.target.secretName} cannot be a credential` };
  }
  let request: NotifyRequest;
  try {
    request = buildNotifyRequest({ ...order, secret });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'bad_request')) throw error;
    return { kind: 'final', problem: `the value of the team secret ${order.target.secretName} is no signing secret` };
  }
  try {
    const answer = await post(request, AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]));
    return judgeAnswer(order.target, request, answer, order.nowMs);
  } catch (error) {
    if (stopping.aborted) return null;
    return {
      kind: 'later',
      problem: `it could not be reached: ${describeFailure(error)}`,
      waitMs: null,
      hostWide: true,
    };
  }
}

/** Messages of the network hold addresses, those of HTTP may hold what was sent: the code says enough. */
function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'the connection broke';
}

/** Over the network: redirects are not followed, and of the answer only the beginning is read. */
export const postOverHttp: PostRequest = async ({ url, headers, body }, signal) => {
  const response = await send(url, { method: 'POST', headers, body, signal });
  return { status: response.statusCode, headers: response.headers, body: await readBeginning(response.body) };
};

async function readBeginning(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
}
