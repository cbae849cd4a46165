import type { NotifyRequest } from './build-request.ts';
import type { NotifyTarget } from './notify-target.ts';

/** Longer than a host may make us wait: the limits of GitHub begin anew each hour. */
export const MAX_WAIT_MS = 3_600_000;

/** What a target answered. Names of headers in lowercase. */
export interface NotifyAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its beginning, for the one provider that says there what its status does not. */
  body: string;
}

/**
 * What came of a try. `later`: worth another one, not before `waitMs` where the host says so; `hostWide` where other
 * commits would fare no better. `final`: nothing will change by itself. `problem` is one sentence without secrets.
 */
export type Verdict =
  | { kind: 'done' }
  | { kind: 'later'; problem: string; waitMs: number | null; hostWide: boolean }
  | { kind: 'final'; problem: string };

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Reads an answer by its status, as the providers document them. */
export function judgeAnswer(
  target: NotifyTarget,
  request: NotifyRequest,
  answer: NotifyAnswer,
  nowMs: number,
): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'done' };
  if (target.type === 'gitlab' && isInThatState(request, answer)) return { kind: 'done' };
  const waitMs = readWait(answer, nowMs);
  if (status === 429 || (status === 403 && waitMs !== null)) {
    return { kind: 'later', problem: `its rate limit is spent (${status})`, waitMs, hostWide: true };
  }
  if (status >= 500 || PASSING.has(status)) {
    return { kind: 'later', problem: `it answered ${status}`, waitMs, hostWide: waitMs !== null };
  }
  return { kind: 'final', problem: `it answered ${status}: ${explainRefusal(target, status)}` };
}

/** GitLab refuses to move a status into the state that it has, with 400 and these words only. */
function isInThatState({ body }: NotifyRequest, answer: NotifyAnswer): boolean {
  if (answer.status !== 400) return false;
  const { state } = JSON.parse(body) as { state: string };
  return new RegExp(`Cannot transition status via :\\w+ from :${state}\\b`).test(answer.body);
}

/** `Retry-After` in seconds or as a date, or GitHub's moment at which an exhausted limit begins anew. */
function readWait({ headers }: NotifyAnswer, nowMs: number): number | null {
  const after = headers['retry-after'];
  if (typeof after === 'string') {
    const waitMs = /^\d{1,9}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - nowMs;
    return Number.isNaN(waitMs) ? null : clamp(waitMs);
  }
  const reset = headers['x-ratelimit-reset'];
  const isSpent = headers['x-ratelimit-remaining'] === '0' && typeof reset === 'string' && /^\d{1,12}$/.test(reset);
  return isSpent ? clamp(Number(reset) * 1000 - nowMs) : null;
}

function clamp(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), MAX_WAIT_MS);
}

function explainRefusal({ type, secretName, repository }: NotifyTarget, status: number): string {
  if (status >= 300 && status < 400)
    return 'redirects are not followed; write the new address or name into dockbell.yaml';
  if (type === 'webhook') return 'the receiver refuses it; look at its log';
  if (status === 401) return `the token in the team secret ${secretName} is wrong or has expired`;
  if (status === 403) return `the token in the team secret ${secretName} may not set commit statuses`;
  if (status === 404) {
    return `there is no repository ${repository}, or the token in the team secret ${secretName} does not reach it`;
  }
  if (status === 422 || status === 400) return 'it does not know the commit, or has a thousand statuses for it already';
  return 'nothing of that will change by itself';
}
