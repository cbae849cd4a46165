import type { WebhookUid } from '../../ids.ts';
import type { FileChange } from './hosted-source.ts';

/** One definition of a factory that lives in the database. */
export interface LiveFile {
  path: string;
  text: string;
  /** Set once a webhook was renamed: the UID that it keeps. */
  uid: WebhookUid | null;
}

/** Definitions of factories that have no repository: rows, and a number that rises with every edit. */
export interface LiveDefinitions {
  /** The number of the newest edit; `null` before the first. */
  head(factory: string): Promise<number | null>;
  /** All definitions as the newest edit left them; `null` before the first. */
  read(factory: string): Promise<{ revision: number; files: LiveFile[] } | null>;
  /** Writes an edit on top of `from` and answers with its number; `null`, and nothing is written, where `from` is not the newest. */
  commit(factory: string, edit: { from: number | null; files: readonly FileChange[] }): Promise<number | null>;
}
