import type { WebhookUid } from '../../ids.ts';
import type { ScheduledAutomation } from '../../resources/schedule.ts';
import type { AppliedWebhook } from '../../resources/webhook.ts';
import type { SecretValue } from '../../secret-value.ts';
import type { DeclaredSchedule, DeliveryFilter } from '../../trigger.ts';
import type { AppliedChange, AssignedNumbers } from './inventory.ts';

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
