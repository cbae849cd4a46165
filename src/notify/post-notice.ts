import { AppError } from '../core/errors.ts';
import { openGuardedConnections } from '../outbound/guarded-connections.ts';
import { describeNetworkFailure } from '../outbound/network-failure.ts';
import { readBeginning, sendPost } from '../outbound/send-post.ts';
import { buildNotifyRequest, type NotifyOrder, type NotifyRequest } from './build-request.ts';
import { classifyResponse, type NotifyResponse, type PostOutcome } from './classify-response.ts';

const TIMEOUT_MS = 15_000;
/** Longer than any error message of a git host; the rest is not read. */
const MAX_RESPONSE_BYTES = 65_536;

/** Posts a request and resolves with the response. Rejects if there is none. */
export type PostRequest = (request: NotifyRequest, signal: AbortSignal) => Promise<NotifyResponse>;

/** Reports a commit to a target, once. Resolves with `null` if `stopping` aborted the request: its outcome is unknown. */
export async function postNotice(
  order: NotifyOrder,
  post: PostRequest,
  stopping: AbortSignal,
): Promise<PostOutcome | null> {
  const secret = order.secret.trim();
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return {
      kind: 'final',
      problem: `the value of the team secret ${order.target.secretName} is not a valid credential`,
    };
  }
  let request: NotifyRequest;
  try {
    request = buildNotifyRequest({ ...order, secret });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'bad_request')) throw error;
    return {
      kind: 'final',
      problem: `the value of the team secret ${order.target.secretName} is not a signing secret`,
    };
  }
  try {
    const response = await post(request, AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]));
    return classifyResponse(order.target, request, response, order.nowMs);
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

function describeFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`;
  return describeNetworkFailure(error);
}

/**
 * Sends the request over the network, if the address of the target is allowed. Does not follow redirects and reads only the
 * beginning of the response.
 */
export const postOverHttp: PostRequest = async (request, signal) => {
  const policy = { allowPrivate: request.allowPrivateAddresses };
  const connections = await openGuardedConnections(new URL(request.url), policy);
  try {
    const { status, headers, body } = await sendPost(request, { signal, connections });
    return { status, headers, body: (await readBeginning(body, MAX_RESPONSE_BYTES)).toString('utf8') };
  } finally {
    await connections.destroy();
  }
};
