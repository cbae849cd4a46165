import type { TokenId } from './ids.ts';

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
