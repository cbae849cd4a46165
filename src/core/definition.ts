import type { Json, JsonObject } from './json.ts';
import type { DeclaredWebhook } from './resources/webhook.ts';
import type { LintSettings } from './rules.ts';

/** Where in its file something stands; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

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

/** A trigger that listens to webhooks of this factory. `filter` as in the specification, "Webhook trigger". */
export interface WebhookTrigger {
  provider: 'webhook';
  event: 'received';
  /** UIDs named by the file, in its order. */
  webhookIds: string[];
  /** Names of webhooks of the same factory, resolved to UIDs when the definition applies. */
  webhooks: string[];
  /** The payload filter as written; `null` where the trigger has none. */
  payload: JsonObject | null;
  /** Where the lists of webhooks stand, for findings about UIDs. */
  at: Position;
}

/** A trigger of another provider: valid, listed as "handled elsewhere", starts nothing here. */
export interface ForeignTrigger {
  provider: string;
  /** The trigger as written. */
  declared: JsonObject;
}

export type Trigger = WebhookTrigger | ForeignTrigger;

export function isWebhookTrigger(trigger: Trigger): trigger is WebhookTrigger {
  return trigger.provider === 'webhook';
}

/** Front matter keys that are handed to the run unchanged. */
export const EXECUTION_OVERRIDES = [
  'model',
  'harness',
  'runner',
  'environmentId',
  'secrets',
  'mcpServers',
  'workerHost',
] as const;

/** An automation as its file declares it, defaults filled in. */
export interface AutomationDefinition {
  /** Name of its folder under `automations/`. */
  name: string;
  file: string;
  description: string | null;
  enabled: boolean;
  /** `null` is the foreman. */
  agent: string | null;
  triggers: Trigger[];
  /** The body of the file. */
  prompt: string;
  /** Those of `EXECUTION_OVERRIDES` that the file sets. */
  overrides: { [key: string]: Json };
  /**
   * Where the entries of `secrets` and `webhook_ids` and the keys of payload filters stand, by key path (`formatKeyPath`),
   * for findings that only the secret store, the inventory or stored deliveries can make.
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
