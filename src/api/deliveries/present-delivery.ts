import type { Handshake } from '../../domain/deliveries/handshake.ts';
import {
  DELIVERY_FIELDS,
  type Decision,
  type Delivery,
  type OmittedDecisions,
} from '../../domain/resources/delivery.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeDeliveryReason } from '../../domain/words/delivery-reasons.ts';
import type { DeliveryExplanation } from './explain-delivery.ts';

/** A row of the delivery log as the interfaces show it. */
export function presentDelivery(delivery: Delivery) {
  const { reason } = delivery;
  return {
    ...presentFields(DELIVERY_FIELDS, delivery),
    reason_text: reason === null ? null : describeDeliveryReason(reason),
  };
}

const NOTHING_OMITTED: OmittedDecisions = { filtered: 0, disabled: 0, filter_error: 0 };

/** Why each automation that listened did or did not start. */
export function presentExplanation({ delivery, decisions, omitted, nextCursor }: DeliveryExplanation) {
  const not_stored = omitted ?? NOTHING_OMITTED;
  return { delivery, decisions: decisions.map(presentDecision), not_stored, next_cursor: nextCursor };
}

function presentDecision({ automation, outcome, run, path, expected, actual, message }: Decision) {
  return { automation, outcome, run, path, expected, actual, message };
}

/** A row of the log of handshakes as the API shows it. It has a kind instead of a label. */
export function presentHandshake(handshake: Handshake) {
  return {
    kind: 'Handshake' as const,
    webhook_uid: handshake.webhookUid,
    handshake: handshake.handshake,
    outcome: handshake.outcome,
    detail: handshake.detail,
    count: handshake.count,
    received_at: formatInstant(handshake.receivedAt),
    client_address: handshake.clientAddress,
  };
}
