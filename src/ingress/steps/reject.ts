import type { UnloggedRejection } from '../../core/ports/metrics.ts';
import type { RejectionEntry } from '../../core/resources/delivery.ts';
import type { IngressContext } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import type { IngressAnswer } from '../transport/answers.ts';
import * as answers from '../transport/answers.ts';
import { findNamedIdentity } from './identify.ts';

/** Rejects and counts a request without a row in the delivery log. */
export function rejectUnlogged(
  { metrics }: Pick<IngressContext, 'metrics'>,
  reason: UnloggedRejection,
  answer: IngressAnswer,
): IngressAnswer {
  metrics.countRejection(reason);
  return answer;
}

/**
 * Rejects with `401`, or with `429` if the failure budget of this webhook and client address is used up. Only the `401`
 * creates a row.
 */
export function rejectCredential(
  context: IngressContext,
  reception: Reception,
  { reason, detail }: Pick<RejectionEntry, 'reason' | 'detail'>,
): IngressAnswer {
  const { webhook, request, body } = reception;
  const admission = context.limits.admitFailure(webhook.uid, request.clientAddress, context.clock.monotonicMs());
  if (!admission.ok) {
    return rejectUnlogged(context, 'failed_auth_rate', answers.tooManyRequests(admission.retryAfterSeconds));
  }
  const row = reject(context, reception, { label: 'Rejected (auth)', reason, detail, size: body.length });
  if (row !== null) capture(context, reception, row);
  return answers.UNAUTHORIZED;
}

/** Writes a row of metadata without body and credential. `null` if the request was only counted. */
export function reject(
  { clock, ids, metrics, rejectionRows }: IngressContext,
  { webhook, request, providerIdentity }: Reception,
  { label, reason, detail, size }: Pick<RejectionEntry, 'label' | 'reason' | 'detail' | 'size'>,
): RejectionEntry | null {
  const nowMs = clock.wallMs();
  metrics.countDelivery(webhook.uid, label);
  const row: RejectionEntry = {
    kind: 'rejection',
    id: ids.deliveryId(nowMs),
    webhook: webhook.ref,
    label,
    reason,
    detail,
    identity: findNamedIdentity(request.headers, webhook, providerIdentity),
    size,
    count: 1,
    receivedAt: nowMs,
    clientAddress: request.clientAddress,
    revision: webhook.revision,
  };
  if (rejectionRows.add(row, clock.monotonicMs())) return row;
  metrics.countRejection('rejection_rows');
  return null;
}

/** Captures the request for `dockbell diagnose` if a capture window is open. A URL token needs no diagnosis. */
function capture({ captures }: IngressContext, reception: Reception, { id, receivedAt }: RejectionEntry): void {
  const { webhook, headers, body } = reception;
  if (!captures.isOpen(webhook.uid) || webhook.credential.mode === 'url_token') return;
  const publicUrl = reception.publicUrl();
  captures.keep(webhook.uid, { delivery: id, rawHeaders: headers.raw, body, publicUrl, receivedAt });
}
