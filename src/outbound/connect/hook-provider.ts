import type { ConnectionFieldName } from '../../domain/ports/webhook-connector.ts';
import type { BodyFormat } from '../../domain/resources/webhook.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { ProviderApi } from './provider-api.ts';

/** A webhook as a provider reports it. `null` stands for what the provider does not report. */
export interface RegisteredHook {
  id: string;
  url: string;
  contentType: BodyFormat | null;
  /** As the provider registers them; `*` for all. */
  events: string[];
  /** All events that this provider can register; `null` if it does not report them. */
  knownEvents: string[] | null;
  active: boolean;
  verifiesTls: boolean | null;
  /** Whether it has a secret, or the secret itself. */
  secret: 'set' | 'missing' | 'unknown' | SecretValue;
}

/** What the webhook at the provider has to be. */
export interface WantedHook {
  url: string;
  contentType: BodyFormat;
  events: string[];
  /** Are these all events, because a trigger accepts each? */
  isAll: boolean;
  scheme: string;
  secret: SecretValue;
}

/** The webhooks of one target at a provider. */
export interface HookRegistry {
  /** As the provider names it. */
  target: string;
  /** The webhooks of the target, on all pages. */
  list(): Promise<RegisteredHook[]>;
  /** Returns what the provider reports then. */
  create(wanted: WantedHook): Promise<RegisteredHook>;
  /** Changes these fields, and sends the secret if one of them is `secret`. Returns what the provider reports then. */
  update(hook: RegisteredHook, wanted: WantedHook, fields: ReadonlySet<ConnectionFieldName>): Promise<RegisteredHook>;
}

/** Where a delivery has the name of its event, and how the provider registers events of this name. */
export interface EventPlace {
  /** Name of a header, in any letter case. */
  header?: string;
  /** Path of the payload. */
  path?: string;
  /** Registered names by the name in deliveries; `null` if they are the same. */
  registeredAs: ReadonlyMap<string, readonly string[]> | null;
}

/** Settings of a factory in `dockbell.yaml` that need events: pushes to its repository, and its pull requests. */
export type FactorySetting = 'pushWebhook' | 'pullRequests';

/** The events that a provider can register. */
export interface EventTable {
  /** The first place is the one of trigger events. */
  places: readonly EventPlace[];
  /** The event that a setting of the factory needs, as the provider registers it; `null` if it has none. */
  settings: Readonly<Record<FactorySetting, string | null>>;
  /** What registers all events. */
  all: readonly string[];
  /** Why the API cannot register an event, as a whole sentence for the reader. By the name in deliveries. */
  unregistrable: ReadonlyMap<string, string>;
}

/** A provider with an API for webhooks. */
export interface HookProvider {
  /** The name for people. */
  title: string;
  /** Base URL of the public API. */
  apiUrl: string;
  /** How the base URL of every API of this provider ends. */
  apiEnding?: string;
  /** The signature schemes whose secret can be sent to the provider. */
  schemes: readonly string[];
  bodyFormats: readonly BodyFormat[];
  /** Forms of a target, for errors. */
  targetForms: string;
  events: EventTable;
  /** What to do if it has disabled a webhook and the API cannot enable it; `null` if the API can. */
  enableByHand: string | null;
  /** The header that authenticates with this token. */
  authorize(token: string): string;
  /** The registry of a target; `null` for a text that is no target. */
  open(api: ProviderApi, target: string, scheme: string): HookRegistry | null;
}
