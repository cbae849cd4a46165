import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Admission } from '../limits.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { findNamedIdentity } from './identify.ts';
import { rejectUnlogged } from './reject.ts';

/** How long a request waits for the other replicas. */
const UNDECIDED_MS = 1000;

/**
 * The end of both ways to authenticate: the delivery rate of the webhook. Only authenticated requests are counted. One row
 * stands for all rejections of a minute. It is no step of the list, because the span of the verification ends with it.
 */
export function admitDelivery(context: IngressContext, reception: Reception): Promise<Outcome | null> | Outcome | null {
  const admission = admit(context, reception);
  if (admission.ok || !admission.undecided) return conclude(context, reception, admission);
  return decideLater(context, reception).then((decided) => conclude(context, reception, decided));
}

function admit({ limits, clock }: IngressContext, { webhook }: Reception): Admission {
  return limits.admitDelivery(webhook, clock.monotonicMs());
}

/** A sender might not repeat a delivery that gets a `429`, so the other replicas are asked what they admitted. */
async function decideLater(context: IngressContext, reception: Reception): Promise<Admission> {
  const until = context.clock.monotonicMs() + UNDECIDED_MS;
  for (;;) {
    await context.limits.untilSeen();
    const admission = admit(context, reception);
    if (admission.ok || !admission.undecided || context.clock.monotonicMs() >= until) return admission;
  }
}

function conclude(context: IngressContext, reception: Reception, admission: Admission): Outcome | null {
  const { webhook } = reception;
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
