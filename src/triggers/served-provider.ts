import { type AppliedWebhook, SERVES } from '../core/resources/webhook.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';
import type { SuccessAnswer } from './trigger-event.ts';

const PROVIDER_OF_SCHEME: ReadonlyMap<string, string> = new Map(
  SERVES.flatMap((name) => (TRIGGER_PROVIDERS.get(name)?.schemes ?? []).map((scheme) => [scheme, name])),
);

type ServingKeys = Pick<AppliedWebhook, 'serves' | 'signatureScheme'>;

/**
 * The name in `TRIGGER_PROVIDERS` of the provider whose triggers the webhook serves: what its file says, otherwise the
 * provider of its scheme. `null` if it serves none (provider triggers, "Which webhook serves which trigger").
 */
export function servedProvider({ serves, signatureScheme }: ServingKeys): string | null {
  if (serves !== null) return serves === 'none' ? null : serves;
  return PROVIDER_OF_SCHEME.get(signatureScheme ?? '') ?? null;
}

const ACCEPTED: SuccessAnswer = { status: 202, body: null };

/**
 * What senders of the webhook get for a stored delivery. The provider of the scheme decides first, because it sends the
 * requests, also if the webhook serves another one.
 */
export function findSuccessAnswer(webhook: ServingKeys): SuccessAnswer {
  const names = [PROVIDER_OF_SCHEME.get(webhook.signatureScheme ?? ''), servedProvider(webhook)];
  const answers = names.map((name) => TRIGGER_PROVIDERS.get(name ?? '')?.success);
  return answers.find((answer) => answer !== undefined) ?? ACCEPTED;
}
