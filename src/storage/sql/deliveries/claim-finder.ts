import type { DeliveryId } from '../../../core/ids.ts';
import type { IdentitySource } from '../../../core/resources/delivery.ts';

/** What makes two deliveries the same. */
export interface ClaimedIdentity {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  source: IdentitySource;
  key: string;
}

/** Finds rows of `identities` by their content. The table has no index for it. */
export interface ClaimFinder {
  /** The accepted delivery; `null` if the identity is unknown. */
  find(identity: ClaimedIdentity): DeliveryId | null;
  /** Call it after the rows were removed. */
  forget(rows: readonly (ClaimedIdentity & { seq: number })[]): void;
}
