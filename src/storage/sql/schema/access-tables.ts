import type { ApiToken, Identity, LoginLink, Session, User } from '../../../core/access.ts';
import type { AuditEntry } from '../../../core/audit.ts';
import type { LoginLinkId, TokenId, UserId } from '../../../core/ids.ts';
import { mapColumns } from './columns.ts';

export const USERS = mapColumns<User>()({
  id: 'text',
  kind: 'text',
  name: 'text',
  role: 'text',
  factories: 'json',
  passwordChangedAt: 'instant',
  disabledAt: 'instant',
  createdAt: 'instant',
  lastSignInAt: 'instant',
});

export const TOKENS = mapColumns<ApiToken>()({
  id: 'text',
  name: 'text',
  role: 'text',
  factories: 'json',
  createdAt: 'instant',
  lastUsedAt: 'instant',
});

/** One row of `sessions`. Exactly one of `user`, `token` and `link` is set: the owner. */
export interface StoredSession extends Omit<Session, 'owner'> {
  user: UserId | null;
  token: TokenId | null;
  link: LoginLinkId | null;
}

export const SESSIONS = mapColumns<StoredSession>()({
  id: 'text',
  user: 'text',
  token: 'text',
  link: 'text',
  clientAddress: 'text',
  userAgent: 'text',
  createdAt: 'instant',
  lastUsedAt: 'instant',
  expiresAt: 'instant',
});

export const LOGIN_LINKS = mapColumns<LoginLink>()({
  id: 'text',
  origin: 'text',
  createdAt: 'instant',
  expiresAt: 'instant',
});

/** One row of `audit_log`. The three fields of the actor are all set or all `null`. */
export interface StoredAuditEntry extends Omit<AuditEntry, 'actor'> {
  actorKind: Identity['kind'] | null;
  actor: Identity['id'] | null;
  actorName: string | null;
}

export const AUDIT_ENTRIES = mapColumns<StoredAuditEntry>()({
  id: 'text',
  at: 'instant',
  actorKind: 'text',
  actor: 'text',
  actorName: 'text',
  method: 'text',
  route: 'text',
  object: 'text',
  changes: 'json',
  status: 'integer',
  clientAddress: 'text',
});
