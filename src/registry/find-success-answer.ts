import type { AppliedWebhook } from '../core/resources/webhook.ts';
import type { SuccessAnswer } from '../signature/scheme.ts';
import { findScheme } from '../signature/schemes/schemes.ts';
import { TRIGGER_PROVIDERS } from '../triggers/providers.ts';
import { servedProvider } from '../triggers/served-provider.ts';

const ACCEPTED: SuccessAnswer = { status: 202, body: null };

/**
 * What senders of the webhook get for a stored delivery. The scheme decides first, because its provider sends the requests,
 * also if the webhook serves another one.
 */
export function findSuccessAnswer(webhook: Pick<AppliedWebhook, 'serves' | 'signatureScheme'>): SuccessAnswer {
  const served = TRIGGER_PROVIDERS.get(servedProvider(webhook) ?? '')?.schemes ?? [];
  const answers = [webhook.signatureScheme, ...served].map((name) => findScheme(name ?? '')?.success);
  return answers.find((answer) => answer !== undefined) ?? ACCEPTED;
}
