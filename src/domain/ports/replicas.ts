import type { DeliveryId, RunId, WebhookUid } from '../ids.ts';
import type { AppliedAutomation } from '../resources/automation.ts';
import type { AppliedWebhook } from '../resources/webhook.ts';
import type { StoredTraceContext } from '../telemetry/trace-context.ts';
import type { DeliveryDiagnosis } from './delivery-control.ts';

/** What a daemon publishes about itself for those that share its storage. */
export interface ReplicaDescription {
  /** Name for people: by default, that of the host. */
  name: string;
  version: string;
  /** Where the other replicas reach its admin listener; `null` while it starts. */
  adminUrl: string | null;
  ingressUrl: string | null;
  /** Wall time in milliseconds. */
  startedAt: number;
  /** The live version that it serves, by factory: see `ReplicaTable.liveVersions`. */
  live: Readonly<Record<string, number>>;
}

/** One of the daemons that share a storage. */
export interface Replica extends ReplicaDescription {
  /** Of this start. */
  id: string;
  /** Milliseconds since its last sign of life, by the clock of the database. */
  seenMsAgo: number;
  isLeader: boolean;
}

/** A message of a replica to the others. Each one can be lost, so nothing depends on it. */
export type ReplicaMessage =
  /** Runs of these factories are queued, or others ended, so that some may start. */
  | { kind: 'runs'; factories: readonly string[] }
  /** The sender begins to accept deliveries. */
  | { kind: 'joined' }
  /** What these factories serve has changed. */
  | { kind: 'live'; factories: readonly string[] }
  /** A version of this secret was stored. */
  | { kind: 'secret'; name: string }
  /** Requests that count for limits, since the last such message. */
  | { kind: 'admitted'; of: AdmissionKind; counts: Counts }
  /** Requests of the last second that were not accepted, by the number of the webhook. */
  | { kind: 'unaccepted'; of: UnacceptedKind; counts: Counts }
  /** Entries of the delivery log of the last second; `null` if there are too many to list. */
  | { kind: 'recorded'; deliveries: readonly DeliveryId[] | null }
  /** The states of these runs have changed; `null` if there are too many to list. */
  | { kind: 'runsChanged'; runs: readonly RunId[] | null }
  /** The replica that executes this run has to cancel it. */
  | { kind: 'cancel'; run: RunId; attempt: number }
  /** The production branch of the factory may have moved. */
  | { kind: 'push'; factory: string; trace: StoredTraceContext | null }
  /** Pull requests of the factory may have changed. */
  | { kind: 'pullRequests'; factory: string }
  | CaptureMessage
  | ProbeMessage;

/** About the requests that replicas capture for a diagnosis. */
export type CaptureMessage =
  /** The leader has a capture window that is open for this time; 0 closes it. */
  | { kind: 'capture'; webhook: WebhookUid; forMs: number }
  /** The replica captured these requests. */
  | { kind: 'captured'; webhook: WebhookUid; deliveries: readonly DeliveryId[] }
  /** Why was this request rejected? The replica that captured it answers. */
  | { kind: 'diagnose'; webhook: WebhookUid; delivery: DeliveryId }
  | { kind: 'diagnosed'; delivery: DeliveryId; diagnosis: DeliveryDiagnosis };

/** About requests that a replica sends through the public URL, for a webhook UID that nobody else knows. */
export type ProbeMessage =
  /** The replica has sent one. */
  | { kind: 'probe'; uid: string }
  /** This replica received it. */
  | { kind: 'probeSeen'; uid: string };

/** Deliveries by the UID of their webhook, or failed authentications by UID and network of the client. */
export type AdmissionKind = 'deliveries' | 'failures';

/** What the replicas know of the admissions of each other. */
export interface SharedAdmissions {
  /** The number of replicas, with this one. */
  readonly replicas: number;
  /** The number of admissions of this replica that the others may not have counted yet. */
  countUnseen(kind: AdmissionKind, key: string): number;
  /**
   * Counts an admission of this replica.
   *
   * @param isUrgent the others should count it soon
   */
  note(kind: AdmissionKind, key: string, isUrgent: boolean): void;
  /** Resolves when the others have counted what this replica admitted until now, or cannot be reached. */
  untilSeen(): Promise<void>;
}

export type UnacceptedKind = 'rejected' | 'limited';
export type Counts = readonly (readonly [key: string, count: number])[];

/** What the storage reports about the group without a request. */
export type GroupEvent =
  /** This daemon leads from now on. `epoch` is higher than that of every earlier leader. */
  | { event: 'leading'; epoch: number }
  /** A message of the replica with the ID `from`. */
  | { event: 'received'; from: string; message: ReplicaMessage }
  /** Messages may have been lost. */
  | { event: 'reconnected' }
  /**
   * The database has a sign of life of this daemon, sent at `at` (as `machineNowMs`). `wasLost`: before that, the lease of its
   * runs had ended.
   */
  | { event: 'renewed'; at: number; wasLost: boolean };

/** What changed in the applied definition of a factory between two live versions, all read at the later one. */
export interface LiveChange {
  /** The commit that is live. */
  revision: string | null;
  /** `AppliedFactory.applyNumber`. */
  applyNumber: number;
  /** Created, changed and deleted webhooks. */
  webhooks: AppliedWebhook[];
  /** Created and changed automations. */
  automations: AppliedAutomation[];
  deletedAutomations: string[];
}

/**
 * The live version of a factory, and what changed since an earlier one. `null` if that is not known any more, or if more changed
 * than a replica adds to what it serves.
 */
export type ReadLiveChange = () => Promise<{ version: number; change: LiveChange | null }>;

/** The daemons that share one storage. */
export interface ReplicaTable {
  /** Those with a sign of life in the last hour, the longest-lived first. */
  list(): Promise<Replica[]>;
  /** Changes what others see of this daemon. */
  describe(self: ReplicaDescription): Promise<void>;
  /** How often what a factory serves has changed, by factory. */
  liveVersions(): Promise<Record<string, number>>;
  /** What changed in a factory after this live version. */
  changesSince(factory: string, version: number): ReturnType<ReadLiveChange>;
  /** Sends a message to the other replicas. */
  announce(message: ReplicaMessage): Promise<void>;
  /** The machines whose replicas hold the lease of their runs. */
  liveMachines(): Promise<string[]>;
  /** Stores that this attempt has to be cancelled, and sends it to the other replicas. */
  orderCancel(run: RunId, attempt: number): Promise<void>;
  /** Those of these attempts that have to be cancelled. */
  cancelOrders(runs: readonly { id: RunId; attempt: number }[]): Promise<RunId[]>;
}

/** Where the others reach a replica. */
export interface ReplicaAddresses {
  ingressUrl: string;
  adminUrl: string;
}

/** A replica as the leader sees it. */
export interface ListedReplica extends Replica {
  /** Does it give signs of life? */
  isAlive: boolean;
  /** The factories of which it does not yet serve what the leader serves. */
  behind: string[];
}

/** The group as one of its daemons saw it last. */
export interface GroupState {
  leads: boolean;
  /** Replicas that give signs of life. */
  leaders: number;
  followers: number;
  /** Changes of definitions that this daemon does not serve yet. */
  changesBehind: number;
}

/** The daemons that share a storage, as one of them sees them. A daemon with its own storage is a group of one. */
export interface ReplicaGroup {
  /** Does this daemon do what one daemon of the group does for all? */
  readonly isLeader: boolean;
  state(): GroupState;
  /** Calls `begin` once: as soon as this daemon leads. */
  onLead(begin: () => void): void;
  /** This daemon, and those that share its storage, the longest-lived first. */
  list(): Promise<ListedReplica[]>;
  /** The replica that leads, if it gives signs of life. */
  findLeader(): Promise<Replica | null>;
  /**
   * Resolves when each replica serves what the storage has for this factory, or after 10 seconds. Returns the replicas that do
   * not.
   */
  untilLive(factory: string): Promise<ListedReplica[]>;
  /** This daemon listens, and takes part. */
  start(addresses: ReplicaAddresses): Promise<void>;
  stop(): Promise<void>;
}
