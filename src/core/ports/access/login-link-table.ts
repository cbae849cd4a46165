import type { LoginLink } from '../../access.ts';

/** One-time login links; stored as SHA-256 of their token, which has 256 random bits of its own. */
export interface LoginLinkTable {
  /** A link of the daemon's start takes the place of the one before. */
  insert(link: LoginLink, hash: Uint8Array): Promise<void>;
  /** Takes the link out, so that of two who come with it one gets it. `null` where there is none, or it has expired. */
  take(hash: Uint8Array, nowMs: number): Promise<LoginLink | null>;
}
