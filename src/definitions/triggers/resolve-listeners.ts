import type { AutomationDefinition, FactoryDefinition } from '../../domain/definitions/definition.ts';
import type { Diagnostic, Position } from '../../domain/definitions/diagnostic.ts';
import {
  isWebhookTrigger,
  type ProviderTrigger,
  type Trigger,
  type WebhookAccounts,
} from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import { findServingWebhooks, pickServingKeys, readAccounts, type ServingKeys } from './serving-webhooks.ts';

/** The rule of the only warnings that need the inventory. */
export const UNKNOWN_UID = 'automation/unknown-uid';

/** What triggers refer to, and what the factory says about those of providers. */
export interface ListenedTo {
  uids: ReadonlyMap<string, WebhookUid>;
  /** The UIDs of `uids`. */
  existing: ReadonlySet<string>;
  webhooks: readonly (ServingKeys & { name: string })[];
  /** What the webhooks say about accounts, by UID. */
  accounts: ReadonlyMap<string, WebhookAccounts>;
  /** As in `FactoryDefinition`. */
  repositories: readonly string[] | null;
}

/** @param uids of the webhooks of the definition, by name */
export function collectListenedTo(
  { webhooks, repositories }: Pick<FactoryDefinition, 'repositories'> & Pick<ListenedTo, 'webhooks'>,
  uids: ReadonlyMap<string, WebhookUid>,
): ListenedTo {
  const accounts = webhooks.flatMap((webhook) => {
    const read = readAccounts(webhook);
    return read === null ? [] : [[uids.get(webhook.name)!, read] as const];
  });
  return {
    uids,
    existing: new Set(uids.values()),
    webhooks: webhooks.map(pickServingKeys),
    accounts: new Map(accounts),
    repositories,
  };
}

/** The triggers of an automation with what the factory says about them, their webhooks, and warnings about unknown UIDs. */
export interface ResolvedListeners {
  triggers: Trigger[];
  listensTo: WebhookUid[][];
  warnings: Diagnostic[];
}

/**
 * Resolves the webhooks of each trigger: the union of `webhooks` (names) and `webhook_ids` (UIDs), or those that serve the
 * provider. A UID that no webhook of the factory has is a warning: the automation stays visible, but does not fire for it.
 */
export function resolveListeners(automation: AutomationDefinition, listened: ListenedTo): ResolvedListeners {
  const warnings: Diagnostic[] = [];
  const listensTo = automation.triggers.map((trigger, index) => {
    if (!isWebhookTrigger(trigger)) return listServing(trigger, listened);
    for (const [entry, uid] of trigger.webhookIds.entries()) {
      const path = `triggers[${index}].filter.webhook_ids[${entry}]`;
      if (!listened.existing.has(uid))
        warnings.push(warnUnknownUid(automation, automation.places.get(path) ?? trigger.at, path, uid));
    }
    const named = trigger.webhooks.flatMap((name) => listened.uids.get(name) ?? []);
    const present = trigger.webhookIds.filter((uid) => listened.existing.has(uid)) as WebhookUid[];
    return [...new Set([...present, ...named])];
  });
  const triggers = automation.triggers.map((trigger, index) => addContext(trigger, listensTo[index]!, listened));
  return { triggers, listensTo, warnings };
}

function listServing({ provider }: ProviderTrigger, { webhooks, uids }: ListenedTo): WebhookUid[] {
  return findServingWebhooks(provider, webhooks).map(({ name }) => uids.get(name)!);
}

/** Adds only what matters, so that rows of other automations stay as they are if a webhook or `factory.yaml` changes. */
function addContext(
  trigger: Trigger,
  listensTo: readonly WebhookUid[],
  { accounts, repositories }: ListenedTo,
): Trigger {
  const stated = listensTo.flatMap((uid) => {
    const of = accounts.get(uid);
    return of === undefined ? [] : [[uid, of] as const];
  });
  const isScoped = !isWebhookTrigger(trigger) && listensTo.length > 0 && repositories !== null;
  return {
    ...trigger,
    ...(stated.length === 0 ? {} : { accounts: Object.fromEntries(stated) }),
    ...(isScoped ? { repositories: [...repositories] } : {}),
  };
}

function warnUnknownUid(
  { file }: AutomationDefinition,
  { line, column }: Position,
  path: string,
  uid: string,
): Diagnostic {
  return {
    severity: 'warning',
    rule: UNKNOWN_UID,
    file,
    line,
    column,
    path,
    message: `no webhook of this factory has the UID ${uid}: the automation does not fire from it`,
    hint: 'take the UID from `dockbell webhook list`, or select the webhook by file name under `webhooks`',
  };
}
