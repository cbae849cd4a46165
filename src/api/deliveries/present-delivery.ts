import type { DeliveryId } from '../../core/ids.ts';
import type { Decision, Delivery, OmittedDecisions, StoredDecisions } from '../../core/resources/delivery.ts';
import { DELIVERY_FIELDS } from '../../core/resources/delivery.ts';
import { presentFields } from '../../core/resources/fields.ts';
import { describeDeliveryReason } from '../../words/delivery-reasons.ts';

/** A row of the delivery log as the interfaces show it. */
export function presentDelivery(delivery: Delivery) {
  const { reason } = delivery;
  return {
    ...presentFields(DELIVERY_FIELDS, delivery),
    reason_text: reason === null ? null : describeDeliveryReason(reason),
  };
}

/** Why each automation that listened did or did not start. */
const NOTHING_OMITTED: OmittedDecisions = { filtered: 0, disabled: 0, filter_error: 0 };

export function presentExplanation(delivery: DeliveryId, stored: StoredDecisions | null) {
  const { decisions, omitted } = stored ?? { decisions: [], omitted: null };
  return { delivery, decisions: decisions.map(presentDecision), not_stored: omitted ?? NOTHING_OMITTED };
}

function presentDecision({ automation, outcome, run, path, expected, actual, message }: Decision) {
  return { automation, outcome, run, path, expected, actual, message };
}
