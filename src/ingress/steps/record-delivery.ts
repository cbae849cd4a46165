import { hash } from 'node:crypto';
import { AppError } from '../../core/errors.ts';
import type { DeliveryOffer } from '../../core/resources/delivery.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { identify } from './identify.ts';
import { matchDelivery } from './match-delivery.ts';
import { concernsBranch, PUSHED_REFS } from './pushed-branches.ts';

/** Step 9: stores the delivery on disk, then answers `202`. */
export async function recordDelivery(context: IngressContext, reception: Reception): Promise<Outcome> {
  const { webhook } = reception;
  const offer = composeOffer(context, reception);
  const recorded = await context.recorder.offer(offer);
  if (recorded.label === null) throw new AppError('storage_unavailable', recorded.message);
  context.metrics.countDelivery(webhook.uid, recorded.label);
  const isNew = recorded.label === 'Accepted';
  if (isNew && offer.runs.length > 0) context.listeners.onRunsCreated(webhook.factory);
  if (isNew && isPush(reception)) context.listeners.onPush(webhook.factory);
  return answers.accepted(offer.identity.value);
}

/** The delivery with its identity and runs. */
function composeOffer({ clock, ids }: IngressContext, reception: Reception): DeliveryOffer {
  const { webhook, body, request } = reception;
  const nowMs = clock.wallMs();
  const bodyHash = hash('sha256', body, 'buffer');
  const payload = reception.readPayload();
  const { applyNumber, revision, runs } = matchDelivery(webhook, payload.ok ? payload.value : undefined, ids, nowMs);
  return {
    kind: 'offer',
    id: ids.deliveryId(nowMs),
    webhook: webhook.ref,
    size: body.length,
    receivedAt: nowMs,
    clientAddress: request.clientAddress,
    revision,
    identity: identify(reception.headers, webhook, reception.providerIdentity, bodyHash),
    body,
    bodyHash,
    applyNumber,
    runs,
  };
}

function isPush(reception: Reception): boolean {
  const { pushBranch } = reception.webhook;
  return pushBranch !== null && concernsBranch(reception.json(PUSHED_REFS), pushBranch);
}
