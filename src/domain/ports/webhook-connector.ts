import type { SecretValue } from '../secrets/secret-value.ts';
import type { WebhookView } from './inventory.ts';

/** Providers at which Dockbell creates and updates webhooks, by their names in triggers. */
export const CONNECT_PROVIDERS = ['github', 'gitlab', 'linear'] as const;
export type ConnectProvider = (typeof CONNECT_PROVIDERS)[number];

/** Where a webhook of the factory is registered, and with whose permission. */
export interface ConnectOrder {
  provider: ConnectProvider;
  /** A repository, an organization, a project, a group or a team, as people write it. */
  target: string;
  /** Base URL of the API; `null` for the public one of the provider. */
  apiUrl: string | null;
  /** Token of the provider. Used for this order only. */
  token: SecretValue;
  /** Send the secret even if nothing else differs. */
  sendSecret: boolean;
}

/** What a webhook at a provider consists of. `other_webhooks`: further ones that post to the same webhook. */
export const CONNECTION_FIELDS = [
  'url',
  'content_type',
  'events',
  'active',
  'tls_verification',
  'secret',
  'other_webhooks',
] as const;
export type ConnectionFieldName = (typeof CONNECTION_FIELDS)[number];

/**
 * `same`: nothing to do. `change`: an apply changes it. `send`: the provider does not report it, and an apply sends it.
 * `unknown`: the provider does not report it, and an apply leaves it. `manual`: only a person can change it.
 */
export const CONNECTION_STATES = ['same', 'change', 'send', 'unknown', 'manual'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** A field of the webhook at the provider. Values are texts for people, without secrets. */
export interface ConnectionField {
  field: ConnectionFieldName;
  /** `null` if the provider has no webhook yet, or does not report the field. */
  registered: string[] | null;
  wanted: string[];
  state: ConnectionState;
  /** What a person has to do; `null` for every state but `manual`. */
  remedy: string | null;
}

/** Why an event is registered. */
export interface NeededEvent {
  /** As the provider registers it. */
  event: string;
  /** `null` for a setting of the factory. */
  automation: string | null;
  /** For example `github issue_labeled` or `webhook`; or the setting: `pushWebhook`, `pullRequests`. */
  trigger: string;
}

/** The difference between the webhook at the provider and what the factory needs. */
export interface ConnectionPlan {
  provider: ConnectProvider;
  /** As the provider names it, for example `acme/api`. */
  target: string;
  apiUrl: string;
  action: 'create' | 'change' | 'none';
  /** ID of the webhook at the provider; `null` if it has none. */
  hook: string | null;
  /** Whether no field has the state `change` or `manual`. */
  inSync: boolean;
  fields: ConnectionField[];
  neededBy: NeededEvent[];
  /** What the reader has to know, one sentence each. */
  notes: string[];
  secret: { name: string; version: number };
  /** Identifies this difference. */
  digest: string;
}

/** Creates and updates webhooks at providers, with the secret that the webhook checks now. */
export interface WebhookConnector {
  /**
   * The difference. Changes nothing. Throws `bad_request` for a target or an API URL of another form. Throws
   * `cannot_connect` if the webhook cannot be registered at the provider, and a code that begins with `provider_` if the provider does
   * not answer as expected.
   */
  plan(webhook: WebhookView, order: ConnectOrder): Promise<ConnectionPlan>;
  /**
   * Makes the difference that `digest` names, and returns it with the ID of the webhook at the provider. Throws
   * `precondition_failed`, and changes nothing, if the difference is another one now; otherwise as `plan`.
   */
  apply(webhook: WebhookView, order: ConnectOrder, digest: string): Promise<ConnectionPlan>;
}
