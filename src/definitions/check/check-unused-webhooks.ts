import type { WebhookDefinition } from '../../core/definition.ts';
import { isWebhookTrigger } from '../../core/trigger.ts';
import { FILE_START } from '../../yaml/positions.ts';
import type { Findings } from '../findings.ts';
import type { CheckedAutomation, References } from './check-references.ts';

/** A webhook that was read, and the findings of its file. */
export interface CheckedWebhook {
  definition: WebhookDefinition;
  findings: Findings;
}

/**
 * Reports every enabled webhook that no enabled automation listens to. Nothing where an automation could not be read or
 * names a UID that nothing is known about: either may be the listener.
 */
export function checkUnusedWebhooks(
  webhooks: readonly CheckedWebhook[],
  automations: readonly CheckedAutomation[],
  references: References,
): void {
  const heard = collectUsedWebhooks(automations, references);
  if (heard === null) return;
  for (const { definition, findings } of webhooks) {
    if (!definition.enabled || heard.has(definition.name)) continue;
    const message = 'No enabled automation listens to this webhook: its deliveries are accepted and start nothing.';
    const hint = 'List it under "webhooks" in a trigger, set "enabled: false", or remove the file.';
    findings.add({ rule: 'webhook/unheard', at: FILE_START, path: [], message, hint });
  }
}

function collectUsedWebhooks(
  automations: readonly CheckedAutomation[],
  { namesByUid }: References,
): Set<string> | null {
  const heard = new Set<string>();
  for (const { definition } of automations) {
    if (definition === null) return null;
    if (!definition.enabled) continue;
    for (const { webhooks, webhookIds } of definition.triggers.filter(isWebhookTrigger)) {
      const named = webhookIds.map((uid) => namesByUid.get(uid));
      for (const name of [...webhooks, ...named]) {
        if (name === undefined) return null;
        heard.add(name);
      }
    }
  }
  return heard;
}
