import {
  isWebhookTrigger,
  type ProviderTrigger,
  scheduleOf,
  type Trigger,
  type TriggerService,
  type WebhookTrigger,
} from '../../domain/definitions/trigger.ts';
import { findNote, nameTrigger } from './describe-events.ts';
import { explainServing, type ServingWebhook, sayObstacle } from './explain-serving.ts';

/** The webhooks of a factory, and its repositories. */
interface FactoryParts {
  webhooks: readonly (ServingWebhook & { uid?: string })[];
  /** As in `FactoryDefinition`. */
  repositories: readonly string[] | null;
}

/** Which webhooks start the triggers of an automation, in their order. */
export function describeServices(
  { name, triggers }: { name: string; triggers: readonly Trigger[] },
  factory: FactoryParts,
): TriggerService[] {
  return triggers.map((trigger) => ({
    automation: name,
    ...(isWebhookTrigger(trigger) ? describeWebhooks(trigger, factory) : describeService(trigger, factory)),
  }));
}

type Service = Omit<TriggerService, 'automation'>;

/** Which webhooks start a provider trigger. */
export function describeService(
  trigger: Pick<ProviderTrigger, 'provider' | 'declared'>,
  { webhooks, repositories }: FactoryParts,
): Service {
  const schedule = scheduleOf(trigger);
  // The daemon is its own source of ticks.
  if (schedule !== null)
    return { trigger: `schedule ${schedule.name ?? schedule.cron}`, servedBy: [], reason: null, note: null };
  const { servedBy, obstacles } = explainServing(trigger, webhooks, repositories);
  const reason = servedBy.length > 0 || obstacles[0] === undefined ? null : sayObstacle(obstacles[0]);
  return {
    trigger: nameTrigger(trigger.declared),
    servedBy: servedBy.map(({ name }) => name),
    reason,
    note: findNote(trigger.declared),
  };
}

/** UIDs are known only for webhooks that were applied. */
function describeWebhooks({ webhooks: names, webhookIds }: WebhookTrigger, { webhooks }: FactoryParts): Service {
  const selected = webhooks.filter(({ name, uid }) => names.includes(name) || (uid && webhookIds.includes(uid)));
  const servedBy = selected.filter(({ enabled }) => enabled).map(({ name }) => name);
  const unknown = webhookIds.filter((one) => !webhooks.some(({ uid }) => uid === one));
  if (servedBy.length > 0 || unknown.length > 0)
    return { trigger: 'webhook', servedBy: [...servedBy, ...unknown], reason: null, note: null };
  return { trigger: 'webhook', servedBy, reason: 'all its webhooks are disabled', note: null };
}
