import type { RequestState } from './notice.ts';

/**
 * An open pull or merge request as it was checked last. `waiting`: it is not checked yet. `untouched`: it changes nothing that
 * the factory reads, so it has no status.
 */
export interface PullRequestView {
  number: number;
  /** The commit at its head. */
  head: string;
  isFork: boolean;
  state: RequestState | 'waiting' | 'untouched';
  /** What the commit status says; why the last attempt failed while it is `waiting`. */
  description: string | null;
  /** Wall time in milliseconds of the last check; `null` if there was none. */
  checkedAt: number | null;
}

/** The checked pull requests of one factory. */
export interface PullRequestList {
  requests: PullRequestView[];
  /** Has the host more open requests than are checked? */
  hasMore: boolean;
  /** Why the host could not be asked last; `null` if it answered. */
  problem: string | null;
}

/** Reads what the daemon knows about pull requests. Asks nobody. */
export interface PullRequestReader {
  /** `null` if the pull requests of the factory are not checked. */
  list(factory: string): PullRequestList | null;
}
