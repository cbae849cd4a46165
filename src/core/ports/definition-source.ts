import type { SourceTree } from '../source-tree.ts';

/** Why a source could not be read. The last good definition keeps serving; the attempt is repeated. */
export type SourceFailure =
  | 'RepositoryUnreachable'
  | 'RepositoryMissing'
  | 'RepositoryRefused'
  | 'BranchMissing'
  | 'FetchTooLarge'
  | 'FetchTimeout'
  | 'TreeTooLarge'
  | 'TreeOdd';

export type SourceResult<T> = ({ ok: true } & T) | SourceFailed;

/** A source that could not be read. */
export interface SourceFailed {
  ok: false;
  reason: SourceFailure;
  /** One readable sentence without credentials. */
  message: string;
  /** The commit at the tip of the branch, where that is known although it could not be fetched. */
  revision?: string;
}

/** Where a definition comes from. */
export interface DefinitionSource {
  /** Brings the mirror up to date and answers with the commit at the tip of the production branch. */
  fetch(): Promise<SourceResult<{ revision: string }>>;
  /** The definition tree at a commit that `fetch` gave. */
  readTree(revision: string): Promise<SourceResult<{ tree: SourceTree }>>;
  /** Calls back, once per burst, when the branch may have moved: on a change of a local one, else by polling. */
  watch(onChange: () => void): void;
  close(): Promise<void>;
}
