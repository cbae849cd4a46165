import type { Role, User } from '../../access.ts';
import type { UserId } from '../../ids.ts';

/** A change of a user; omitted fields stay unchanged. A new password and disabling end all sessions of the user. */
export interface UserChange {
  role?: Role;
  factories?: string[] | null;
  passwordHash?: string;
  disabled?: boolean;
}

/** `last_owner`: no owner would remain to manage users, so nothing was changed. */
export type UserOutcome = 'done' | 'not_found' | 'last_owner';

/** Accounts of users. Names of local users are unique regardless of case. */
export interface UserTable {
  /** `false` if the name is taken. */
  insertLocal(user: User, passwordHash: string): Promise<boolean>;
  /**
   * The user with that identity of the OpenID provider. Updates their name and role, and creates the user if none
   * exists. `null` if the user is disabled.
   */
  enterOidc(identity: { issuer: string; subject: string }, user: User): Promise<User | null>;
  get(id: UserId): Promise<User | null>;
  list(): Promise<User[]>;
  /** A local user by name, with the password hash. Includes disabled users. */
  findLocal(name: string): Promise<{ user: User; passwordHash: string } | null>;
  /** @param at wall time of the change */
  change(id: UserId, change: UserChange, at: number): Promise<UserOutcome>;
  /** Also ends the sessions of the user. */
  delete(id: UserId): Promise<UserOutcome>;
  noteSignIn(id: UserId, at: number): Promise<void>;
}
