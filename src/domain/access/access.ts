import type { LoginLinkId, RunId, SessionId, TokenId, UserId } from '../ids.ts';

/** Roles of the management API; each includes the previous ones (interfaces, "Admin listener"). */
export const ROLES = ['viewer', 'operator', 'manager', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Roles of API tokens. A `worker` executes runs and has no other permission. */
export const TOKEN_ROLES = [...ROLES, 'worker'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** Whether `role` has at least the permissions of `needed`. Operators can do what workers can, but no worker can read. */
export function roleHolds(role: TokenRole, needed: TokenRole): boolean {
  if (needed === 'worker') return role === 'worker' || roleHolds(role, 'operator');
  return role !== 'worker' && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The text of an API token: `dbk_` and 32 bytes in base64url. */
export const API_TOKEN_TEXT = /dbk_[A-Za-z0-9_-]{43}/;

/** The text of the token of a run: `dbr_` and 32 bytes in base64url. */
export const RUN_TOKEN_TEXT = /dbr_[A-Za-z0-9_-]{43}/;

/** An API token without the token itself. */
export interface ApiToken {
  id: TokenId;
  name: string;
  role: TokenRole;
  /** Names of the factories that the token is limited to; `null` for all. */
  factories: string[] | null;
  createdAt: number;
  /** Wall time from which the token is rejected; `null` if it never expires. */
  expiresAt: number | null;
  lastUsedAt: number | null;
}

/** Kinds of identities that can sign in: an API token, a local user with a password, a user of the OpenID provider, a login link. */
export const IDENTITY_KINDS = ['token', 'local', 'oidc', 'link'] as const;

/** Kinds of identities that send requests. `run`: the receiver of a run, with the token of that run. */
export const ACTOR_KINDS = [...IDENTITY_KINDS, 'run'] as const;
type ActorKind = (typeof ACTOR_KINDS)[number];

/** An authenticated identity with its current permissions. */
export interface Identity {
  kind: ActorKind;
  id: TokenId | UserId | LoginLinkId | RunId;
  name: string;
  role: TokenRole;
  /** Names of the factories that the identity is limited to; `null` for all. */
  factories: string[] | null;
}

/** Somebody who did or asked for something, with their name at that time. */
export type Actor = Pick<Identity, 'kind' | 'id' | 'name'>;

/** The account of a user. Instants are wall time. */
export interface User {
  id: UserId;
  /**
   * `local`: signs in with a password. `oidc`: signs in with the OpenID provider, which sets the role at each sign-in.
   */
  kind: 'local' | 'oidc';
  name: string;
  role: Role;
  factories: string[] | null;
  /** Time since which the user cannot sign in; `null` for an enabled user. */
  disabledAt: number | null;
  createdAt: number;
  lastSignInAt: number | null;
  passwordChangedAt: number | null;
}

/** A user name. Case is ignored. */
export const USER_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/;

/** The owner of a session, whose permissions it has. */
export type SessionOwner = { user: UserId } | { token: TokenId } | { link: LoginLinkId };

/** The owner of the sessions of an identity. */
export function sessionOwnerOf({ kind, id }: Pick<Identity, 'kind' | 'id'>): SessionOwner {
  if (kind === 'token') return { token: id as TokenId };
  return kind === 'link' ? { link: id as LoginLinkId } : { user: id as UserId };
}

/** A session of the dashboard. The cookie value is stored as a hash only. Instants are wall time. */
export interface Session {
  id: SessionId;
  owner: SessionOwner;
  clientAddress: string;
  /** The `User-Agent` of the browser, cut to 255 characters; `null` if the header was absent. */
  userAgent: string | null;
  createdAt: number;
  lastUsedAt: number;
  /** The latest end of the session, regardless of its use. */
  expiresAt: number;
}

/** A link that signs in as an owner, once. Its token is stored as a hash only. */
export interface LoginLink {
  id: LoginLinkId;
  /** `start`: printed by the daemon at its start. `request`: requested through the API. */
  origin: 'start' | 'request';
  createdAt: number;
  expiresAt: number;
}
