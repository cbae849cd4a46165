import type { PlanChange } from '../applies/plan.ts';
import type { Commit, Reconciliation } from '../applies/reconciliation.ts';
import type { DeclaredSchedule, DeliveryFilter } from '../definitions/trigger.ts';
import type { ReconciliationId, WebhookUid } from '../ids.ts';
import type { Page, PageRequest } from '../page.ts';
import type { ScheduledAutomation } from '../resources/schedule.ts';
import type { AppliedWebhook } from '../resources/webhook.ts';
import type { SecretValue } from '../secrets/secret-value.ts';
import type { AppliedChange, AssignedNumbers } from './inventory.ts';
import type { Ancestry } from './sources.ts';

/** The reconciliation loop for the API and the ingress. */
export interface ReconcileControl {
  /** Runs one full pass of that factory now, or after the pass in progress, and returns its result. */
  reconcileNow(factory: string): Promise<Reconciliation>;
  /** As `DefinitionSource.contains`, for the source of that factory. */
  contains(factory: string, revision: string, earlier: string): Promise<Ancestry>;
}

/** Ends and renames factories that the configuration does not name. Throws `AppError` `conflict` or `not_found`. */
export interface FactoryControl {
  /** As `FactoryNames.forget`. Returns the number of queued runs that were cancelled. */
  forget(factory: string): Promise<{ cancelledRuns: number }>;
  /**
   * Makes everything of `from` belong to `to`, which the configuration names, and makes it live. Then applies the current
   * definition of `to`, and returns that reconciliation.
   */
  rename(from: string, to: string): Promise<Reconciliation>;
}

/** An automation, as far as deliveries concern it. */
export interface ListeningAutomation {
  name: string;
  /** `AppliedAutomation.version`; `null` if the storage is still to assign it. */
  version: number | null;
  enabled: boolean;
  /** As in `Listener`. */
  keyPaths?: string[][] | undefined;
  /** As in `Listener`. */
  runsOn?: string[] | undefined;
  /** The filters that start it, as `triggerFilters`, for each webhook that it listens to. */
  filters: [webhook: WebhookUid, filters: DeliveryFilter[]][];
  /** Omitted if it has none. */
  schedules?: DeclaredSchedule[] | undefined;
}

/** What a change made of the schedules of a factory. */
export interface ScheduleChanges {
  factory: string;
  /** Created and changed automations. */
  automations: readonly ScheduledAutomation[];
  deleted: readonly string[];
  /** As in `ServedChange`. */
  isWhole: boolean;
}

/** An applied webhook with the secrets that it is pinned to; `null` for a value that cannot be read or is not named. */
export interface ServingWebhook {
  webhook: AppliedWebhook;
  secret: SecretValue | null;
  /** The previous version of the secret while it is accepted. */
  previousSecret: SecretValue | null;
  verifyToken: SecretValue | null;
}

/** A change of what a factory serves. */
export interface ServedChange {
  factory: string;
  /** The commit that is live after the change. */
  revision: string | null;
  /** `AppliedFactory.applyNumber`; `null` if the storage is still to assign it. */
  applyNumber: number | null;
  /** Whether this is everything that the factory serves. Otherwise everything else stays. */
  isWhole: boolean;
  /** Were created and changed automations staged for it? Those without a version in the order of `AssignedNumbers`. */
  isStaged: boolean;
  /** Created and changed webhooks. */
  webhooks: ServingWebhook[];
  deletedWebhooks: WebhookUid[];
  deletedAutomations: string[];
}

/** Some automations of a change. */
export interface StagedAutomations {
  factory: string;
  automations: ListeningAutomation[];
  /** Is this the first part of a change? What was staged for an earlier change that did not go live is dropped. */
  isFirst: boolean;
  /** As in `ServedChange`. */
  isWhole: boolean;
}

/**
 * What deliveries are matched with. Changes arrive in parts, so that no part occupies the thread that serves deliveries
 * for long, and take effect together. `Change` is how the rows of an apply reach the storage.
 */
export interface Serving<Change = AppliedChange> {
  /** Compiles automations ahead. They take effect with the next change of their factory. */
  stage(part: StagedAutomations): Promise<void>;
  /** Writes the change to the storage, and makes it live before anybody can read that it was applied. */
  apply(change: Change, served: ServedChange): Promise<AssignedNumbers>;
  /** Makes live what the storage has already. */
  serve(served: ServedChange): Promise<void>;
}

/** Reads of the reconciliation history, newest first. It is written by `Inventory`. */
export interface ReconciliationReader {
  list(request: PageRequest & { factory: string }): Promise<Page<Reconciliation>>;
  get(id: ReconciliationId): Promise<Reconciliation | null>;
}

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

/**
 * `unknown`: no factory has this name. `running`: `count` of its runs have not ended. `ok`: `cancelledRuns` of its runs
 * were queued.
 */
export type ForgetOutcome =
  | { kind: 'ok'; cancelledRuns: number }
  | { kind: 'unknown' }
  | { kind: 'running'; count: number };

/**
 * `unknown`: no factory has the old name. `in_use`: these webhooks of the new name have deliveries, and their URLs would
 * end. `defined`: the new name has a definition that only Dockbell stores.
 */
export type RenameOutcome =
  | { kind: 'ok' }
  | { kind: 'unknown' }
  | { kind: 'in_use'; webhooks: string[] }
  | { kind: 'defined' };

/** A renaming in the storage. */
export interface RenameOrder {
  from: string;
  /** A registered factory. */
  to: string;
  /** Does the service host the definition of `to`? Otherwise, a repository contains it. */
  isHosted: boolean;
  at: number;
}

/** The folders of a factory that are still to be moved, or removed if `movedTo` is `null`. */
export interface FolderChange {
  factory: string;
  movedTo: string | null;
}

/** Ends and renames factories that the configuration does not name. Each operation is one transaction. */
export interface FactoryNames {
  /**
   * Deletes the webhooks and automations of a factory and cancels its queued runs. No list names the factory afterwards. A
   * factory that gets this name later begins empty. Deliveries and ended runs stay until retention removes them.
   */
  forget(factory: string, at: number): Promise<ForgetOutcome>;
  /**
   * Everything that `from` applied, received and executed belongs to `to`, with the same UIDs, and replaces what `to`
   * applied. Webhooks that only `to` has stay. The limits of tokens and users name `to`.
   */
  rename(order: RenameOrder): Promise<RenameOutcome>;
  /** What an operation left to do in the data directory. */
  folderChanges(): Promise<FolderChange[]>;
  /** The change of the folders of this factory is done. */
  noteFolderChange(factory: string): Promise<void>;
}
