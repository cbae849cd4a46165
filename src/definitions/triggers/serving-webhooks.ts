import type { WebhookAccounts } from '../../domain/definitions/trigger.ts';
import type { DeclaredWebhook } from '../../domain/resources/webhook.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';
import { servedProvider } from './served-provider.ts';

/** The keys of a webhook that decide which provider triggers it serves, and what it says about accounts. */
export type ServingKeys = Pick<
  DeclaredWebhook,
  'serves' | 'signatureScheme' | 'names' | 'botUsername' | 'ignoreActors'
>;

/**
 * The webhooks of a factory that serve the triggers of a provider, disabled ones included. None serves a provider without a
 * table of events. (Provider triggers, section 5.)
 */
export function findServingWebhooks<Webhook extends ServingKeys>(
  provider: string,
  webhooks: readonly Webhook[],
): Webhook[] {
  const wanted = TRIGGER_PROVIDERS.get(provider);
  if (wanted === undefined) return [];
  return webhooks.filter((webhook) => TRIGGER_PROVIDERS.get(servedProvider(webhook) ?? '') === wanted);
}

/** What the webhook says about accounts of the provider that it serves; `null` if nothing. */
export function readAccounts(webhook: ServingKeys): WebhookAccounts | null {
  const { names, botUsername, ignoreActors } = webhook;
  const provider = servedProvider(webhook);
  if (provider === null || (names === null && botUsername === null && ignoreActors.length === 0)) return null;
  return {
    provider,
    ...(names === null ? {} : { names }),
    ...(botUsername === null ? {} : { botUsername }),
    ...(ignoreActors.length === 0 ? {} : { ignoreActors }),
  };
}

/** Factories with the same ones serve the same triggers. */
export function pickServingKeys(webhook: ServingKeys & { name: string }): ServingKeys & { name: string } {
  const { name, serves, signatureScheme, names, botUsername, ignoreActors } = webhook;
  return { name, serves, signatureScheme, names, botUsername, ignoreActors };
}
