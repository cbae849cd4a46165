import type { RecentRejections } from '../../domain/deliveries/recent-rejections.ts';
import type { CredentialFailure, WebhookTraffic } from '../../domain/deliveries/webhook-traffic.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeDeliveryReason } from '../../domain/words/delivery-reasons.ts';
import { presentInstant } from '../server/instants.ts';
import { NO_REQUESTS } from './count-requests.ts';

/** The outcome of the requests to a webhook. */
export function presentTraffic(traffic: WebhookTraffic, { accepted, duplicate, rejected, rejections } = NO_REQUESTS) {
  const all = accepted + duplicate + rejected;
  return {
    last_accepted_at: presentInstant(traffic.lastAcceptedAt),
    last_24_hours: { accepted, duplicate, rejected },
    acceptance_rate: all === 0 ? null : (accepted + duplicate) / all,
    credential_failing: traffic.credentialFailure && presentFailure(traffic.credentialFailure),
    rejections: rejections && presentRejections(rejections),
  };
}

function presentRejections({ examined, addresses, otherAddresses, ...failure }: RecentRejections) {
  return { ...presentFailure(failure), examined, addresses, other_addresses: otherAddresses };
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
