import { formatInstant } from '../../core/time/clock.ts';
import type { CredentialFailure, WebhookTraffic } from '../../core/webhook-traffic.ts';
import { describeDeliveryReason } from '../../words/delivery-reasons.ts';
import { presentInstant } from '../server/instants.ts';
import type { RequestCounts } from './count-requests.ts';

const NO_REQUESTS: RequestCounts = { accepted: 0, duplicate: 0, rejected: 0 };

/** The outcome of the requests to a webhook. */
export function presentTraffic(traffic: WebhookTraffic, { accepted, duplicate, rejected } = NO_REQUESTS) {
  const all = accepted + duplicate + rejected;
  return {
    last_accepted_at: presentInstant(traffic.lastAcceptedAt),
    last_24_hours: { accepted, duplicate, rejected },
    acceptance_rate: all === 0 ? null : (accepted + duplicate) / all,
    credential_failing: traffic.credentialFailure && presentFailure(traffic.credentialFailure),
  };
}

function presentFailure({ since, lastAt, count, reason }: CredentialFailure) {
  return {
    since: formatInstant(since),
    last_at: formatInstant(lastAt),
    count,
    reason,
    reason_text: reason === null ? null : describeDeliveryReason(reason),
  };
}
