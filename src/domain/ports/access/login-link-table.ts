import type { LoginLink } from '../../access.ts';

/** One-time login links, stored as the SHA-256 of their token. The token has 256 random bits, so it needs no salt. */
export interface LoginLinkTable {
  /** A link from a start of the daemon replaces the link from the previous start. */
  insert(link: LoginLink, hash: Uint8Array): Promise<void>;
  /**
   * Deletes and returns the link, so that only one of two concurrent requests gets it. `null` if it is unknown or
   * expired.
   */
  take(hash: Uint8Array, nowMs: number): Promise<LoginLink | null>;
}
