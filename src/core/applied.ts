import type { AutomationDefinition } from './definition.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { WebhookUid } from './ids.ts';
import type { AppliedWebhook } from './resources/webhook.ts';

/** Stands for the version of a secret that the provider has not issued yet; its webhook is disabled. */
export const NO_VERSION = 0;

/** An automation as the last apply left it. */
export interface AppliedAutomation extends Omit<AutomationDefinition, 'places'> {
  /** Number of the stored version (prompt and overrides) that new runs refer to. Assigned by the storage. */
  version: number;
  factory: string;
  /** Per webhook trigger, in the order of `triggers`: the UIDs it listens to; empty for foreign triggers. */
  listensTo: WebhookUid[][];
  revision: string | null;
  updatedAt: number;
  /** What the last apply had to say about it: UIDs that are gone, secrets it lists that do not exist. */
  warnings: Diagnostic[];
}

/** The inventory of one factory: what we own and applied. */
export interface AppliedFactory {
  name: string;
  revision: string | null;
  webhooks: AppliedWebhook[];
  automations: AppliedAutomation[];
}
