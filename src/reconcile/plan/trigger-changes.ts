import { isDeepStrictEqual } from 'node:util';
import type { AppliedFactory } from '../../domain/applies/applied.ts';
import { type DeliveryFilter, type Listening, triggerFiltersByWebhook } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { AutomationRow, WebhookRow } from '../../domain/ports/inventory.ts';
import type { ComputedPlan } from './compute-plan.ts';

/** The filters that can start an automation, by webhook. A match of any filter suffices. */
export type StartingFilters = ReadonlyMap<WebhookUid, readonly DeliveryFilter[]>;

/** An automation that an apply changes so that other deliveries start it. */
export interface TriggerChange {
  automation: string;
  before: StartingFilters;
  after: StartingFilters;
}

/**
 * Automations that other deliveries start than before, including changes by an enabled, disabled or deleted webhook.
 */
export function listTriggerChanges(
  applied: AppliedFactory,
  { planned }: Pick<ComputedPlan, 'planned'>,
): TriggerChange[] {
  const before = collectAll(applied.automations, listOpen(applied.webhooks));
  const after = collectAll(planned.automations, listOpen(planned.webhooks));
  return [...new Set([...after.keys(), ...before.keys()])]
    .map((automation) => ({
      automation,
      before: before.get(automation) ?? NOTHING,
      after: after.get(automation) ?? NOTHING,
    }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}

const NOTHING: StartingFilters = new Map();

/** Webhooks that accept deliveries. */
export function listOpen(webhooks: readonly (WebhookRow & { deletedAt?: number | null })[]): ReadonlySet<WebhookUid> {
  const open = webhooks.filter(({ enabled, deletedAt }) => enabled && (deletedAt ?? null) === null);
  return new Set(open.map(({ uid }) => uid));
}

function collectAll(
  automations: readonly Pick<AutomationRow, 'name' | 'enabled' | 'triggers' | 'listensTo'>[],
  open: ReadonlySet<WebhookUid>,
): Map<string, StartingFilters> {
  return new Map(automations.map((automation) => [automation.name, collectFilters(automation, open)]));
}

/** The filters that can start the automation, by open webhook. A match of any filter suffices. */
export function collectFilters(
  { enabled, triggers, listensTo }: Pick<AutomationRow, 'enabled' | 'triggers' | 'listensTo'>,
  open: ReadonlySet<WebhookUid>,
): StartingFilters {
  return enabled ? collectOpenFilters({ triggers, listensTo }, open) : NOTHING;
}

/** Like `collectFilters`, but regardless of whether the automation is enabled. */
export function collectOpenFilters(listening: Listening<WebhookUid>, open: ReadonlySet<WebhookUid>): StartingFilters {
  return new Map([...triggerFiltersByWebhook(listening)].filter(([uid]) => open.has(uid)));
}
