import type { ApiToken, Session, User } from '../../domain/access/access.ts';
import type { SessionId } from '../../domain/ids.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import type { SecretSummary } from '../../domain/resources/secret.ts';
import { SECRET_FIELDS } from '../../domain/resources/secret.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { presentInstant } from '../server/instants.ts';

/** A secret without its value. */
export function presentSecret(secret: SecretSummary) {
  return presentFields(SECRET_FIELDS, secret);
}

/** An API token without the token. */
export function presentToken(token: ApiToken) {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    factories: token.factories,
    created_at: formatInstant(token.createdAt),
    last_used_at: presentInstant(token.lastUsedAt),
    expires_at: presentInstant(token.expiresAt),
  };
}

/** A user without the hash of their password. */
export function presentUser(user: User) {
  return {
    id: user.id,
    name: user.name,
    kind: user.kind,
    role: user.role,
    factories: user.factories,
    disabled: user.disabledAt !== null,
    created_at: formatInstant(user.createdAt),
    last_sign_in_at: presentInstant(user.lastSignInAt),
    password_changed_at: presentInstant(user.passwordChangedAt),
  };
}

/** A session without what its cookie holds. */
export function presentBrowser(session: Session, current: SessionId | null) {
  return {
    id: session.id,
    current: session.id === current,
    client_address: session.clientAddress,
    user_agent: session.userAgent,
    created_at: formatInstant(session.createdAt),
    last_used_at: formatInstant(session.lastUsedAt),
    expires_at: formatInstant(session.expiresAt),
  };
}
