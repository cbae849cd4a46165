import type { AuditedChange } from '../access/audit.ts';
import type { AppliedFactory } from '../applies/applied.ts';
import type {
  Commit,
  Condition,
  FactoryHead,
  FactoryStatus,
  FactoryView,
  Reconciliation,
} from '../applies/reconciliation.ts';
import type { ReadAgentFiles } from '../definitions/agent-files.ts';
import type { WebhookTraffic } from '../deliveries/webhook-traffic.ts';
import type { WebhookUid } from '../ids.ts';
import type { AppliedAutomation } from '../resources/automation.ts';
import type { RunResult } from '../resources/run.ts';
import type { ScheduleState } from '../resources/schedule.ts';
import type { AppliedWebhook } from '../resources/webhook.ts';
import type { RunResults } from '../runs/run-results.ts';

/** A webhook row as an apply writes it; the storage keeps `ref` and `createdAt` of a row that exists. */
export type WebhookRow = Omit<AppliedWebhook, 'ref' | 'createdAt' | 'deletedAt'>;
/** An automation row as an apply writes it; the storage finds or assigns its `version`. */
export type AutomationRow = Omit<AppliedAutomation, 'version'>;

/** The new warnings of an automation that changes in nothing else. */
export type Remark = Pick<AppliedAutomation, 'name' | 'warnings'>;

/** A whole apply, written in one transaction: exactly the rows that its plan creates, changes and deletes. */
export interface AppliedChange {
  factory: string;
  revision: string | null;
  /** The source of the definition. The same commit of another source is another definition. */
  source: string;
  at: number;
  /** Webhooks that are created, changed, or pinned to other versions of their secrets. */
  webhooks: WebhookRow[];
  /** The versions of secrets that `webhooks` were planned from, as `AppliedWebhook.secretVersion`. */
  plannedFrom: [uid: WebhookUid, secretVersion: number][];
  /** Webhooks whose file was deleted. They are marked deleted, and keep their UID for a file that is restored. */
  deleteWebhooks: WebhookUid[];
  /** Automations that are created or changed. */
  automations: AutomationRow[];
  remarks: Remark[];
  /** Names of automations whose file was deleted. */
  deleteAutomations: string[];
  /** The files that runs of the revision get. Files that the applied revision has need no contents. */
  agentFiles: ReadAgentFiles;
  reconciliation: Reconciliation;
  conditions: Condition[];
  audit: AuditedChange;
}

/** The numbers that the storage gave to the rows of an apply. */
export interface AssignedNumbers {
  /** `AppliedFactory.applyNumber` after the apply. */
  applyNumber: number;
  /** UID and `AppliedWebhook.ref` of each written webhook. */
  webhooks: [uid: string, ref: number][];
  /** `AppliedAutomation.version` of each written automation, in the order of the change. */
  automations: number[];
  /** The live version after the apply, as `ReplicaTable.liveVersions`. Only a storage that several daemons share counts it. */
  liveVersion?: number;
}

/** The applied webhooks and automations of each factory. */
export interface Inventory {
  /** Creates a row for the factory if none exists, or if the factory was forgotten. */
  register(factory: string, at: number): Promise<void>;
  /** `null` for a factory that was never registered. Includes deleted webhooks. */
  load(factory: string): Promise<AppliedFactory | null>;
  /**
   * Writes the change, and returns what is needed to make it live without another read. Throws `conflict`, and writes
   * nothing, if a webhook is pinned to another version of its secret than the change was planned from.
   */
  apply(change: AppliedChange): Promise<AssignedNumbers>;
  /** Records a pass that applied nothing: the reconciliation, the attempted revision and the conditions, in one transaction. */
  recordAttempt(reconciliation: Reconciliation, conditions: Condition[]): Promise<void>;
  /** Records that a pass ended like the most recent reconciliation: its new `attemptedAt` and the conditions. Reads nothing. */
  renewAttempt(last: Pick<Reconciliation, 'id' | 'factory' | 'attemptedAt'>, conditions: Condition[]): Promise<void>;
  /**
   * Pins a webhook to another version of its secret without an apply, for a sender that supplies the secret. `false`,
   * and nothing is written, if the webhook is deleted or pinned to another version than `from`.
   */
  pinSecret(uid: WebhookUid, versions: { from: number; to: number }, audit: AuditedChange): Promise<boolean>;
  status(factory: string): Promise<FactoryStatus | null>;
  lastReconciliation(factory: string): Promise<Reconciliation | null>;
}

/**
 * From best to worst. `outdated`: the secret has a newer version than the pinned one. `missing`: the secret was
 * deleted.
 */
export const SECRET_STATES = ['current', 'outdated', 'missing'] as const;
export type SecretState = (typeof SECRET_STATES)[number];

/** A webhook with the additional fields that the list of webhooks shows. */
export interface WebhookView extends AppliedWebhook {
  secretState: SecretState;
  /** State of `verifyTokenSecretName`; `null` if the webhook has none. */
  verifyTokenSecretState: SecretState | null;
  traffic: WebhookTraffic;
  /** The commit of `revision`: the one that last changed or deleted it. `null` if it is not known. */
  commit: Commit | null;
}

/** What names a webhook, whether it is served or not. */
export type WebhookName = Pick<AppliedWebhook, 'ref' | 'uid' | 'factory' | 'name' | 'enabled' | 'deletedAt'>;

/** An automation with the additional fields that answers show. */
export interface AutomationView extends AppliedAutomation {
  /** The commit of `revision`; `null` if it is not known. */
  commit: Commit | null;
  results: RunResults;
  /** How far its schedules are, by name. One that was just applied may be missing. */
  schedules: ScheduleState[];
}

/** Maximum number of failing automations that are listed for each factory. */
export const MAX_FAILING_AUTOMATIONS = 50;

/** By `MIN_CREDENTIAL_FAILURES` and `MIN_FAILED_IN_A_ROW`, in the order of factories and names. */
export interface Failing {
  webhooks: { factory: string; name: string; traffic: WebhookTraffic }[];
  /** At most `MAX_FAILING_AUTOMATIONS` for each factory. */
  automations: { factory: string; name: string; results: RunResults }[];
}

/** Number of ended runs of one automation. */
export interface RunTotals {
  factory: string;
  automation: string;
  /** By the state in which they ended. A retried run counts each time it ended. */
  ended: Record<RunResult['state'], number>;
  /** `RunResults.recentFailed`. */
  recentFailed: number;
}

/** Secrets that a definition names and cannot use now, in the order of the names of what names them. */
export interface UnusableSecrets {
  /** Automations list them for their runs, and they have no value, or their scope excludes the factory. */
  missingForRuns: { automation: string; secret: string }[];
  /** Their scope excludes the factory since the apply. Webhooks continue with the applied version. */
  outsideScope: { webhook: string; secret: string }[];
}

/** Reads of the inventory for the management API. Lists exclude deleted webhooks, but `webhook` returns them. */
export interface InventoryReader {
  factories(): Promise<FactoryView[]>;
  /** What a factory serves; `null` if there is none of this name. Reads one row, so it suits a check of each request. */
  head(factory: string): Promise<FactoryHead | null>;
  counts(factory: string): Promise<{ webhooks: number; automations: number; queuedRuns: number; runningRuns: number }>;
  webhooks(factory: string): Promise<WebhookView[]>;
  deletedWebhooks(factory: string): Promise<WebhookView[]>;
  webhook(uid: WebhookUid): Promise<WebhookView | null>;
  /** All webhooks of all factories, including deleted ones, without those of forgotten factories. */
  webhookNames(): Promise<WebhookName[]>;
  automations(factory: string): Promise<AutomationView[]>;
  automation(factory: string, name: string): Promise<AutomationView | null>;
  /** Secrets that the applied definition names and cannot use now. */
  unusableSecrets(factory: string): Promise<UnusableSecrets>;
  /** What fails in all factories: enabled webhooks whose credential fails, and automations whose last runs failed. */
  failing(): Promise<Failing>;
  /** The totals of automations with ended runs in the order of factories and names, `limit` of them after `after`. */
  runTotals(after: { factory: string; automation: string } | null, limit: number): Promise<RunTotals[]>;
  /** Automations with failed runs among their last ones, those with most failures first. */
  failedAutomations(factory: string, limit: number): Promise<{ automation: string; results: RunResults }[]>;
}

/** IDs that belong to a factory and that people abbreviate. */
export type FindableId = `dlv_${string}` | `run_${string}` | `rec_${string}` | `rpl_${string}` | `wh_${string}`;

/** An object that an abbreviated ID may stand for. */
export interface FoundId {
  id: string;
  factory: string;
}

/** Finds whole IDs by their beginning. */
export interface IdFinder {
  /**
   * IDs that start with `prefix`, in descending order (for time-ordered IDs the most recent first).
   *
   * @param request.factories only objects of these factories; `null` for all
   */
  find(request: { prefix: FindableId; factories: readonly string[] | null; limit: number }): Promise<FoundId[]>;
}
