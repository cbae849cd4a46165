import { isJsonObject, type JsonObject } from '../json.ts';
import type { ProviderNames } from '../resources/provider-names.ts';
import type { Position } from './diagnostic.ts';

/** What a trigger requires of a delivery: conditions on its request headers and on its payload. An absent part requires nothing. */
export interface DeliveryFilter {
  /** By name, in any letter case. */
  headers?: JsonObject;
  payload?: JsonObject;
  /** The delivery is an event that this provider trigger takes. */
  trigger?: ProviderCondition;
  /** No account that acted is one of these. */
  ignored?: IgnoredActors;
}

/** A trigger of a provider, with what its factory and its webhook say about it. */
export interface ProviderCondition {
  provider: string;
  event: string;
  /** The filter as declared. */
  filter: JsonObject;
  /** The repositories of the factory. Without `repos` in the filter, only these match. Absent: all do. */
  repositories?: string[];
  /** As in `WebhookAccounts`. */
  names?: ProviderNames;
  /** As in `WebhookAccounts`. */
  botUsername?: string;
}

/** Accounts whose events start nothing. */
export interface IgnoredActors {
  provider: string;
  /** As declared. */
  actors: string[];
}

/** What a webhook that serves a provider says about accounts there. */
export interface WebhookAccounts {
  provider: string;
  names?: ProviderNames;
  /** The account whose mentions start automations. */
  botUsername?: string;
  ignoreActors?: string[];
}

/** What a filter tests. */
export interface Received {
  /** The values of request headers, by name in lowercase. */
  headers: { readonly [name: string]: string | undefined };
  /** As `JSON.parse` returns it. */
  payload: unknown;
}

/** Headers as a person wrote them, for a filter. */
export function lowercaseNames(headers: { readonly [name: string]: string }): Received['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A trigger that listens to webhooks of this factory. `filter` as in the specification, "Webhook trigger". */
export interface WebhookTrigger {
  provider: 'webhook';
  event: 'received';
  /** UIDs in the file, in file order. */
  webhookIds: string[];
  /** Names of webhooks of the same factory. An apply resolves them to UIDs. */
  webhooks: string[];
  /** The filter of request headers as declared; absent if the trigger has none. */
  headers?: JsonObject;
  /** The payload filter as declared; `null` if the trigger has none. */
  payload: JsonObject | null;
  /** Position of the lists of webhooks, for diagnostics about UIDs. */
  at: Position;
  /** By the UIDs of webhooks that ignore accounts. Set by an apply. */
  accounts?: { [uid: string]: WebhookAccounts };
}

/** A trigger of another provider. The webhooks of the factory that serve the provider deliver its events. */
export interface ProviderTrigger {
  provider: string;
  /** The trigger as declared. */
  declared: JsonObject;
  /** The repositories of the factory. Set by an apply; absent if `factory.yaml` lists none. */
  repositories?: string[];
  /** By the UIDs of webhooks that name or ignore accounts. Set by an apply. */
  accounts?: { [uid: string]: WebhookAccounts };
}

/** What happens to ticks at which no daemon ran: `none` counts them, `latest` also starts a run for the latest one. */
const CATCH_UP_MODES = ['none', 'latest'] as const;
export type CatchUp = (typeof CATCH_UP_MODES)[number];

/** When a trigger fires (specification, "Provider triggers and schedules", section 4). */
export interface DeclaredSchedule {
  /** Trimmed; `null` for the schedule of the automation that has none. */
  name: string | null;
  /** A valid expression. */
  cron: string;
  timezone: string;
  catchUp: CatchUp;
}

export type Trigger = WebhookTrigger | ProviderTrigger;

/** Which webhooks of a factory start a trigger. */
export interface TriggerService {
  automation: string;
  /** For people, for example `github issue_labeled`. */
  trigger: string;
  /** The names of the enabled webhooks from which it starts. */
  servedBy: string[];
  /** Why it starts nothing here, as the end of a sentence; `null` if it can start. */
  reason: string | null;
  /** What the provider needs so that it sends the event, as a sentence; `null` if any webhook of the provider gets it. */
  note: string | null;
}

export function isWebhookTrigger(trigger: Trigger): trigger is WebhookTrigger {
  return trigger.provider === 'webhook';
}

/** Whether a trigger, also one as its file declares it, is of the event that schedules have. */
export function isOfSchedule({ provider, event }: JsonObject): boolean {
  return provider === 'schedule' && event === 'cron_fired';
}

/**
 * The schedule of a trigger; `null` if it has none. Read from what the file declares, because daemons of earlier versions stored
 * no more than this, without checking it.
 */
export function scheduleOf(trigger: Trigger): DeclaredSchedule | null {
  if (isWebhookTrigger(trigger) || !isOfSchedule(trigger.declared)) return null;
  const { schedule } = trigger.declared;
  if (!isJsonObject(schedule) || typeof schedule.cron !== 'string') return null;
  const { name, cron, timezone, catchUp } = schedule;
  return {
    name: typeof name === 'string' ? name.trim() : null,
    cron: cron.trim(),
    timezone: typeof timezone === 'string' ? timezone : 'UTC',
    catchUp: catchUp === 'latest' ? 'latest' : 'none',
  };
}

/** A trigger as its file declares it. */
export function declareTrigger(trigger: Trigger): JsonObject {
  if (!isWebhookTrigger(trigger)) return trigger.declared;
  const { provider, event, webhookIds, webhooks, headers, payload } = trigger;
  const filter: JsonObject = { webhook_ids: webhookIds, webhooks };
  if (headers !== undefined) filter.headers = headers;
  if (payload !== null) filter.payload = payload;
  return { provider, event, filter };
}

/** The triggers of an automation and their webhooks, all by UID or all by file name. */
export interface Listening<Webhook extends string = string> {
  triggers: readonly (Pick<WebhookTrigger, 'provider' | 'headers' | 'payload' | 'accounts'> | ProviderTrigger)[];
  /** For each trigger: the webhooks it listens to. */
  listensTo: readonly (readonly Webhook[])[];
}

/**
 * The filters that decide whether a delivery to the webhook starts the automation: a match of any of them
 * suffices. A trigger without a filter has the filter `{}`, which matches everything. An empty list means that the
 * automation does not listen to the webhook. (Specification, "Webhook trigger".)
 *
 * @param webhook `null` takes the triggers of all webhooks together
 */
export function triggerFilters<Webhook extends string>(
  { triggers, listensTo }: Listening<Webhook>,
  webhook: Webhook | null,
): DeliveryFilter[] {
  return triggers.flatMap((trigger, index) => {
    const listens = webhook === null || listensTo[index]?.includes(webhook) === true;
    return listens ? (describeTrigger(trigger, webhook) ?? []) : [];
  });
}

/** `null` if no delivery can start the trigger. Only what the given webhook says about accounts counts. */
function describeTrigger(trigger: Listening['triggers'][number], webhook: string | null): DeliveryFilter | null {
  const accounts = webhook === null ? undefined : trigger.accounts?.[webhook];
  const filter = 'declared' in trigger ? filterOfProvider(trigger, accounts) : filterOf(trigger);
  const ignored = listIgnored(accounts);
  return filter === null || ignored === null ? filter : { ...filter, ignored };
}

/** The parts of the filter that require something. */
export function filterOf({ headers, payload }: Pick<WebhookTrigger, 'headers' | 'payload'>): DeliveryFilter {
  const filter: DeliveryFilter = {};
  if (headers !== undefined && Object.keys(headers).length > 0) filter.headers = headers;
  if (payload !== null && Object.keys(payload).length > 0) filter.payload = payload;
  return filter;
}

function filterOfProvider(
  { provider, declared, repositories }: ProviderTrigger,
  { names, botUsername }: Partial<WebhookAccounts> = {},
): DeliveryFilter | null {
  const { event, filter = null } = declared;
  if (isOfSchedule(declared)) return null;
  if (typeof event !== 'string' || (filter !== null && !isJsonObject(filter))) return null;
  return {
    trigger: {
      provider,
      event,
      filter: filter ?? {},
      ...(repositories === undefined ? {} : { repositories }),
      ...(names === undefined ? {} : { names }),
      ...(botUsername === undefined ? {} : { botUsername }),
    },
  };
}

function listIgnored({ provider, ignoreActors = [] }: Partial<WebhookAccounts> = {}): IgnoredActors | null {
  return provider === undefined || ignoreActors.length === 0 ? null : { provider, actors: ignoreActors };
}

/** The `triggerFilters` of each webhook that the automation listens to. */
export function triggerFiltersByWebhook<Webhook extends string>(
  automation: Listening<Webhook>,
): Map<Webhook, DeliveryFilter[]> {
  const webhooks = new Set(automation.listensTo.flat());
  return new Map([...webhooks].map((webhook) => [webhook, triggerFilters(automation, webhook)]));
}
