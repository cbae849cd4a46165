import { countOf } from './quantities.ts';

/** The keys of an automation that say how its runs start, and start again. */
export const RUN_POLICY_KEYS = ['concurrency', 'debounce', 'retry', 'budget', 'runsOn', 'workspace'] as const;
export type RunPolicyKey = (typeof RUN_POLICY_KEYS)[number];

type ApiName<Key extends RunPolicyKey> = Key extends 'runsOn' ? 'runs_on' : Key;

/** The name of the key in requests and answers of the management API. */
function apiNameOf<Key extends RunPolicyKey>(key: Key): ApiName<Key> {
  return (key === 'runsOn' ? 'runs_on' : key) as ApiName<Key>;
}

/** The keys of a policy that an automation of the management API has, as its definition file declares them. */
export function pickPolicy<Of extends { readonly [Key in RunPolicyKey as ApiName<Key>]: unknown }>(
  automation: Of,
): { [Key in RunPolicyKey]?: NonNullable<Of[ApiName<Key>]> } {
  const set = RUN_POLICY_KEYS.map((key) => [key, automation[apiNameOf(key)]] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== null && value !== undefined)) as {
    [Key in RunPolicyKey]?: NonNullable<Of[ApiName<Key>]>;
  };
}

/** The keys of a definition file as a request of the management API has them. Other keys stay as they are. */
export function nameForApi<Value>(declared: { readonly [key: string]: Value }): { [name: string]: Value } {
  const policy = new Set<string>(RUN_POLICY_KEYS);
  return Object.fromEntries(
    Object.entries(declared).map(([key, value]) => [policy.has(key) ? apiNameOf(key as RunPolicyKey) : key, value]),
  );
}

/** A schedule, as the management API returns it. */
interface ScheduleFacts {
  name: string | null;
  cron: string;
  timezone: string;
}

/** For example `weekly: 0 9 * * 1, Europe/Berlin`. */
export function describeSchedule({ name, cron, timezone }: ScheduleFacts): string {
  const times = `${cron}, ${timezone}`;
  return name === null ? times : `${name}: ${times}`;
}

/** What happens to times at which no daemon ran. */
export function describeCatchUp({ catch_up: catchUp }: { catch_up: 'none' | 'latest' }): string {
  return catchUp === 'latest'
    ? 'After a time without a daemon, one run starts for the latest missed time.'
    : 'Times at which no daemon runs are counted, and start nothing.';
}

/** The times that were missed; `null` if none was. */
export function describeMissed(missed: number, lastMissedAt: string | null): string | null {
  if (missed === 0) return null;
  return `${countOf(missed, 'time')} missed, the last at ${lastMissedAt ?? 'an unknown time'}`;
}

/** A trigger, as the management API returns it. */
type TriggerFacts =
  | { service: { trigger: string; starts_here: boolean; reason: string | null } }
  | { listens_to: readonly string[]; filter: { webhook_ids: readonly string[] } };

interface AutomationFacts {
  enabled: boolean;
  triggers: readonly TriggerFacts[];
}

interface WebhookFacts {
  uid: string;
  name: string;
  enabled: boolean;
}

/** Whether and why deliveries do not start an automation. */
interface InactivityReport {
  /** Does no delivery start it at all? If not, the reasons concern some of its triggers. */
  isInactive: boolean;
  /** Sentences, the most serious first. */
  reasons: string[];
}

/**
 * Why no delivery starts an automation, or why some of its triggers start nothing. It reports every reason, those of
 * triggers of providers included.
 */
export function explainInactiveAutomation(
  automation: AutomationFacts,
  webhooks: readonly WebhookFacts[],
): InactivityReport {
  const { enabled, triggers } = automation;
  const byUid = new Map(webhooks.map((webhook) => [webhook.uid, webhook]));
  const reasons = [
    ...(enabled ? [] : ['The automation is disabled.']),
    ...triggers.flatMap((trigger) => explainTrigger(trigger, byUid)),
  ];
  const isTriggered = triggers.some((trigger) =>
    'service' in trigger ? trigger.service.starts_here : trigger.listens_to.some((uid) => byUid.get(uid)?.enabled),
  );
  return { isInactive: !(enabled && isTriggered), reasons: [...new Set(reasons)] };
}

function explainTrigger(trigger: TriggerFacts, byUid: ReadonlyMap<string, WebhookFacts>): string[] {
  if ('service' in trigger) return explainService(trigger.service);
  return listSelectedWebhooks(trigger).flatMap((uid) => {
    const webhook = byUid.get(uid);
    if (webhook === undefined) return [`The factory has no webhook with UID ${uid}: it may have been deleted.`];
    return webhook.enabled ? [] : [`The webhook ${webhook.name} is disabled: senders get 404.`];
  });
}

function explainService({ trigger, reason }: Extract<TriggerFacts, { service: unknown }>['service']): string[] {
  return reason === null ? [] : [`The trigger ${trigger} cannot start here: ${reason}.`];
}

/** UIDs of the webhooks that a trigger selects. Webhooks that do not exist are included. */
export function listSelectedWebhooks(trigger: TriggerFacts): string[] {
  return 'service' in trigger ? [] : [...new Set([...trigger.listens_to, ...trigger.filter.webhook_ids])];
}
