import type { SendOutcome } from '../outbox.ts';
import { limitWait, readRetryAfter } from '../retry-after.ts';
import type { NotifyRequest } from './build-request.ts';
import { REQUEST_HOSTS, type RequestHostType } from './hosts/hosts.ts';
import type { NotifyTarget } from './notify-target.ts';

/** The response of a target. Header names are in lowercase. */
export interface NotifyResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of the body. Only one provider explains there what its status code does not. */
  body: string;
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Classifies a response by its status code, as the providers document them. */
export function classifyResponse(
  target: NotifyTarget,
  request: NotifyRequest,
  response: NotifyResponse,
  nowMs: number,
): SendOutcome {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: 'done' };
  if (target.type === 'gitlab' && isInThatState(request, response)) return { kind: 'done' };
  const waitMs = readWait(response, nowMs);
  if (status === 429 || (status === 403 && waitMs !== null)) {
    return { kind: 'later', problem: `its rate limit is exhausted (${status})`, waitMs, hostWide: true };
  }
  if (status >= 500 || PASSING.has(status)) {
    return { kind: 'later', problem: `it responded with ${status}`, waitMs, hostWide: waitMs !== null };
  }
  const rights = [401, 403, 404].includes(status) ? describeRights(target) : '';
  return { kind: 'final', problem: `it responded with ${status}: ${explainRejection(target, status)}${rights}` };
}

/** GitLab rejects a change of a status to its current state, with 400 and this message only. */
function isInThatState({ body }: NotifyRequest, response: NotifyResponse): boolean {
  if (response.status !== 400 || body === '') return false;
  const { state } = JSON.parse(body) as { state: string };
  return new RegExp(`Cannot transition status via :\\w+ from :${state}\\b`).test(response.body);
}

/** `Retry-After`, or the time at which GitHub resets an exhausted limit: each hour. */
function readWait({ headers }: NotifyResponse, nowMs: number): number | null {
  if (typeof headers['retry-after'] === 'string') return readRetryAfter(headers['retry-after'], nowMs);
  const reset = headers['x-ratelimit-reset'];
  const isSpent = headers['x-ratelimit-remaining'] === '0' && typeof reset === 'string' && /^\d{1,12}$/.test(reset);
  return isSpent ? limitWait(Number(reset) * 1000 - nowMs) : null;
}

/** What to do about the token for pull requests. */
function describeRights({ type, requests, secretName }: NotifyTarget): string {
  if (requests === undefined) return '';
  const { tokenRights } = REQUEST_HOSTS[type as RequestHostType];
  return `. It needs ${tokenRights}. Store a new one: dockbell secret update ${secretName}`;
}

function explainRejection({ type, secretName, repository, runs, requests }: NotifyTarget, status: number): string {
  if (status >= 300 && status < 400) return 'redirects are not followed; write the new URL or name into dockbell.yaml';
  if (type === 'webhook') return 'the receiver rejects it; see its log';
  if (status === 401) return `the token in the team secret ${secretName} is wrong or has expired`;
  if (status === 403)
    return `the token in the team secret ${secretName} has no permission to ${nameAction(runs, requests)}`;
  if (status === 404) {
    const named = repository === null ? 'the repository' : `the repository ${repository}`;
    return `${named} does not exist, or the token in the team secret ${secretName} has no access to it`;
  }
  if (requests === 'list' || requests === 'comment') return 'it rejects the request';
  if (status === 422 || status === 400) return 'it does not know the commit, or already has a thousand statuses for it';
  return 'a retry cannot succeed';
}

function nameAction(runs: NotifyTarget['runs'], requests: NotifyTarget['requests']): string {
  if (requests === 'list') return 'read pull requests';
  if (requests === 'comment') return 'comment on pull requests';
  return typeof runs === 'object' && runs.post === 'comment' ? 'comment on pull requests' : 'set commit statuses';
}
