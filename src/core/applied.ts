import type { AutomationDefinition, WebhookDefinition } from './definition.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { WebhookUid } from './ids.ts';

/** Stands for the version of a secret that the provider has not issued yet; its webhook is disabled. */
export const NO_VERSION = 0;

/** A webhook as the last apply left it. Deleted ones stay, so that a file that comes back gets its UID again. */
export interface AppliedWebhook extends Omit<WebhookDefinition, 'secretNameAt' | 'verifyTokenSecretNameAt'> {
  /** Short number of the row, for the tables of the hot path. Assigned by the storage. */
  ref: number;
  uid: WebhookUid;
  factory: string;
  /** The version of the secret that the last apply resolved and that authenticates until the next. */
  secretVersion: number;
  /** The same of `verifyTokenSecretName`; `null` where there is none. */
  verifyTokenSecretVersion: number | null;
  /** Commit of the last apply that changed this webhook; `null` for definitions that live in no repository. */
  revision: string | null;
  createdAt: number;
  updatedAt: number;
  /** Wall time in milliseconds; `null` while it exists. */
  deletedAt: number | null;
}

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
