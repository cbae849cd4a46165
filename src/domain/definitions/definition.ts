import type { DeclaredAutomation } from '../resources/automation.ts';
import type { DeclaredWebhook } from '../resources/webhook.ts';
import type { LintSettings } from '../rules.ts';
import type { Position } from './diagnostic.ts';

/** A webhook as its file declares it, defaults filled in. */
export interface WebhookDefinition extends DeclaredWebhook {
  /** The file name without `.yaml`. */
  name: string;
  /** Path relative to the root of the repository. */
  file: string;
  /** Position of the value of `secretName`, for diagnostics from the secret store. */
  secretNameAt: Position;
  /** Position of the value of `verifyTokenSecretName`; `null` if the file has no such key. */
  verifyTokenSecretNameAt: Position | null;
}

/** An automation as its file declares it, defaults filled in. */
export interface AutomationDefinition extends DeclaredAutomation {
  /**
   * Positions of the entries of `secrets` and `webhook_ids` and of the keys of payload filters, by key path
   * (`formatKeyPath`). They are for diagnostics from the secret store, the inventory or stored deliveries.
   */
  places: ReadonlyMap<string, Position>;
}

/** The definition of a factory: everything that one tree declares. */
export interface FactoryDefinition {
  /** The settings of lint rules in `factory.yaml`. */
  lint: LintSettings;
  /** The repositories that `factory.yaml` lists, as `owner/name`; `null` if it has no such list. */
  repositories: string[] | null;
  webhooks: WebhookDefinition[];
  automations: AutomationDefinition[];
}
