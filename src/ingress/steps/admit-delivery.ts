import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { findNamedIdentity } from './identify.ts';
import { rejectUnlogged } from './reject.ts';

/**
 * Step 5: the delivery rate of the webhook. Only authenticated requests are counted. One row stands for all rejections of a
 * minute.
 */
export function admitDelivery(context: IngressContext, reception: Reception): Outcome | null {
  const { webhook } = reception;
  const admission = context.limits.admitDelivery(webhook.uid, context.clock.monotonicMs());
  if (admission.ok) {
    reception.trace?.admit(reception.headers);
    return null;
  }
  noteRateLimited(context, reception);
  return rejectUnlogged(context, webhook, 'delivery_rate', answers.tooManyRequests(admission.retryAfterSeconds));
}

function noteRateLimited({ rateLimitedRows }: IngressContext, reception: Reception): void {
  const { webhook, request, headers, providerIdentity } = reception;
  rateLimitedRows.add({
    webhook: webhook.ref,
    clientAddress: request.clientAddress,
    revision: webhook.revision,
    readDeliveryId: () => findNamedIdentity({ headers, providerIdentity, payload: undefined }, webhook)?.value ?? null,
  });
}
