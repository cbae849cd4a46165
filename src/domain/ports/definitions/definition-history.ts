import type { ReconciliationId, WebhookUid } from '../../ids.ts';
import type { PlanChange } from '../../plan.ts';
import type { Commit, Reconciliation } from '../../reconciliation.ts';

/** The webhook or automation whose changes are read. `uid` also finds a webhook that had another name. */
export type DefinedObject =
  | { kind: 'webhook'; factory: string; name: string; uid: WebhookUid; revision: string | null }
  | { kind: 'automation'; factory: string; name: string; revision: string | null };

/** What one apply changed in one webhook or automation. */
export interface ObjectChange {
  verb: 'create' | 'update' | 'delete';
  changes: PlanChange[];
  reconciliation: ReconciliationId;
  revision: string | null;
  /** `null` if it is not known. */
  commit: Commit | null;
  /** Wall time in milliseconds at which the apply ended. */
  at: number;
}

/** A webhook or an automation that has a name now, or had it before it was deleted. */
export type NamedObject =
  | { kind: 'webhook'; factory: string; uid: WebhookUid; deletedAt: number | null }
  | { kind: 'automation'; factory: string; deletedAt: number | null };

/** Maximum number of the most recent applies whose changes are examined, and the size of each in bytes. */
export const MAX_EXAMINED_APPLIES = 100;
export const MAX_EXAMINED_PLAN_BYTES = 65_536;

/** Reads of what applies changed, and of what a name or a revision stands for. */
export interface DefinitionHistory {
  /**
   * Changes of one object, newest first. Examines the most recent applies, and the apply of the object's `revision`
   * regardless of its age and size.
   */
  changes(request: DefinedObject & { limit: number }): Promise<ObjectChange[]>;
  /** Reconciliations of revisions that start with `prefix`, newest first. */
  ofRevision(request: { prefix: string; factories: readonly string[]; limit: number }): Promise<Reconciliation[]>;
  /** The different revisions that start with `prefix`: the equal one first, then those with the newest reconciliations. */
  revisions(request: {
    prefix: string;
    factories: readonly string[];
    limit: number;
  }): Promise<{ factory: string; revision: string }[]>;
  /** What the name stands for in these factories. Includes deleted webhooks, and automations that an examined apply deleted. */
  named(request: { name: string; factories: readonly string[]; limit: number }): Promise<NamedObject[]>;
  /** The names of automations of a factory, at most `limit`. */
  automationNames(factory: string, limit: number): Promise<string[]>;
  /** Who made a revision; `null` if it is not known. */
  commit(factory: string, revision: string): Promise<Commit | null>;
}
