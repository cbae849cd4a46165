import type { SuccessAnswer } from '../../definitions/signature/scheme.ts';
import { findScheme } from '../../definitions/signature/schemes/schemes.ts';
import { TRIGGER_PROVIDERS } from '../../definitions/triggers/providers.ts';
import { servedProvider } from '../../definitions/triggers/served-provider.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';

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
