import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { rejectUnlogged } from './reject.ts';

/** Step 5: the delivery rate of the webhook. Only authenticated requests are counted, and a rejection has no row. */
export function admitDelivery(context: IngressContext, { webhook }: Reception): Outcome | null {
  const admission = context.limits.admitDelivery(webhook.uid, context.clock.monotonicMs());
  if (admission.ok) return null;
  return rejectUnlogged(context, webhook, 'delivery_rate', answers.tooManyRequests(admission.retryAfterSeconds));
}
