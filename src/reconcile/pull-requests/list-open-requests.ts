import type { NotifyRequest } from '../../outbound/notify/build-request.ts';
import { classifyResponse, type NotifyResponse } from '../../outbound/notify/classify-response.ts';
import { type OpenRequest, REQUESTS_PER_PAGE } from '../../outbound/notify/hosts/git-host-api.ts';
import { REQUEST_HOSTS, type RequestHostType } from '../../outbound/notify/hosts/hosts.ts';
import type { NotifyTarget } from '../../outbound/notify/notify-target.ts';
import {
  describeBadCredential,
  type PostRequest,
  reachHost,
  readCredential,
} from '../../outbound/notify/post-notice.ts';
import type { SendOutcome } from '../../outbound/outbox.ts';

/** Requests beyond these pages are not checked. Those that changed last come first. */
const MAX_PAGES = 10;
export const MAX_OPEN_REQUESTS = MAX_PAGES * REQUESTS_PER_PAGE;
/** A page of 30 requests of GitHub has less than a megabyte. */
const MAX_PAGE_BYTES = 4_000_000;

/** The open requests of a host. `unchanged`: they are those of the answer with this `etag`. */
type OpenRequests =
  | { kind: 'unchanged' }
  | { kind: 'listed'; requests: OpenRequest[]; hasMore: boolean; etag: string | null }
  | Exclude<SendOutcome, { kind: 'done' }>;

interface ListOrder {
  target: NotifyTarget;
  /** Access token. */
  secret: string;
  userAgent: string;
  nowMs: number;
  /** Of the last answer. */
  etag: string | null;
}

/**
 * Reads the open requests for the branch of the target. An answer that has not changed costs the host and its limits nothing.
 * Resolves with `null` if `stopping` aborted it.
 */
export async function listOpenRequests(
  order: ListOrder,
  post: PostRequest,
  stopping: AbortSignal,
): Promise<OpenRequests | null> {
  const secret = readCredential(order.secret);
  if (secret === null) return describeBadCredential(order.target);
  return reachHost(stopping, (signal) => readPages({ ...order, secret }, (request) => post(request, signal)));
}

async function readPages(
  order: ListOrder,
  send: (request: NotifyRequest) => Promise<NotifyResponse>,
): Promise<OpenRequests> {
  // A request that changes meanwhile is on two pages.
  const byNumber = new Map<number, OpenRequest>();
  let etag: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const request = buildRequest(order, page);
    const response = await send(request);
    if (page === 1 && response.status === 304) return { kind: 'unchanged' };
    const outcome = classifyResponse(order.target, request, response, order.nowMs);
    if (outcome.kind !== 'done') return outcome;
    const rows = readRows(response.body);
    if (rows === null) return { kind: 'later', problem: 'its list cannot be read', waitMs: null, hostWide: false };
    const { readOpenRequest } = REQUEST_HOSTS[order.target.type as RequestHostType];
    for (const found of rows.flatMap((row) => readOpenRequest(row) ?? [])) {
      if (!byNumber.has(found.number)) byNumber.set(found.number, found);
    }
    if (page === 1) etag = typeof response.headers.etag === 'string' ? response.headers.etag : null;
    if (rows.length < REQUESTS_PER_PAGE)
      return { kind: 'listed', requests: [...byNumber.values()], hasMore: false, etag };
  }
  return { kind: 'listed', requests: [...byNumber.values()], hasMore: true, etag };
}

function buildRequest({ target, secret, userAgent, etag }: ListOrder, page: number): NotifyRequest {
  const { type, url, repository, branch, allowPrivateAddresses } = target;
  const { authorize, openRequestsUrl } = REQUEST_HOSTS[type as RequestHostType];
  const headers: Record<string, string> = { 'User-Agent': userAgent, ...authorize(secret) };
  if (page === 1 && etag !== null) headers['If-None-Match'] = etag;
  return {
    method: 'GET',
    url: openRequestsUrl({ url, repository: repository! }, branch, page),
    headers,
    body: '',
    allowPrivateAddresses,
    maxResponseBytes: MAX_PAGE_BYTES,
  };
}

function readRows(text: string): unknown[] | null {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows : null;
  } catch {
    return null;
  }
}
