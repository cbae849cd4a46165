import type { AppliedAutomation } from './resources/automation.ts';
import type { AppliedWebhook } from './resources/webhook.ts';

/** Stands for the version of a secret that the provider has not issued yet; its webhook is disabled. */
export const NO_VERSION = 0;

/** The inventory of one factory: what we own and applied. */
export interface AppliedFactory {
  name: string;
  revision: string | null;
  webhooks: AppliedWebhook[];
  automations: AppliedAutomation[];
}
