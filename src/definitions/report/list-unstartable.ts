import type { AutomationDefinition, WebhookDefinition } from '../../core/definition.ts';
import { isWebhookTrigger } from '../../core/trigger.ts';
import { explainInactiveAutomation } from '../../words/explain-inactive-automation.ts';

/** An automation that no delivery can start here, and why. */
export interface Unstartable {
  automation: string;
  /** Sentences, the most serious first. */
  reasons: string[];
}

/** What decides whether deliveries can start the automations of a definition. */
export interface StartableParts {
  webhooks: readonly Pick<WebhookDefinition, 'name' | 'enabled'>[];
  automations: readonly Pick<AutomationDefinition, 'name' | 'enabled' | 'triggers'>[];
}

/**
 * The automations of a valid definition that no delivery can start here.
 *
 * @param uids the UID of each webhook by its name. Without it, each UID in a trigger counts as an enabled webhook.
 */
export function listUnstartable(
  { webhooks, automations }: StartableParts,
  uids: ReadonlyMap<string, string> | null = null,
): Unstartable[] {
  const uidOf = (name: string) => uids?.get(name) ?? name;
  const known = webhooks.map(({ name, enabled }) => ({ uid: uidOf(name), name, enabled }));
  return automations.flatMap(({ name, enabled, triggers }) => {
    const selected = triggers.filter(isWebhookTrigger).flatMap(({ webhookIds }) => webhookIds);
    const assumed = uids === null ? selected.map((uid) => ({ uid, name: uid, enabled: true })) : [];
    const facts = triggers.map((trigger) => {
      if (!isWebhookTrigger(trigger)) return { handled_elsewhere: true as const, provider: trigger.provider };
      const { webhookIds, webhooks: names } = trigger;
      const listensTo = [...webhookIds, ...names.map(uidOf)];
      return { handled_elsewhere: false as const, listens_to: listensTo, filter: { webhook_ids: webhookIds } };
    });
    const { isInactive, reasons } = explainInactiveAutomation({ enabled, triggers: facts }, [...known, ...assumed]);
    return isInactive ? [{ automation: name, reasons }] : [];
  });
}
