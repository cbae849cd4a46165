import type { Automation, Webhook } from '../../api/types.ts';

/** Why no delivery starts an automation, or not every one that should; empty where nothing is in the way. */
export function explainSilence(automation: Automation, webhooks: readonly Webhook[]): string[] {
  if (!automation.enabled) return ['It is disabled.'];
  const triggers = automation.triggers.filter((trigger) => !trigger.handled_elsewhere);
  if (triggers.length === 0) return ['It has no webhook trigger. Triggers of other providers are handled elsewhere.'];
  const heard = new Set(triggers.flatMap(({ listens_to }) => listens_to));
  const silent = webhooks.filter(({ uid, enabled }) => heard.has(uid) && !enabled);
  return [
    ...silent.map(({ name }) => `The webhook ${name} is disabled, so its senders get 404.`),
    ...automation.warnings.map(({ message }) => message),
  ];
}
