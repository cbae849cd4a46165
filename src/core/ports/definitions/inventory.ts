import type { AppliedFactory } from '../../applied.ts';
import type { WebhookUid } from '../../ids.ts';
import type { Condition, FactoryStatus, Reconciliation } from '../../reconciliation.ts';
import type { AppliedAutomation } from '../../resources/automation.ts';
import type { AppliedWebhook } from '../../resources/webhook.ts';

/** A webhook row as an apply writes it; the storage keeps `ref` and `createdAt` of a row that exists. */
export type WebhookRow = Omit<AppliedWebhook, 'ref' | 'createdAt' | 'deletedAt'>;
/** An automation row as an apply writes it; the storage finds or makes its `version`. */
export type AutomationRow = Omit<AppliedAutomation, 'version'>;

/** A whole apply: everything below is written in one transaction, or nothing is. */
export interface AppliedChange {
  factory: string;
  revision: string | null;
  /** Where the definition was read from; another place at the same commit is another definition. */
  source: string;
  at: number;
  /** Created, changed and unchanged alike: unchanged ones may carry a newer secret version. */
  webhooks: WebhookRow[];
  /** Webhooks whose file is gone: marked deleted, their UID kept for a file that comes back. */
  deleteWebhooks: WebhookUid[];
  automations: AutomationRow[];
  /** Names of automations whose file is gone. */
  deleteAutomations: string[];
  reconciliation: Reconciliation;
  conditions: Condition[];
}

/** What we own and applied, per factory. */
export interface Inventory {
  /** Makes sure that the factory has a row; keeps what is there. */
  register(factory: string, at: number): Promise<void>;
  /** `null` for a factory that was never registered. Includes deleted webhooks. */
  load(factory: string): Promise<AppliedFactory | null>;
  /** Answers with the inventory as the same transaction left it, so that it can be made live without another read. */
  apply(change: AppliedChange): Promise<AppliedFactory>;
  /**
   * Records a pass that applied nothing: the reconciliation, the attempted revision and the conditions, together. The
   * same commit with the same result, reason and diagnostics as the newest row renews `attemptedAt` of that row and
   * answers with it; otherwise the given one is stored and returned.
   */
  recordAttempt(reconciliation: Reconciliation, conditions: Condition[]): Promise<Reconciliation>;
  /**
   * Pins a webhook to another version of its secret outside of an apply, for a sender that brings its secret along.
   * `false`, and nothing is written, where the webhook is deleted or pinned to another version than `from`.
   */
  pinSecret(uid: WebhookUid, versions: { from: number; to: number }, at: number): Promise<boolean>;
  status(factory: string): Promise<FactoryStatus | null>;
  lastReconciliation(factory: string): Promise<Reconciliation | null>;
}

/** From best to worst. `outdated`: the named secret has a newer version than the pinned one; `missing`: it was deleted. */
export const SECRET_STATES = ['current', 'outdated', 'missing'] as const;
export type SecretState = (typeof SECRET_STATES)[number];

/** A webhook with what its list shows beside its definition. */
export interface WebhookView extends AppliedWebhook {
  secretState: SecretState;
  /** The same of `verifyTokenSecretName`; `null` where there is none. */
  verifyTokenSecretState: SecretState | null;
  lastDeliveryAt: number | null;
}

/** Reads of the inventory for people and scripts. Deleted webhooks are left out of lists but can be read by UID. */
export interface InventoryReader {
  factories(): Promise<FactoryStatus[]>;
  counts(factory: string): Promise<{ webhooks: number; automations: number; queuedRuns: number; runningRuns: number }>;
  webhooks(factory: string): Promise<WebhookView[]>;
  webhook(uid: WebhookUid): Promise<WebhookView | null>;
  automations(factory: string): Promise<AppliedAutomation[]>;
  automation(factory: string, name: string): Promise<AppliedAutomation | null>;
}
