import type { WebhookUid } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { DefinitionSource, SourceResult } from './definition-source.ts';

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
