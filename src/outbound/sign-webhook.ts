import { findScheme } from '../definitions/signature/schemes/schemes.ts';
import { signRequest } from '../definitions/signature/sign/sign-request.ts';

/** Returns the headers of a signed message. */
export type SignWebhook = (secret: string, message: WebhookMessage) => Record<string, string>;

/** A message to sign. */
interface WebhookMessage {
  /** Identifies the message: the same in each retry. */
  id: string;
  url: string;
  body: Uint8Array;
  nowMs: number;
}

/**
 * The headers of a signed message (https://www.standardwebhooks.com). The ID is signed together with the body. Throws
 * `bad_request` for a secret that cannot sign.
 *
 * @param secret `whsec_…`, or a private key as `whsk_…` or PEM
 */
export const signWebhook: SignWebhook = (secret, { id, ...delivery }) => {
  const scheme = findScheme('standard_webhooks')!;
  return signRequest(scheme, secret, { ...delivery, deliveryId: id, newId: () => id }).headers;
};
