import { AppError } from '../../domain/errors.ts';
import { openGuardedConnections } from '../guarded-connections.ts';
import { describeNetworkFailure } from '../network-failure.ts';
import type { SendOutcome } from '../outbox.ts';
import { readBeginning } from '../send-post.ts';
import { sendRequest } from '../send-request.ts';
import { buildNotifyRequest, type NotifyOrder, type NotifyRequest } from './build-request.ts';
import { classifyResponse, type NotifyResponse } from './classify-response.ts';
import type { NotifyTarget } from './notify-target.ts';
import { postComment } from './post-comment.ts';

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
): Promise<SendOutcome | null> {
  const secret = readCredential(order.secret);
  if (secret === null) return describeBadCredential(order.target);
  if (order.target.requests === 'comment') {
    return reachHost(stopping, (signal) => postComment({ ...order, secret }, (request) => post(request, signal)));
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
  return reachHost(stopping, async (signal) =>
    classifyResponse(order.target, request, await post(request, signal), order.nowMs),
  );
}

/** The token as a header can contain it; `null` if it cannot. */
export function readCredential(secret: string): string | null {
  const trimmed = secret.trim();
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : null;
}

export function describeBadCredential({
  secretName,
}: Pick<NotifyTarget, 'secretName'>): SendOutcome & { kind: 'final' } {
  return { kind: 'final', problem: `the value of the team secret ${secretName} is not a valid credential` };
}

/** Requests to one host with a time limit. A failure without a response is retried. `null` if `stopping` aborted them. */
export async function reachHost<Outcome>(
  stopping: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | (SendOutcome & { kind: 'later' }) | null> {
  try {
    return await ask(AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]));
  } catch (error) {
    if (stopping.aborted) return null;
    const problem = `it could not be reached: ${describeFailure(error)}`;
    return { kind: 'later', problem, waitMs: null, hostWide: true };
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
  const { method = 'POST', url, headers, maxResponseBytes = MAX_RESPONSE_BYTES } = request;
  const policy = { allowPrivate: request.allowPrivateAddresses };
  const connections = await openGuardedConnections(new URL(url), policy);
  try {
    const sent = method === 'GET' ? null : Buffer.from(request.body);
    const response = await sendRequest({ method, url, headers, body: sent }, { signal, connections });
    const { status, body } = response;
    return { status, headers: response.headers, body: (await readBeginning(body, maxResponseBytes)).toString('utf8') };
  } finally {
    await connections.destroy();
  }
};
