import type { Decision, Delivery, OmittedDecisions, StoredDecisions } from '../../core/delivery.ts';
import type { DeliveryId } from '../../core/ids.ts';
import { formatInstant } from '../../core/time/clock.ts';
import { describeDeliveryReason } from '../../words/delivery-reasons.ts';

/** A row of the delivery log as the interfaces show it. */
export function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    factory: delivery.factory,
    webhook_uid: delivery.webhookUid,
    webhook_name: delivery.webhookName,
    delivery_id: delivery.identity?.value ?? null,
    delivery_id_source: delivery.identity?.source ?? null,
    label: delivery.label,
    reason: delivery.reason,
    reason_text: delivery.reason === null ? null : describeDeliveryReason(delivery.reason),
    detail: delivery.detail,
    size: delivery.size,
    count: delivery.count,
    received_at: formatInstant(delivery.receivedAt),
    client_address: delivery.clientAddress,
    revision: delivery.revision,
    duplicate_of: delivery.duplicateOf,
    replay_of: delivery.replayOf,
    runs: delivery.runs,
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
