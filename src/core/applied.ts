import type { AppliedAutomation } from './resources/automation.ts';
import type { AppliedWebhook } from './resources/webhook.ts';

/** The version of a secret that the provider has not issued yet. Its webhook is disabled. */
export const NO_VERSION = 0;

/** The applied webhooks and automations of one factory. */
export interface AppliedFactory {
  name: string;
  revision: string | null;
  webhooks: AppliedWebhook[];
  automations: AppliedAutomation[];
}
