import type { WebhookUid } from '../ids.ts';
import type { Json } from '../json.ts';

/** One changed key. Secrets appear by name, never by value. */
export interface PlanChange {
  key: string;
  from: Json;
  to: Json;
}

/** One definition that an apply creates, updates or deletes. */
export interface PlanEntry {
  name: string;
  /** UID of a webhook that was applied before; `null` for automations and new webhooks. */
  uid: WebhookUid | null;
  /** Whether a deleted webhook is restored with its earlier UID. */
  restored: boolean;
  changes: PlanChange[];
}

/** The changes of an apply to one kind of definition. */
export interface PlanSection {
  create: PlanEntry[];
  update: PlanEntry[];
  delete: PlanEntry[];
}

/** Paths of files that an apply adds, replaces and removes. */
export interface FileChanges {
  create: string[];
  update: string[];
  delete: string[];
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
