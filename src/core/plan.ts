import type { WebhookUid } from './ids.ts';
import type { Json } from './json.ts';

/** One key that changes. Secrets appear by name, never by value. */
export interface PlanChange {
  key: string;
  from: Json;
  to: Json;
}

/** One definition that an apply creates, updates or deletes. */
export interface PlanEntry {
  name: string;
  /** UID of a webhook where it has one already; `null` for automations and for webhooks never applied before. */
  uid: WebhookUid | null;
  /** A deleted webhook that comes back under its earlier UID. */
  restored: boolean;
  changes: PlanChange[];
}

/** What an apply does to one kind of definition. */
export interface PlanSection {
  create: PlanEntry[];
  update: PlanEntry[];
  delete: PlanEntry[];
}

/** The computed difference between a definition and the inventory. */
export interface Plan {
  webhooks: PlanSection;
  automations: PlanSection;
}

export const EMPTY_PLAN: Plan = {
  webhooks: { create: [], update: [], delete: [] },
  automations: { create: [], update: [], delete: [] },
};
