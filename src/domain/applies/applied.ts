import type { AgentFileSet } from '../definitions/agent-files.ts';
import type { AppliedAutomation } from '../resources/automation.ts';
import type { AppliedWebhook } from '../resources/webhook.ts';

/** The version of a secret that the provider has not issued yet. Its webhook is disabled. */
export const NO_VERSION = 0;

/** The applied webhooks and automations of one factory. */
export interface AppliedFactory {
  name: string;
  revision: string | null;
  /**
   * Number of the last apply, 0 before the first. A delivery stores the number of the apply that was live, to find the
   * listeners of that time.
   */
  applyNumber: number;
  webhooks: AppliedWebhook[];
  automations: AppliedAutomation[];
  /** The files that the runs of `revision` get. */
  agentFiles: AgentFileSet;
}
