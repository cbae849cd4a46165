import type { Identity, Session, SessionOwner } from '../../access.ts';
import type { SessionId } from '../../ids.ts';

/**
 * Sessions of the dashboard, stored as the SHA-256 of the cookie value. The value has 256 random bits, so it needs no
 * salt.
 */
export interface SessionTable {
  insert(session: Session, hash: Uint8Array): Promise<void>;
  /**
   * The session and its owner with their current permissions. `null` if the session is unknown or expired, or if its
   * owner is deleted or disabled.
   */
  find(hash: Uint8Array, nowMs: number): Promise<{ session: Session; identity: Identity } | null>;
  touch(id: SessionId, at: number): Promise<void>;
  /** `false` if the session is unknown. */
  end(id: SessionId): Promise<boolean>;
  /** Sessions of one owner that have not expired, newest first. */
  listOf(owner: SessionOwner, nowMs: number): Promise<Session[]>;
  /** Ends all sessions of one owner except `spared`, which may be `null`. */
  endAll(owner: SessionOwner, spared: SessionId | null): Promise<void>;
}
