import type { Commit } from '../applies/reconciliation.ts';
import type { KnownFiles, SourceTree } from '../definitions/source-tree.ts';
import type { WebhookUid } from '../ids.ts';
import type { Page, PageRequest } from '../page.ts';

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

/** The author of a change, as named in the history. */
export interface Author {
  name: string;
  email: string;
}

/** A definition file after an edit. */
export interface FileChange {
  /** As in `TreeEntry`. */
  path: string;
  /** The whole new text; `null` deletes the file. */
  text: string | null;
  /** The UID that a renamed webhook keeps. Only for sources that keep UIDs. */
  uid?: WebhookUid;
}

/** One change of a hosted definition. It becomes a revision completely or not at all. */
export interface SourceEdit {
  /** The revision that the edit is based on; `null` for the first edit. */
  from: string | null;
  files: readonly FileChange[];
  author: Author;
  /** One line that describes the change. */
  message: string;
  /** Wall time in milliseconds. */
  at: number;
}

/** `moved`: `from` is no longer the most recent revision, and nothing was written. */
export type CommitOutcome = { ok: true; revision: string } | { ok: false; reason: 'moved' };

/** One revision in the history of a hosted definition. */
export interface Revision {
  revision: string;
  author: Author;
  /** Wall time in milliseconds, to the second. */
  at: number;
  message: string;
}

/** A source that Dockbell stores, so that it can be edited. Internal failures throw an `AppError`. */
export interface HostedSource extends DefinitionSource {
  /** The most recent revision; `null` before the first. */
  head(): Promise<string | null>;
  commit(edit: SourceEdit): Promise<CommitOutcome>;
  /** Whether the source keeps a UID for each webhook, so that a webhook can be renamed. */
  keepsUids: boolean;
  /** Newest first; `null` if the source keeps no earlier revisions. `readTree` reads each of them. */
  history: ((request: PageRequest) => Promise<SourceResult<{ page: Page<Revision> }>>) | null;
}

/** One definition file of a factory whose definition is in the database. */
export interface LiveFile {
  path: string;
  text: string;
  /** The UID that a webhook keeps; set when it is first renamed. */
  uid: WebhookUid | null;
}

/**
 * Definitions of factories without a repository: one row per file, and a revision number that increases with every
 * edit.
 */
export interface LiveDefinitions {
  /** The number of the most recent edit; `null` before the first. */
  head(factory: string): Promise<number | null>;
  /** All definitions after the most recent edit; `null` before the first. */
  read(factory: string): Promise<{ revision: number; files: LiveFile[] } | null>;
  /**
   * Writes an edit on top of `from` and returns its number. `null`, and nothing is written, if `from` is not the most
   * recent.
   */
  commit(factory: string, edit: { from: number | null; files: readonly FileChange[] }): Promise<number | null>;
}
