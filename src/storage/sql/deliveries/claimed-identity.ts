import type { DeliveryOffer, IdentitySource } from '../../../domain/resources/delivery.ts';

/** What makes two deliveries the same. */
export interface ClaimedIdentity {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  source: IdentitySource;
  key: string;
}

/** The keys that a delivery claims: that of its identity, and the second one if it has one. */
export function listClaims({ webhook, identity }: Pick<DeliveryOffer, 'webhook' | 'identity'>): ClaimedIdentity[] {
  const { source, key, bodyKey } = identity;
  const claim = { webhook, source, key };
  return bodyKey === undefined ? [claim] : [claim, { webhook, source: 'body_hash', key: bodyKey }];
}
