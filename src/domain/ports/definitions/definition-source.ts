import type { Commit } from '../../reconciliation.ts';
import type { KnownFiles, SourceTree } from '../../source-tree.ts';

/** Why a source could not be read. The last valid definition stays live, and the attempt is repeated. */
export type SourceFailure =
  | 'RepositoryUnreachable'
  | 'RepositoryMissing'
  | 'RepositoryRefused'
  | 'BranchMissing'
  | 'FetchTooLarge'
  | 'FetchTimeout'
  | 'TreeTooLarge'
  | 'TreeOdd'
  | 'CommitUntrusted'
  | 'SignersUnreadable';

export type SourceResult<T> = ({ ok: true } & T) | SourceFailed;

/** A source that could not be read. */
export interface SourceFailed {
  ok: false;
  reason: SourceFailure;
  /** One readable sentence without credentials. */
  message: string;
  /** The commit at the tip of the branch, if it is known although it could not be fetched. */
  revision?: string;
}

/** Whether a commit is part of the history of another. `unknown` if the source cannot determine it. */
export type Ancestry = 'yes' | 'no' | 'unknown';

/** Where a definition comes from. */
export interface DefinitionSource {
  /** Updates the mirror and returns the commit at the tip of the production branch. */
  fetch(): Promise<SourceResult<{ revision: string }>>;
  /**
   * The definition tree at a commit that `fetch` returned.
   *
   * @param known the files that the caller knows: their entries may come without bytes. Default: none
   */
  readTree(revision: string, known?: KnownFiles): Promise<SourceResult<{ tree: SourceTree }>>;
  /**
   * Who made a revision that `fetch` returned; `null` if the source does not know it. A repository answers from what the
   * fetch has read. Never rejects.
   */
  describe(revision: string): Promise<Commit | null>;
  /**
   * Whether the history of a commit that `fetch` returned contains an earlier one. May contact the repository. Never
   * rejects.
   *
   * @param earlier a commit ID, or at least its first seven digits
   */
  contains(revision: string, earlier: string): Promise<Ancestry>;
  /** Calls back, once per burst, when the branch may have moved. Watches a local branch and polls a remote one. */
  watch(onChange: () => void): void;
  close(): Promise<void>;
}
