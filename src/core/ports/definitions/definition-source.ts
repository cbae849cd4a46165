import type { SourceTree } from '../../source-tree.ts';

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

/** Is a commit part of the history of another? `unknown` where the source cannot find that out. */
export type Ancestry = 'yes' | 'no' | 'unknown';

/** Where a definition comes from. */
export interface DefinitionSource {
  /** Brings the mirror up to date and answers with the commit at the tip of the production branch. */
  fetch(): Promise<SourceResult<{ revision: string }>>;
  /** The definition tree at a commit that `fetch` gave. */
  readTree(revision: string): Promise<SourceResult<{ tree: SourceTree }>>;
  /**
   * Does the history of a commit that `fetch` gave contain an earlier one? May ask the repository. Never rejects.
   *
   * @param earlier an id, or at least seven digits of one
   */
  contains(revision: string, earlier: string): Promise<Ancestry>;
  /** Calls back, once per burst, when the branch may have moved: on a change of a local one, else by polling. */
  watch(onChange: () => void): void;
  close(): Promise<void>;
}
