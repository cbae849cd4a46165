import type { VerifyResult } from '../../definitions/signature/verification.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { admitDelivery } from './admit-delivery.ts';
import { rejectCredential, rejectUnlogged } from './reject.ts';

/** Verifies the signature, then admits the delivery: only verified requests count toward the delivery rate. */
export function verifySignature(
  context: IngressContext,
  reception: Reception,
): Promise<Outcome | null> | Outcome | null {
  const { credential } = reception.webhook;
  if (!('verify' in credential)) return null;
  const verified = credential.verify(reception);
  if (!(verified instanceof Promise)) return conclude(context, reception, verified);
  return verified.then((result) => conclude(context, reception, result));
}

function conclude(
  context: IngressContext,
  reception: Reception,
  verified: VerifyResult,
): Promise<Outcome | null> | Outcome | null {
  if (verified.ok) {
    reception.providerIdentity = verified.identity;
    return admitDelivery(context, reception);
  }
  const { reason, detail } = verified;
  // The request may be valid, and the sender would not retry a `4xx`.
  if (reason === 'unavailable')
    return rejectUnlogged(context, reception.webhook, 'key_unavailable', answers.UNAVAILABLE);
  return rejectCredential(context, reception, { reason, detail });
}
