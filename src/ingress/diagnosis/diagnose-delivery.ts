// The cause of a rejection. In: an entry of the log with its reason, and the request itself if a capture window
// (`ingress/log/capture-window.ts`) kept it. Out: the mistake and what to do, without any part of a secret. Without a captured
// request, the reason decides. With one, `definitions/signature/diagnose/diagnose-request.ts` undoes one mistake after another
// in a thread (`diagnosis-thread.ts`). `diagnose-upload.ts` does the same for a request that a person has.

import { diagnoseReason, type RequestDiagnosis } from '../../definitions/signature/diagnose/diagnose-request.ts';
import { BEARER } from '../../definitions/signature/diagnose/scheme-mistakes.ts';
import { isSignedChallenge } from '../../definitions/signature/handshakes/challenges.ts';
import { isSecretPlaceholder, signsUnverifiedChallenges } from '../../definitions/signature/handshakes/handshakes.ts';
import type { Scheme } from '../../definitions/signature/scheme.ts';
import { resolveScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { AppError } from '../../domain/errors.ts';
import type {
  CapturedRequest,
  DeliveryDiagnosis,
  DiagnoseDelivery,
  LocalCaptures,
} from '../../domain/ports/delivery-control.ts';
import type { InventoryReader, WebhookView } from '../../domain/ports/inventory.ts';
import type { Delivery } from '../../domain/resources/delivery.ts';
import { adviseOn, BODY_REASONS, type BodyReason } from '../../domain/words/delivery-reasons.ts';
import { type MistakeTrial, presentUnexplained, tryMistakes } from './try-mistakes.ts';

interface DiagnosisContext extends MistakeTrial {
  inventory: Pick<InventoryReader, 'webhook'>;
  captures: Pick<LocalCaptures, 'find'>;
}

/** Makes the service that says why a delivery was rejected, so that neither secret nor request leaves the daemon. */
export function createDeliveryDiagnosis(context: DiagnosisContext): DiagnoseDelivery {
  return async (delivery) => {
    const { label, webhookUid, reason } = delivery;
    if (label === 'Accepted' || label === 'Duplicate') {
      throw new AppError('conflict', `The delivery was not rejected; its label is ${label}.`);
    }
    if (label === null) {
      throw new AppError('conflict', 'The entry counts requests over the delivery rate, which were valid.');
    }
    if (label !== 'Rejected (auth)') return diagnoseOther(delivery);
    const webhook = await context.inventory.webhook(webhookUid);
    const scheme = webhook && schemeOf(webhook);
    const captured = context.captures.find(webhookUid, delivery.id);
    const found = webhook && scheme && captured && (await tryCaptured(context, webhook, scheme, captured));
    return found ?? concludeFromReason(delivery, webhook, scheme, reason ?? '');
  };
}

function diagnoseOther({ label, reason, detail }: Delivery): DeliveryDiagnosis {
  const particulars = detail === null ? '' : ` (${detail})`;
  if (label === 'Rejected (too large)') {
    const sentence = `The body is too large${particulars}. Ask the sender to send less, or increase \`limits.bodyBytes\`.`;
    return { mistake: 'too_large', sentence, tried: [] };
  }
  const mistake = reason !== null && Object.hasOwn(BODY_REASONS, reason) ? (reason as BodyReason) : 'invalid_json';
  const advice = adviseOn(BODY_REASONS[mistake], detail)!;
  return { mistake, sentence: `${advice} The credentials are valid.`, tried: [] };
}

/** `null` for tokens in the URL: nothing else of the request matters, so there is nothing to test. */
export function schemeOf({
  authMode,
  signatureScheme,
  signature,
}: Pick<WebhookView, 'authMode' | 'signatureScheme' | 'signature'>): Scheme | null {
  if (authMode === 'signature') return resolveScheme(signatureScheme, signature);
  return authMode === 'token' ? BEARER : null;
}

async function tryCaptured(
  context: DiagnosisContext,
  webhook: WebhookView,
  scheme: Scheme,
  { rawHeaders, body, publicUrl, receivedAt }: CapturedRequest,
): Promise<DeliveryDiagnosis | null> {
  const pinned = await context.secrets.open(webhook.secretName, webhook.secretVersion);
  if (pinned === null) return null;
  const special = findSpecialCase(webhook, pinned.reveal(), body);
  if (special !== null) return special;
  const secret = { name: webhook.secretName, version: webhook.secretVersion };
  const diagnosis = await tryMistakes(context, secret, { scheme, rawHeaders, body, publicUrl, nowMs: receivedAt });
  return diagnosis && present(diagnosis);
}

function findSpecialCase(webhook: WebhookView, secretText: string, body: Uint8Array): DeliveryDiagnosis | null {
  if (isSecretPlaceholder(webhook.signatureScheme, secretText)) {
    const sentence = `The webhook is waiting for the handshake that supplies its secret. Create the webhook at the provider, which then sends the handshake.`;
    return { mistake: 'awaited_secret', sentence, tried: [] };
  }
  if (!signsUnverifiedChallenges(webhook) || !isSignedChallenge(body)) return null;
  const sentence =
    'The body is a challenge of this provider, which is never a delivery. Let the provider send an event.';
  return { mistake: 'challenge', sentence, tried: [] };
}

function present(diagnosis: RequestDiagnosis): DeliveryDiagnosis {
  if (!diagnosis.ok) return presentUnexplained(diagnosis);
  const { mistake, sentence } = diagnosis;
  if (mistake !== 'none') return { mistake, sentence, tried: [] };
  const good = 'The request verifies with the current definition. Ask the sender to retry it.';
  return { mistake, sentence: good, tried: [] };
}

function concludeFromReason(
  { detail, webhookName }: Delivery,
  webhook: WebhookView | null,
  scheme: Scheme | null,
  reason: string,
): DeliveryDiagnosis {
  if (webhook?.authMode === 'url_token' && reason !== 'encoded_token') {
    const sentence =
      'The token in the URL is not the secret of this webhook. Give the sender the current URL, which ends with the token.';
    return { mistake: 'url_token', sentence, tried: [] };
  }
  const sentence = diagnoseReason(reason, detail, scheme);
  if (sentence !== null) return { mistake: reason, sentence, tried: [] };
  const command = `dockbell webhook capture ${webhookName} --for 10m`;
  return {
    mistake: null,
    sentence: `The reason alone (${reason}) does not identify the mistake. Run \`${command}\`, let the sender retry, and diagnose the new delivery.`,
    tried: [],
  };
}
