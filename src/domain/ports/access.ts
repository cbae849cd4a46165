import type { ApiToken, Identity, LoginLink, Role, Session, SessionOwner, User } from '../access/access.ts';
import type { AuditEntry, AuditInclude, AuditOutcome } from '../access/audit.ts';
import type { ChangeRecord } from '../access/change-record.ts';
import type { RunId, SessionId, TokenId, UserId } from '../ids.ts';
import type { Page, PageRequest } from '../page.ts';

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

/** One-time login links, stored as the SHA-256 of their token. The token has 256 random bits, so it needs no salt. */
export interface LoginLinkTable {
  /** A link from a start of the daemon replaces the link from the previous start. */
  insert(link: LoginLink, hash: Uint8Array): Promise<void>;
  /**
   * Deletes and returns the link, so that only one of two concurrent requests gets it. `null` if it is unknown or
   * expired.
   */
  take(hash: Uint8Array, nowMs: number): Promise<LoginLink | null>;
}

/** API tokens, stored as the SHA-256 of the token. The token has 256 random bits, so it needs no salt. */
export interface TokenTable {
  insert(token: ApiToken, hash: Uint8Array): Promise<void>;
  findByHash(hash: Uint8Array): Promise<ApiToken | null>;
  touch(id: TokenId, at: number): Promise<void>;
  list(): Promise<ApiToken[]>;
  /** `false` if the token is unknown. */
  revoke(id: TokenId): Promise<boolean>;
}

/** The attempt that a token of a run belongs to. */
export interface RunTokenHolder {
  run: RunId;
  factory: string;
  attempt: number;
}

/** Tokens of receivers, stored as SHA-256 like `TokenTable`. They are deleted with their run. */
export interface RunTokenTable {
  /** Keeps the `MAX_RUN_TOKENS` most recent tokens of the attempt. */
  insert(token: { run: RunId; attempt: number; hash: Uint8Array }): Promise<void>;
  findByHash(hash: Uint8Array): Promise<RunTokenHolder | null>;
}

/** A daemon sends one token for each attempt; the next daemon sends another one, and the receiver may still use the first. */
export const MAX_RUN_TOKENS = 10;

/** Filters and page of a request for audit entries. */
export interface AuditRequest extends PageRequest {
  /** ID of the actor; `null` for all. */
  actor: string | null;
  /** The object and every object below it; `null` for all. */
  object: string | null;
  /** `null` for all. */
  outcome: AuditOutcome | null;
  /** Default: `changes`. */
  include?: AuditInclude;
  /** Start (inclusive) and end (exclusive) of the period, as wall time in milliseconds. */
  fromAt?: number;
  untilAt?: number;
}

/** The log of changes and reads. Entries never change after the answer; retention removes them. */
export interface AuditLog {
  /** Stores the record of a change that is not made in the storage, before it is made. */
  begin(record: ChangeRecord): Promise<void>;
  /**
   * Stores an entry, or completes the one with its ID if that has no answer yet.
   * @param objects further objects that the entry is about
   */
  append(entry: AuditEntry, objects?: readonly string[]): Promise<void>;
  /** Newest first. */
  list(request: AuditRequest): Promise<Page<AuditEntry>>;
}
