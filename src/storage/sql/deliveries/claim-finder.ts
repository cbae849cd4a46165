import type { DeliveryId } from '../../../core/ids.ts';
import type { IdentitySource } from '../../../core/resources/delivery.ts';

/** What makes two deliveries the same. */
export interface ClaimedIdentity {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  source: IdentitySource;
  key: string;
}

/** The identity of an accepted delivery that retention removes from the log. */
export interface DepartedClaim extends ClaimedIdentity {
  /** The row in `deliveries` that was removed. */
  logged: number;
  /** The row in `identities` that has the claim now; `null` if the claim has ended. */
  kept: number | null;
}

/**
 * Finds the accepted delivery of an identity. While the delivery is in the log, its own row is the claim. Later a row of
 * `identities` is. Neither table has an index for it.
 */
export interface ClaimFinder {
  /** The accepted delivery; `null` if the identity is unknown. */
  find(identity: ClaimedIdentity): DeliveryId | null;
  /** Call it after rows of `deliveries` were removed. */
  depart(claims: readonly DepartedClaim[]): void;
  /** Call it after rows of `identities` were removed. */
  forget(rows: readonly (ClaimedIdentity & { seq: number })[]): void;
}
