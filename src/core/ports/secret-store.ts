import type { SecretSummary } from '../resources/secret.ts';
import type { SecretValue } from '../secret-value.ts';
import type { KeptAnswer } from './access/idempotency.ts';

/** A value as it lies in the storage: encrypted under a data key, which is wrapped by the master key. */
export interface SealedSecret {
  name: string;
  version: number;
  /** Everything needed to open it but the master key; layout is the vault's business. */
  sealed: Uint8Array;
  createdAt: number;
}

/** What the storage knows of a secret: all but what the configuration says. */
export type StoredSecretSummary = Omit<SecretSummary, 'notify'>;

/** All that lies in the storage under the master key. */
export interface SealedValues {
  /** Every version of every secret. */
  secrets: SealedSecret[];
  answers: KeptAnswer[];
}

/** Rows of sealed secrets. A version that a webhook is pinned to is kept until no webhook is. */
export interface SealedSecretTable {
  /** Proof of the master key that sealed these rows; `null` before the first use. */
  keyCheck(): Promise<Uint8Array | null>;
  setKeyCheck(check: Uint8Array): Promise<void>;
  /** The highest version ever used for that name, deleted ones included; 0 for a new name. */
  lastVersion(name: string): Promise<number>;
  /** Stores a new newest version. Throws `conflict` where that version is taken. */
  insert(secret: SealedSecret): Promise<void>;
  /** The newest version; `null` where there is none or it was deleted. */
  newest(name: string): Promise<SealedSecret | null>;
  get(name: string, version: number): Promise<SealedSecret | null>;
  list(): Promise<StoredSecretSummary[]>;
  /** Takes the name away; pinned versions stay readable by `get`. `false` where it did not exist. */
  delete(name: string): Promise<boolean>;
}

/** What a change of the master key needs as well. */
export interface ResealableSecretTable extends SealedSecretTable {
  allSealed(): Promise<SealedValues>;
  /** Stores the same values sealed under another master key, with its proof: all of them or, where it throws, none. */
  replaceSealed(values: SealedValues, keyCheck: Uint8Array): Promise<void>;
}

/** The encrypted team store. Values go in and come out to the daemon only; no interface returns one. */
export interface SecretStore {
  /** Creates or replaces. An empty value is `bad_request`. `mode` `create` and `update` refuse the other case. */
  put(
    name: string,
    value: SecretValue,
    mode: 'create' | 'update' | 'put',
  ): Promise<{ created: boolean; version: number }>;
  /** `secret_in_use` while a webhook, an automation or a target of `notify` uses it, unless forced; `not_found` for an unknown name. */
  delete(name: string, options: { force: boolean }): Promise<void>;
  list(): Promise<SecretSummary[]>;
  /** The newest version, for an apply or a run; `null` where there is none. */
  resolve(name: string): Promise<{ version: number; value: SecretValue } | null>;
  /** A pinned version; `null` where it is gone. Throws `storage_broken` for a value that cannot be opened. */
  open(name: string, version: number): Promise<SecretValue | null>;
}
