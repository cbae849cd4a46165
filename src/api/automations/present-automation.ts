import type { AppliedAutomation } from '../../core/applied.ts';
import type { Trigger } from '../../core/definition.ts';
import { isWebhookTrigger } from '../../core/definition.ts';
import type { WebhookUid } from '../../core/ids.ts';
import { formatInstant } from '../../core/time/clock.ts';
import { presentFile } from '../factories/factory-source.ts';

/** An automation as the interfaces show it. */
export function presentAutomation(automation: AppliedAutomation, findSource: Parameters<typeof presentFile>[1]) {
  const file = presentFile(automation, findSource);
  const isWritten = file !== null;
  return {
    name: automation.name,
    factory: automation.factory,
    description: automation.description,
    enabled: automation.enabled,
    agent: automation.agent,
    triggers: automation.triggers.map((trigger, i) =>
      presentTrigger(trigger, automation.listensTo[i] ?? [], isWritten),
    ),
    prompt: automation.prompt,
    overrides: automation.overrides,
    file,
    revision: automation.revision,
    updated_at: formatInstant(automation.updatedAt),
    warnings: automation.warnings,
  };
}

/** A trigger of another provider is shown as it was written, marked as handled elsewhere. */
function presentTrigger(trigger: Trigger, listensTo: readonly WebhookUid[], isWritten: boolean) {
  if (!isWebhookTrigger(trigger)) {
    return { ...trigger.declared, provider: trigger.provider, listens_to: [], handled_elsewhere: true };
  }
  return {
    provider: trigger.provider,
    event: trigger.event,
    filter: { webhook_ids: trigger.webhookIds, webhooks: trigger.webhooks, payload: trigger.payload },
    line: isWritten ? trigger.at.line : null,
    listens_to: listensTo,
    handled_elsewhere: false,
  };
}
