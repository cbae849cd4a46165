import { isRequestReport } from '../../domain/messages/notice.ts';
import { composePosted, markComment } from '../../domain/words/posted-markdown.ts';
import type { SendOutcome } from '../outbox.ts';
import type { NotifyOrder, NotifyRequest } from './build-request.ts';
import { classifyResponse, type NotifyResponse } from './classify-response.ts';
import { COMMENTS_PER_PAGE, type HostComment, readKey } from './hosts/git-host-api.ts';
import { REQUEST_HOSTS, type RequestHostType } from './hosts/hosts.ts';
import { digestTarget, type NotifyTarget } from './notify-target.ts';

/** Sends one request. */
type Send = (request: NotifyRequest) => Promise<NotifyResponse>;
type Failed = Exclude<SendOutcome, { kind: 'done' }>;

const MAX_COMMENT_PAGES = 50;
/** A page of the longest comments. Most are a thousandth of it. */
const MAX_PAGE_BYTES = 8_000_000;

/**
 * Creates the comment of a target on a request, or changes it if it exists with another text. It is found again by its first
 * line and its author, so that nobody else can write it: others can copy the line, but not the account.
 */
export async function postComment(order: NotifyOrder, send: Send): Promise<SendOutcome> {
  const { target, notice } = order;
  if (!isRequestReport(notice.report)) throw new TypeError('only a request has a comment');
  const api = REQUEST_HOSTS[target.type as RequestHostType];
  const { number, comment } = notice.report;
  const body = composePosted(markerOf(target), comment ?? '');
  const found = await findComment(order, send, number);
  if ('kind' in found) return found;
  if (found.comment?.body.trimEnd() === body.trimEnd()) return { kind: 'done' };
  const place = placeOf(target);
  const change =
    found.comment === null
      ? { method: 'POST' as const, url: api.commentsUrl(place, number) }
      : { method: api.updateMethod, url: api.commentUrl(place, number, found.comment.id) };
  const answered = await ask(order, send, { ...change, body: JSON.stringify({ body }) });
  return 'kind' in answered ? answered : { kind: 'done' };
}

/** The first line of the comment. */
export function markerOf(target: NotifyTarget): string {
  return markComment(`dockbell:${digestTarget(target).slice(0, 24)}`);
}

function placeOf({ url, repository }: NotifyTarget) {
  return { url, repository: repository! };
}

async function findComment(
  order: NotifyOrder,
  send: Send,
  number: number,
): Promise<{ comment: HostComment | null } | Failed> {
  const { target } = order;
  const api = REQUEST_HOSTS[target.type as RequestHostType];
  const [place, marker] = [placeOf(target), markerOf(target)];
  const own = await findAuthor(order, send);
  if (typeof own !== 'function') return own;
  for (let page = 1; page <= MAX_COMMENT_PAGES; page++) {
    const url = api.commentPageUrl(place, number, page);
    const answered = await ask(order, send, { method: 'GET', url, body: '', maxResponseBytes: MAX_PAGE_BYTES });
    if ('kind' in answered) return answered;
    const rows = readRows(answered.body);
    if (rows === null) return fail('its list of comments cannot be read');
    const comments = rows.flatMap((row) => api.readComment(row) ?? []);
    const comment = comments.find((each) => each.body.startsWith(marker) && own(each));
    if (comment !== undefined) return { comment };
    if (rows.length < COMMENTS_PER_PAGE) return { comment: null };
  }
  return fail('the request has too many comments to find that of Dockbell');
}

/** Who writes with this token. GitHub does not name the account of an app. People cannot write as an app. */
async function findAuthor(order: NotifyOrder, send: Send): Promise<((comment: HostComment) => boolean) | Failed> {
  const api = REQUEST_HOSTS[order.target.type as RequestHostType];
  const request = { method: 'GET' as const, url: api.userUrl(placeOf(order.target)), body: '' };
  const response = await send(complete(order, request));
  if (response.status === 403 && order.target.type === 'github') return ({ isByApp }) => isByApp;
  const failure = toFailure(order, complete(order, request), response);
  if (failure !== null) return failure;
  const id = readKey(parse(response.body), 'id');
  return typeof id === 'number' ? ({ authorId }) => authorId === id : fail('it does not name the account of the token');
}

type Question = Pick<NotifyRequest, 'url' | 'body'> & Partial<NotifyRequest>;

async function ask(order: NotifyOrder, send: Send, question: Question): Promise<NotifyResponse | Failed> {
  const request = complete(order, question);
  const response = await send(request);
  return toFailure(order, request, response) ?? response;
}

function toFailure({ target, nowMs }: NotifyOrder, request: NotifyRequest, response: NotifyResponse): Failed | null {
  const outcome = classifyResponse(target, request, response, nowMs);
  return outcome.kind === 'done' ? null : outcome;
}

function complete({ target, secret, userAgent }: NotifyOrder, question: Question): NotifyRequest {
  const { authorize } = REQUEST_HOSTS[target.type as RequestHostType];
  return {
    allowPrivateAddresses: target.allowPrivateAddresses,
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent, ...authorize(secret) },
    ...question,
  };
}

function fail(problem: string): Failed {
  return { kind: 'later', problem, waitMs: null, hostWide: false };
}

function readRows(text: string): unknown[] | null {
  const rows = parse(text);
  return Array.isArray(rows) ? rows : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
