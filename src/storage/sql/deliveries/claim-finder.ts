import type { Kysely, Transaction } from 'kysely';
import type { DeliveryId } from '../../../domain/ids.ts';
import type { Schema } from '../schema/schema.ts';
import type { ClaimedIdentity } from './claimed-identity.ts';

/** Finds the accepted delivery of an identity. */
export interface ClaimFinder {
  /** The accepted delivery; `null` if the identity is unknown. */
  find(identity: ClaimedIdentity): Promise<DeliveryId | null>;
}

/** A row of `identities`. */
interface ClaimRow extends ClaimedIdentity {
  seq: number;
  delivery: string;
}

/** How the claims of deliveries end. The databases store them in different ways. */
export interface ClaimRetention {
  /**
   * Call it in the transaction that removes the deliveries, before it does. Keeps the claims of those that were accepted at
   * `since` or later.
   *
   * @returns what to call when the transaction has committed
   */
  depart(trx: Transaction<Schema>, deliveries: readonly number[], since: number): Promise<() => void>;
  /** Those of the expired rows that no delivery in the log needs. */
  selectEnded(db: Kysely<Schema>, expired: readonly ClaimRow[]): Promise<readonly ClaimRow[]>;
  /** Call it after rows of `identities` were removed. */
  forget(rows: readonly ClaimRow[]): void;
}
