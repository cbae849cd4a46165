import type { ApiToken, Identity, LoginLink, Session, User } from '../../../core/access.ts';
import type { AuditEntry } from '../../../core/audit.ts';
import type { LoginLinkId, TokenId, UserId } from '../../../core/ids.ts';
import { mapColumns } from './columns.ts';

export const USERS = mapColumns<User>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'kind', column: 'kind', codec: 'text' },
  { key: 'name', column: 'name', codec: 'text' },
  { key: 'role', column: 'role', codec: 'text' },
  { key: 'factories', column: 'factories', codec: 'json' },
  { key: 'passwordChangedAt', column: 'password_changed_at', codec: 'instant' },
  { key: 'disabledAt', column: 'disabled_at', codec: 'instant' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
  { key: 'lastSignInAt', column: 'last_sign_in_at', codec: 'instant' },
]);

export const TOKENS = mapColumns<ApiToken>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'name', column: 'name', codec: 'text' },
  { key: 'role', column: 'role', codec: 'text' },
  { key: 'factories', column: 'factories', codec: 'json' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
  { key: 'lastUsedAt', column: 'last_used_at', codec: 'instant' },
]);

/** One row of `sessions`. Exactly one of `user`, `token` and `link` is set: the owner. */
export interface StoredSession extends Omit<Session, 'owner'> {
  user: UserId | null;
  token: TokenId | null;
  link: LoginLinkId | null;
}

export const SESSIONS = mapColumns<StoredSession>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'user', column: 'user', codec: 'text' },
  { key: 'token', column: 'token', codec: 'text' },
  { key: 'link', column: 'link', codec: 'text' },
  { key: 'clientAddress', column: 'client_address', codec: 'text' },
  { key: 'userAgent', column: 'user_agent', codec: 'text' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
  { key: 'lastUsedAt', column: 'last_used_at', codec: 'instant' },
  { key: 'expiresAt', column: 'expires_at', codec: 'instant' },
]);

export const LOGIN_LINKS = mapColumns<LoginLink>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'origin', column: 'origin', codec: 'text' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
  { key: 'expiresAt', column: 'expires_at', codec: 'instant' },
]);

/** One row of `audit_log`. The three fields of the actor are all set or all `null`. */
export interface StoredAuditEntry extends Omit<AuditEntry, 'actor'> {
  actorKind: Identity['kind'] | null;
  actor: Identity['id'] | null;
  actorName: string | null;
}

export const AUDIT_ENTRIES = mapColumns<StoredAuditEntry>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'at', column: 'at', codec: 'instant' },
  { key: 'actorKind', column: 'actor_kind', codec: 'text' },
  { key: 'actor', column: 'actor', codec: 'text' },
  { key: 'actorName', column: 'actor_name', codec: 'text' },
  { key: 'method', column: 'method', codec: 'text' },
  { key: 'route', column: 'route', codec: 'text' },
  { key: 'object', column: 'object', codec: 'text' },
  { key: 'changes', column: 'changes', codec: 'json' },
  { key: 'status', column: 'status', codec: 'integer' },
  { key: 'clientAddress', column: 'client_address', codec: 'text' },
]);
