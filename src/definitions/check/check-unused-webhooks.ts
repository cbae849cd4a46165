import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import { isWebhookTrigger } from '../../domain/definitions/trigger.ts';
import type { FileDiagnostics } from '../file-diagnostics.ts';
import { findServingWebhooks } from '../triggers/serving-webhooks.ts';
import { FILE_START } from '../yaml/positions.ts';
import type { CheckedAutomation } from './check-references.ts';
import type { References } from './references.ts';

/** A webhook whose file was read, and the diagnostics of the file. */
export interface CheckedWebhook {
  /** `null` if the webhook is invalid. */
  definition: WebhookDefinition | null;
  diagnostics: FileDiagnostics;
}

/**
 * Reports every enabled webhook without a matching trigger in an enabled automation.
 *
 * @param used of `collectUsedWebhooks`
 */
export function checkUnusedWebhooks(webhooks: readonly CheckedWebhook[], used: ReadonlySet<string> | null): void {
  if (used === null) return;
  for (const { definition, diagnostics } of webhooks) {
    if (!definition?.enabled || used.has(definition.name)) continue;
    const message =
      'No enabled automation has a trigger for this webhook. Its deliveries are accepted, but start nothing.';
    const hint = 'List the webhook under "webhooks" in a trigger, set "enabled: false", or remove the file.';
    diagnostics.add({ rule: 'webhook/unheard', at: FILE_START, path: [], message, hint });
  }
}

/**
 * The names of all declared webhooks in triggers of enabled automations. `null` if that is not known: an automation that could not be
 * read, or a trigger with an unknown UID, may match any webhook.
 */
export function collectUsedWebhooks(
  automations: readonly CheckedAutomation[],
  { namesByUid, declared, webhooks: files }: Pick<References, 'namesByUid' | 'declared' | 'webhooks'>,
): Set<string> | null {
  const used = new Set<string>();
  for (const { definition } of automations) {
    if (definition === null) return null;
    if (!definition.enabled) continue;
    for (const trigger of definition.triggers) {
      if (!isWebhookTrigger(trigger)) {
        for (const { name } of findServingWebhooks(trigger.provider, [...files.values()])) used.add(name);
        continue;
      }
      const { webhooks, webhookIds } = trigger;
      for (const name of webhooks) if (declared.has(name)) used.add(name);
      for (const uid of webhookIds) {
        const name = namesByUid.get(uid);
        if (name === undefined) return null;
        used.add(name);
      }
    }
  }
  return used;
}
