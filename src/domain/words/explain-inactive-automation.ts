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
