import type { LoginLinkId, SessionId, TokenId, UserId } from './ids.ts';

/** Roles of the management API; each holds the earlier (interfaces, "Admin listener"). */
export const ROLES = ['viewer', 'operator', 'manager', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Has `role` at least the permissions of `needed`? */
export function roleHolds(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The text of an API token: `dbk_` and 32 bytes in base64url. */
export const API_TOKEN_TEXT = /dbk_[A-Za-z0-9_-]{43}/;

/** An API token without the token itself. */
export interface ApiToken {
  id: TokenId;
  name: string;
  role: Role;
  /** Names of the factories it is limited to; `null` for all. */
  factories: string[] | null;
  createdAt: number;
  lastUsedAt: number | null;
}

/** What somebody is known by: an API token, a user with a password here, a user of the OpenID provider, a login link. */
export const IDENTITY_KINDS = ['token', 'local', 'oidc', 'link'] as const;
export type IdentityKind = (typeof IDENTITY_KINDS)[number];

/** Somebody whose credentials were good, with the rights that he has now. */
export interface Identity {
  kind: IdentityKind;
  id: TokenId | UserId | LoginLinkId;
  name: string;
  role: Role;
  /** Names of the factories he is limited to; `null` for all. */
  factories: string[] | null;
}

/** A person's account. Instants are wall time. */
export interface User {
  id: UserId;
  /** `local`: with a password here. `oidc`: known by the OpenID provider, which decides the role at each sign-in. */
  kind: 'local' | 'oidc';
  name: string;
  role: Role;
  factories: string[] | null;
  /** Since when he cannot sign in; `null` for a user who can. */
  disabledAt: number | null;
  createdAt: number;
  lastSignInAt: number | null;
  passwordChangedAt: number | null;
}

/** A name to sign in with. Letters of either case are the same. */
export const USER_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/;

/** Whose rights a session has. */
export type SessionOwner = { user: UserId } | { token: TokenId } | { link: LoginLinkId };

/** Whose the sessions of somebody are. */
export function sessionOwnerOf({ kind, id }: Pick<Identity, 'kind' | 'id'>): SessionOwner {
  if (kind === 'token') return { token: id as TokenId };
  return kind === 'link' ? { link: id as LoginLinkId } : { user: id as UserId };
}

/** A sign-in that lasts. What the cookie holds is stored as a hash only. Instants are wall time. */
export interface Session {
  id: SessionId;
  owner: SessionOwner;
  clientAddress: string;
  /** What the browser called itself, cut to 255 characters; `null` where it did not say. */
  userAgent: string | null;
  createdAt: number;
  lastUsedAt: number;
  /** The end that no use puts off. */
  expiresAt: number;
}

/** A link that signs its bearer in as an owner, once. Its token is stored as a hash only. */
export interface LoginLink {
  id: LoginLinkId;
  /** `start`: printed by the daemon itself when it started; `request`: somebody asked for it. */
  origin: 'start' | 'request';
  createdAt: number;
  expiresAt: number;
}
