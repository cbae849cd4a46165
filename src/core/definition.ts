import type { Position } from './diagnostic.ts';
import type { DeclaredAutomation } from './resources/automation.ts';
import type { DeclaredWebhook } from './resources/webhook.ts';
import type { LintSettings } from './rules.ts';

/** A webhook as its file declares it, defaults filled in. */
export interface WebhookDefinition extends DeclaredWebhook {
  /** The file name without `.yaml`. */
  name: string;
  /** Path relative to the root of the repository. */
  file: string;
  /** Position of the value of `secretName`, for findings that only the secret store can make. */
  secretNameAt: Position;
  /** Position of the value of `verifyTokenSecretName`; `null` if the file has no such key. */
  verifyTokenSecretNameAt: Position | null;
}

/** An automation as its file declares it, defaults filled in. */
export interface AutomationDefinition extends DeclaredAutomation {
  /**
   * Positions of the entries of `secrets` and `webhook_ids` and of the keys of payload filters, by key path
   * (`formatKeyPath`), for findings that only the secret store, the inventory or stored deliveries can make.
   */
  places: ReadonlyMap<string, Position>;
}

/** All that one tree declares. */
export interface FactoryDefinition {
  /** What `factory.yaml` makes of the lint rules. */
  lint: LintSettings;
  webhooks: WebhookDefinition[];
  automations: AutomationDefinition[];
}
