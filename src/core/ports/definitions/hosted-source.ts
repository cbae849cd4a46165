import type { WebhookUid } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { DefinitionSource, SourceResult } from './definition-source.ts';

/** Who makes a change, as the history names them. */
export interface Author {
  name: string;
  email: string;
}

/** A file of a definition as an edit leaves it. */
export interface FileChange {
  /** As in `TreeEntry`. */
  path: string;
  /** The whole new text; `null` takes the file away. */
  text: string | null;
  /** For a webhook that takes another name: the UID that goes with it. Only for sources that keep UIDs. */
  uid?: WebhookUid;
}

/** One change of a hosted definition: it becomes a revision whole or not at all. */
export interface SourceEdit {
  /** The revision it was made on; `null` for the first. */
  from: string | null;
  files: readonly FileChange[];
  author: Author;
  /** One line that says what was done. */
  message: string;
  /** Wall time in milliseconds. */
  at: number;
}

/** `moved`: another revision came after `from`, and nothing was written. */
export type CommitOutcome = { ok: true; revision: string } | { ok: false; reason: 'moved' };

/** One revision in the history of a hosted definition. */
export interface Revision {
  revision: string;
  author: Author;
  /** Wall time in milliseconds, to the second. */
  at: number;
  message: string;
}

/** A source that the service holds itself, so that it can be edited. What goes wrong inside throws an `AppError`. */
export interface HostedSource extends DefinitionSource {
  /** The newest revision; `null` before the first. */
  head(): Promise<string | null>;
  commit(edit: SourceEdit): Promise<CommitOutcome>;
  /** Does it keep a UID with each webhook, so that a webhook can take another name? */
  keepsUids: boolean;
  /** Newest first; `null` where the source keeps no earlier revisions. `readTree` reads each of them. */
  history: ((request: PageRequest) => Promise<SourceResult<{ page: Page<Revision> }>>) | null;
}
