import type { Identity, Session, SessionOwner } from '../../access.ts';
import type { SessionId } from '../../ids.ts';

/** Sessions of the dashboard; stored as SHA-256 of what the cookie holds, which has 256 random bits of its own. */
export interface SessionTable {
  insert(session: Session, hash: Uint8Array): Promise<void>;
  /**
   * The session and whose it is, with the rights of this moment. `null` where there is none, where it has expired, and
   * where its owner is gone or disabled.
   */
  find(hash: Uint8Array, nowMs: number): Promise<{ session: Session; identity: Identity } | null>;
  touch(id: SessionId, at: number): Promise<void>;
  /** `false` where there is no such session. */
  end(id: SessionId): Promise<boolean>;
  /** Those of one owner that have not expired, the youngest first. */
  listOf(owner: SessionOwner, nowMs: number): Promise<Session[]>;
  /** Ends all sessions of one owner but `spared`, which may be `null`. */
  endAll(owner: SessionOwner, spared: SessionId | null): Promise<void>;
}
