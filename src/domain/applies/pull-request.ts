import type { NoticeState, RequestState } from '../messages/notice.ts';

/** What a pull request gets at its host. */
export type RequestPostKind = 'status' | 'comment';

/** The outcome of the last report about a check at the host. */
export interface RequestPost {
  kind: RequestPostKind;
  state: NoticeState;
  /** Why the last attempt failed; `null` if none failed. */
  problem: string | null;
}

/**
 * An open pull or merge request as it was checked last. `waiting`: it is not checked yet. `untouched`: it changes nothing that
 * the factory reads, so it has no status.
 */
export interface PullRequestView {
  number: number;
  /** Text of somebody who may be anybody; `''` if the host gave none. */
  title: string;
  /** Its page at the host, `http` or `https`; `null` if the host gave none. */
  url: string | null;
  /** The commit at its head. */
  head: string;
  isFork: boolean;
  state: RequestState | 'waiting' | 'untouched';
  /** What the commit status says; why the last attempt failed while it is `waiting`. */
  description: string | null;
  /** Wall time in milliseconds of the last check; `null` if there was none. */
  checkedAt: number | null;
  /** Empty while nothing about this commit is to be posted. */
  posts: RequestPost[];
}

/** The checked pull requests of one factory. */
export interface PullRequestList {
  /** Type of the host, and name of the repository there. */
  host: string;
  repository: string;
  /** Requests for other branches are not checked. */
  branch: string;
  requests: PullRequestView[];
  /** Has the host more open requests than are checked? */
  hasMore: boolean;
  /** Wall time in milliseconds of the last answer of the host; `null` if it has not answered yet. */
  listedAt: number | null;
  /** Why the host could not be asked last; `null` if it answered. */
  problem: string | null;
}

/** Reads what the daemon knows about pull requests. Asks nobody. */
export interface PullRequestReader {
  /** `null` if the pull requests of the factory are not checked. */
  list(factory: string): PullRequestList | null;
}
