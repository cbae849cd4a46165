import type { PullRequestView, RequestPost, RequestPostKind } from '../../domain/applies/pull-request.ts';
import { isRequestReport, type Notice, type RequestReport } from '../../domain/messages/notice.ts';
import type { OpenRequest } from '../../outbound/notify/hosts/git-host-api.ts';

/** An open request, and what is known about it. */
export interface OpenEntry {
  request: OpenRequest;
  state: PullRequestView['state'];
  description: string | null;
  checkedAt: number | null;
  /** As `RequestReport.inputs` of the last check; `null` if it has to be checked. */
  inputs: string | null;
  missingSecrets: readonly string[];
  /** The outcome of each report about this commit. */
  posts: ReadonlyMap<RequestPostKind, RequestPost>;
  /** Was the storage asked for an earlier check of this commit? */
  isKnown: boolean;
  failures: number;
  /** No attempt before this time. */
  retryAt: number;
}

export function createEntry(request: OpenRequest, checkedAt: number | null): OpenEntry {
  return {
    request,
    state: 'waiting',
    description: null,
    checkedAt,
    inputs: null,
    missingSecrets: [],
    posts: new Map(),
    isKnown: false,
    failures: 0,
    retryAt: 0,
  };
}

/** A check has ended, and nothing has to be repeated. */
export function noteChecked(
  entry: OpenEntry,
  inputs: string,
  state: PullRequestView['state'],
  description: string,
): void {
  Object.assign(entry, { inputs, state, description, failures: 0, retryAt: 0 });
}

/** Continues with what an earlier daemon reported about this commit. */
export function recallCheck(entry: OpenEntry, { status, comment }: Record<RequestPostKind, Notice | null>): void {
  entry.isKnown = true;
  if (status === null || !isRequestReport(status.report)) return;
  const { state, description, inputs, missingSecrets, finishedAt } = status.report;
  entry.state = status.state === 'skipped' ? 'untouched' : state;
  entry.description = description;
  entry.missingSecrets = missingSecrets;
  entry.checkedAt = finishedAt;
  // A check that a stop ended is repeated.
  entry.inputs = state === 'pending' ? null : inputs;
  for (const [kind, notice] of [['status', status] as const, ['comment', comment] as const]) {
    if (notice !== null && isRequestReport(notice.report)) notePost(entry, notice.report, { kind, ...notice });
  }
}

/** Returns whether the report is about the commit at the head. */
export function notePost(entry: OpenEntry, report: RequestReport, { kind, state, problem }: RequestPost): boolean {
  if (report.commit !== entry.request.commit) return false;
  if (state !== 'skipped') entry.posts = new Map(entry.posts).set(kind, { kind, state, problem });
  return true;
}

export function viewEntry({ request, state, description, checkedAt, posts }: OpenEntry): PullRequestView {
  const { number, title, url, commit, isFork } = request;
  return { number, title, url, head: commit, isFork, state, description, checkedAt, posts: [...posts.values()] };
}
