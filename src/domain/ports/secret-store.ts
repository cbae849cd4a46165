import type { SecretSummary } from '../resources/secret.ts';
import type { ScopeChange, SecretScope, SecretUser } from '../secrets/secret-scope.ts';
import type { SecretValue } from '../secrets/secret-value.ts';
import type { KeptAnswer } from './idempotency.ts';

/** A stored value, encrypted with a data key that is wrapped by the master key. */
export interface SealedSecret {
  name: string;
  version: number;
  /** Everything needed to decrypt the value except the master key. The vault defines the layout. */
  sealed: Uint8Array;
  createdAt: number;
  /** Name of the user or token that stored it; `null` if the daemon did, or if it is not known. */
  createdBy: string | null;
  /** When the next version was stored or the secret was deleted; `null` for the newest version. */
  replacedAt: number | null;
  replacedBy: string | null;
}

/** A version to store. The storage notes its replacement when the next one is stored. */
export type NewSealedSecret = Omit<SealedSecret, 'replacedAt' | 'replacedBy'>;

/** The newest version of a secret, with its scope. */
interface NewestSecret extends SealedSecret {
  scope: SecretScope;
}

/** The stored part of a secret's summary. `notify` comes from the configuration. */
export type StoredSecretSummary = Omit<SecretSummary, 'notify'>;

/** A stored value that is encrypted with a master key: a version of a secret, or a kept answer. */
export type SealedValue =
  | ({ kind: 'secret' } & Pick<SealedSecret, 'name' | 'version' | 'sealed'>)
  | ({ kind: 'answer' } & Pick<KeptAnswer, 'key' | 'sealed'>);

/** A value and the same value under another master key. */
export interface ResealedValue {
  before: SealedValue;
  sealed: Uint8Array;
}

/** Rows of sealed secrets. A version that is no longer used is kept for some time, to explain rejections. */
export interface SealedSecretTable {
  /** Check value of the master key that sealed these rows; `null` before the first use. */
  keyCheck(): Promise<Uint8Array | null>;
  setKeyCheck(check: Uint8Array): Promise<void>;
  /** The highest version ever used for that name, including deleted ones; 0 for a new name. */
  lastVersion(name: string): Promise<number>;
  /**
   * Stores a new version, which replaces the newest one. Throws `conflict` if that version exists.
   *
   * @param scope omitted to keep the scope; no factory may use a new secret without one
   */
  insert(secret: NewSealedSecret, scope?: SecretScope): Promise<void>;
  /** Replaces the scope. `false` if the name does not exist. */
  setScope(name: string, scope: SecretScope): Promise<boolean>;
  /** The newest version; `null` if none exists or it was deleted. */
  newest(name: string): Promise<NewestSecret | null>;
  /** The scopes of the names that exist. */
  scopes(names: readonly string[]): Promise<Map<string, SecretScope>>;
  get(name: string, version: number): Promise<SealedSecret | null>;
  /** The stored versions, newest first, also of a deleted secret. */
  versions(name: string, limit: number): Promise<SealedSecret[]>;
  list(): Promise<StoredSecretSummary[]>;
  /** One entry of the list; `null` for a name that does not exist. */
  find(name: string): Promise<StoredSecretSummary | null>;
  /** Deletes the name; its versions stay readable by `get`. `false` if it did not exist. */
  delete(name: string, by: { at: number; name: string | null }): Promise<boolean>;
}

/** What a database that is not open says about its master keys. */
export interface KeyProof {
  /** As `SealedSecretTable.keyCheck`. */
  keyCheck: Uint8Array;
  /** As `ResealableSecretTable.rotation`. */
  rotation: Uint8Array | null;
}

/** The additional operations that a change of the master key needs. */
export interface ResealableSecretTable extends SealedSecretTable {
  /** What `beginRotation` stored; `null` if the master key is not being changed. */
  rotation(): Promise<Uint8Array | null>;
  /** From now on, values of two master keys may be stored. Throws `conflict` if a change is in progress. */
  beginRotation(record: Uint8Array): Promise<void>;
  /** Ends the change: only values of the key with this check value are stored. */
  endRotation(keyCheck: Uint8Array): Promise<void>;
  /** Values whose encrypted form does not begin with `keyId`, in a fixed order, without the first `skip`. */
  sealedElsewhere(keyId: Uint8Array, page: { skip: number; limit: number }): Promise<SealedValue[]>;
  /** Replaces all values in one transaction, except those that have changed since they were read. */
  replaceSealed(values: readonly ResealedValue[]): Promise<void>;
}

/** A version of a secret with its history. */
export interface SecretVersion extends Omit<SealedSecret, 'sealed' | 'name'> {
  value: SecretValue;
}

export type PutMode = 'create' | 'update' | 'put';

export interface PutOptions {
  /** Name of the user or token; omitted if the daemon stores the value. */
  by?: string | null;
  /** Omitted to keep the scope. A new secret then gets the only factory of the daemon, or no factory. */
  scope?: ScopeChange;
  /** Takes the secret from factories that use it. */
  force?: boolean;
}

export interface StoredSecret {
  created: boolean;
  version: number;
  scope: SecretScope;
}

/** The answer to a factory that wants to use a secret. `outside_scope`: it exists, and the factory may not use it. */
export type Resolution =
  | { outcome: 'found'; version: number; value: SecretValue }
  | { outcome: 'missing' }
  | { outcome: 'outside_scope' };

/** The encrypted team store. Only the daemon reads values; no interface returns one. */
export interface SecretStore {
  /**
   * Creates or replaces a secret. An empty value is `bad_request`. The modes `create` and `update` reject the other
   * case. `secret_in_use` if the scope would exclude a factory that uses the secret, unless forced.
   *
   * @param value `null` changes only the scope of an existing secret
   */
  put(name: string, value: SecretValue | null, mode: PutMode, options?: PutOptions): Promise<StoredSecret>;
  /** `secret_in_use` while a webhook, an automation or a target of `notify` uses it, unless forced; `not_found` for an unknown name. */
  delete(name: string, options: { force: boolean; by?: string | null }): Promise<void>;
  list(): Promise<SecretSummary[]>;
  /** One entry of the list; `null` for a name that does not exist. */
  find(name: string): Promise<SecretSummary | null>;
  /**
   * The newest version, for an apply or a run. The only way from a definition to a value, so a scope cannot be ignored.
   *
   * @param user `configuration`: `dockbell.yaml` or an owner names the secret, so no scope limits it
   */
  resolve(name: string, user: SecretUser | 'configuration'): Promise<Resolution>;
  /** The scopes of the names that exist. */
  scopes(names: readonly string[]): Promise<Map<string, SecretScope>>;
  /** A pinned version; `null` if it was deleted. Throws `storage_broken` if the value cannot be decrypted. */
  open(name: string, version: number): Promise<SecretValue | null>;
}

/** The versions of secrets that are still stored. They explain rejections and never authenticate a request. */
export interface SecretHistory {
  /** The most recent versions, newest first, without those that cannot be decrypted. */
  versions(name: string, limit: number): Promise<SecretVersion[]>;
}
