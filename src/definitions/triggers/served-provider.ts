import { type AppliedWebhook, SERVES } from '../../domain/resources/webhook.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';

const PROVIDER_OF_SCHEME: ReadonlyMap<string, string> = new Map(
  SERVES.flatMap((name) => (TRIGGER_PROVIDERS.get(name)?.schemes ?? []).map((scheme) => [scheme, name])),
);

/**
 * The name in `TRIGGER_PROVIDERS` of the provider whose triggers the webhook serves: what its file says, otherwise the
 * provider of its scheme. `null` if it serves none (provider triggers, "Which webhook serves which trigger").
 */
export function servedProvider({
  serves,
  signatureScheme,
}: Pick<AppliedWebhook, 'serves' | 'signatureScheme'>): string | null {
  if (serves !== null) return serves === 'none' ? null : serves;
  return PROVIDER_OF_SCHEME.get(signatureScheme ?? '') ?? null;
}
