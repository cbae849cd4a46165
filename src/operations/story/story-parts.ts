import type { TokenRole } from '../../domain/access/access.ts';
import type { RecentRejections } from '../../domain/deliveries/recent-rejections.ts';
import type { DefinitionHistory, ReconcileControl, ReconciliationReader } from '../../domain/ports/definitions.ts';
import type { DeliveryReader, UnloggedCounts } from '../../domain/ports/delivery-log.ts';
import type { IdFinder, InventoryReader, WebhookView } from '../../domain/ports/inventory.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { Replays } from '../../domain/ports/replays.ts';
import type { RunControl } from '../../domain/ports/run-control.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { SealedSecretTable, SecretStore } from '../../domain/ports/secret-store.ts';
import type { Decision, Delivery } from '../../domain/resources/delivery.ts';
import { quoteForShell } from '../../domain/words/escape-text.ts';
import type { Inspector } from '../../reconcile/inspection/create-inspector.ts';
import type { ObjectRef } from './story.ts';

/** A change that a person made, from the audit log. */
export interface Touch {
  at: number;
  /** `null` if the request was not authenticated. */
  by: string | null;
  /** Such as `Cancel run`. */
  action: string;
  /** Path of the object below the API. */
  object: string;
}

/** Requests to a webhook in the last 24 hours. */
interface RequestTotals {
  accepted: number;
  duplicate: number;
  rejected: number;
  /** Those with a wrong credential; `null` for none. */
  rejections: RecentRejections | null;
}

/** What stories are composed from. Explanations that exist elsewhere are functions here. */
export interface StoryParts {
  inventory: Pick<InventoryReader, 'factories' | 'webhooks' | 'webhook' | 'automation'>;
  history: DefinitionHistory;
  deliveries: Pick<DeliveryReader, 'list' | 'get' | 'listeners' | 'payload'>;
  /** The replays of several deliveries. */
  replays: Pick<Replays, 'get'>;
  runs: RunReader;
  runControl: Pick<RunControl, 'explainWait'>;
  pauses: Pick<PauseControl, 'explain'>;
  reconciliations: Pick<ReconciliationReader, 'get'>;
  reconcile: Pick<ReconcileControl, 'contains'>;
  unlogged: Pick<UnloggedCounts, 'list'>;
  idFinder: IdFinder;
  secrets: Pick<SecretStore, 'find' | 'list'>;
  /** The stored versions of secrets, without their values. */
  versions: Pick<SealedSecretTable, 'versions'>;
  inspector: Pick<Inspector, 'findUnseenKeys' | 'decideListeners'>;
  /** The requests to a webhook in the last 24 hours. */
  requests(webhook: Pick<WebhookView, 'factory' | 'uid'>): Promise<RequestTotals>;
  /** Why each automation started or not. */
  decisions(delivery: Delivery): Promise<Decision[]>;
  /** The probable mistake of a rejected delivery, and what to do. */
  diagnose(delivery: Delivery): Promise<{ sentence: string }>;
  /** As `diagnose`, from the reason alone, without a captured request. */
  conclude(delivery: Delivery): Promise<{ sentence: string }>;
  /** The most recent successful changes of an object and the objects below it. */
  touches(object: string, limit: number): Promise<Touch[]>;
  /** Does the configuration name the factory? */
  isConfigured(factory: string): boolean;
  nowMs(): number;
}

/** Who asks for a story. */
export interface Asker {
  role: TokenRole;
  /** Names of the factories that the asker reaches; `null` for all. */
  factories: readonly string[] | null;
  /** The factory that the request names; `null` for all that the asker reaches. */
  factory: string | null;
}

/** One request for a story. */
export interface StoryRequest extends StoryParts {
  /** Does the story list everything that it otherwise sums up? */
  all: boolean;
  asker: Asker;
  /** The factories to search, configured ones first. */
  factories: readonly string[];
  /** Does a command have to name its factory? */
  namesFactory: boolean;
}

/** The option that selects the factory in a command, with a leading space. Empty if no command needs it. */
export function factoryOption({ namesFactory }: Pick<StoryRequest, 'namesFactory'>, factory: string): string {
  return namesFactory ? ` --factory ${quoteForShell(factory)}` : '';
}

/** The event or the delivery ID of the sender. A hash of the body names nothing to people. */
export function nameDelivery({ event, deliveryId, deliveryIdSource, id }: Delivery): string {
  return event ?? (deliveryIdSource === 'body_hash' ? id : (deliveryId ?? id));
}

export function refDelivery({ id, factory, deliveryId }: Pick<Delivery, 'id' | 'factory' | 'deliveryId'>): ObjectRef {
  return { kind: 'delivery', factory, id, name: deliveryId ?? id };
}

export function refRun(factory: string, id: string): ObjectRef {
  return { kind: 'run', factory, id, name: id };
}

export function refWebhook({ factory, uid, name }: { factory: string; uid: string; name: string }): ObjectRef {
  return { kind: 'webhook', factory, id: uid, name };
}

export function refAutomation(factory: string, name: string): ObjectRef {
  return { kind: 'automation', factory, id: name, name };
}
