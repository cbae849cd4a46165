import type { Role, User } from '../../access.ts';
import type { UserId } from '../../ids.ts';

/** What changes about a user; absent is as it was. A new password and disabling end all sessions of the user. */
export interface UserChange {
  role?: Role;
  factories?: string[] | null;
  passwordHash?: string;
  disabled?: boolean;
}

/** `last_owner`: nobody would be left who may manage users, so nothing was changed. */
export type UserOutcome = 'done' | 'not_found' | 'last_owner';

/** Accounts of people. Names of local users are one where they differ in the case of letters only. */
export interface UserTable {
  /** `false` where the name is taken. */
  insertLocal(user: User, passwordHash: string): Promise<boolean>;
  /**
   * The user whom the provider knows by that identity, with the name and the role that it gives him now; made where
   * there is none yet. `null` where he is disabled here.
   */
  enterOidc(identity: { issuer: string; subject: string }, user: User): Promise<User | null>;
  get(id: UserId): Promise<User | null>;
  list(): Promise<User[]>;
  /** A local user by name, with the hash of the password; also a disabled one. */
  findLocal(name: string): Promise<{ user: User; passwordHash: string } | null>;
  /** @param at wall time of the change */
  change(id: UserId, change: UserChange, at: number): Promise<UserOutcome>;
  /** Sessions of the user end with him. */
  delete(id: UserId): Promise<UserOutcome>;
  noteSignIn(id: UserId, at: number): Promise<void>;
}
