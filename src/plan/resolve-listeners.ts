import type { AutomationDefinition } from '../core/definition.ts';
import type { Diagnostic, Position } from '../core/diagnostic.ts';
import type { WebhookUid } from '../core/ids.ts';
import { isWebhookTrigger } from '../core/trigger.ts';

/** The rule of the only warnings that need the inventory. */
export const UNKNOWN_UID = 'automation/unknown-uid';

/** The webhooks of each trigger of an automation, and warnings about unknown UIDs. */
export interface ResolvedListeners {
  listensTo: WebhookUid[][];
  warnings: Diagnostic[];
}

/**
 * Resolves `webhooks` (names) and `webhook_ids` (UIDs) to their union. A UID that no webhook of the factory has is a
 * warning: the automation stays visible, but does not fire for that UID.
 *
 * @param existing the UIDs of `uidByName`
 */
export function resolveListeners(
  automation: AutomationDefinition,
  uidByName: ReadonlyMap<string, WebhookUid>,
  existing: ReadonlySet<string> = new Set(uidByName.values()),
): ResolvedListeners {
  const warnings: Diagnostic[] = [];
  const listensTo = automation.triggers.map((trigger, index) => {
    if (!isWebhookTrigger(trigger)) return [];
    for (const [entry, uid] of trigger.webhookIds.entries()) {
      const path = `triggers[${index}].filter.webhook_ids[${entry}]`;
      if (!existing.has(uid))
        warnings.push(warnUnknownUid(automation, automation.places.get(path) ?? trigger.at, path, uid));
    }
    const named = trigger.webhooks.flatMap((name) => uidByName.get(name) ?? []);
    const present = trigger.webhookIds.filter((uid) => existing.has(uid)) as WebhookUid[];
    return [...new Set([...present, ...named])];
  });
  return { listensTo, warnings };
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
