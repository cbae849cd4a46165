import type { WebhookUid } from '../../ids.ts';
import type { FileChange } from './hosted-source.ts';

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
