import { AppError } from '../../domain/errors.ts';
import type { KeyProof, ResealableSecretTable, SealedValue } from '../../domain/ports/secret-store.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { sealedNameOf } from './answer-store.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import { createVault, type Vault } from './vault.ts';
import { rejectWrongKey, verifyMasterKey } from './verify-master-key.ts';

/** Values that one transaction replaces. Deliveries are written between two of them. */
const PIECE = 200;

/** Where the key comes from: puts the new one in its place. Returns the file with the earlier key. */
export type PlaceKey = (key: Uint8Array) => Promise<{ placed: boolean; earlierKeyFile: string | null }>;

/** `waiting`: everything is sealed under the new key, which the operator has to put in place. */
interface RotationOutcome {
  state: 'done' | 'waiting';
  /** Number of values that were sealed again. */
  resealed: number;
  earlierKeyFile: string | null;
}

/** A change of the master key that has begun. */
interface Pending {
  nextKey: Uint8Array;
  next: Vault;
}

/**
 * The master key and its change (threat model S1).
 *
 * ```
 *   beginRotation ──▶ values are sealed again in pieces ──▶ the key file is replaced ──▶ endRotation
 * ```
 *
 * From `beginRotation` to `endRotation`, the storage has a record with each of the two keys, sealed under the other one. So
 * a daemon that starts with either key opens every value, and a crash at any point loses nothing: the next start continues.
 */
export class MasterKeyRotation {
  readonly ring: KeyRing;
  readonly #table: ResealableSecretTable;
  readonly #place: PlaceKey;
  readonly #work = new TaskQueue();
  #key: Uint8Array;
  #pending: Pending | null;

  private constructor(
    parts: { table: ResealableSecretTable; place: PlaceKey },
    state: { ring: KeyRing; key: Uint8Array; pending: Pending | null },
  ) {
    this.#table = parts.table;
    this.#place = parts.place;
    this.ring = state.ring;
    this.#key = state.key;
    this.#pending = state.pending;
  }

  /** Throws `master_key_wrong`, before anything is written, if the key is neither the present nor the next one. */
  static async open(
    parts: { table: ResealableSecretTable; place: PlaceKey },
    key: Uint8Array,
  ): Promise<MasterKeyRotation> {
    const vault = createVault(key);
    const record = await parts.table.rotation();
    if (record === null) {
      await verifyMasterKey(parts.table, vault);
      return new MasterKeyRotation(parts, { ring: createKeyRing(vault), key, pending: null });
    }
    const { nextKey, presentKey } = await openRecord(parts.table, vault, key, record);
    const next = createVault(nextKey);
    const ring = createKeyRing(next, [createVault(presentKey)]);
    return new MasterKeyRotation(parts, { ring, key, pending: { nextKey, next } });
  }

  /** Has a change begun that an earlier process did not complete? */
  get isPending(): boolean {
    return this.#pending !== null;
  }

  /** Continues a change that has begun. */
  resume(): Promise<RotationOutcome> {
    return this.#work.run(() => this.#complete());
  }

  /**
   * Seals everything under another key. Throws `conflict` while a change to a third key is not complete, and
   * `storage_broken` if a value cannot be opened; nothing is changed then. Resolves with `null` if it is the present key.
   */
  rotate(nextKey: Uint8Array): Promise<RotationOutcome | null> {
    return this.#work.run(async () => {
      const next = createVault(nextKey);
      if (this.#pending === null) {
        if (next.matchesKeyCheck(this.ring.keyCheck())) return null;
        await this.#begin(nextKey, next);
      } else if (!this.#pending.next.matchesKeyCheck(next.keyCheck())) throw anotherRotation();
      return this.#complete();
    });
  }

  async #begin(nextKey: Uint8Array, next: Vault): Promise<void> {
    for (let skip = 0; ; skip += PIECE) {
      const piece = await this.#table.sealedElsewhere(next.keyId(), { skip, limit: PIECE });
      for (const value of piece) openValue(this.ring, value);
      if (piece.length < PIECE) break;
    }
    await this.#table.beginRotation(composeRecord({ present: this.ring, key: this.#key }, { next, nextKey }));
    this.#pending = { nextKey, next };
    // What was sealed before this moment is stored before the next read, because the storage keeps the order.
    this.ring.change(next);
  }

  async #complete(): Promise<RotationOutcome> {
    if (this.#pending === null) return { state: 'done', resealed: 0, earlierKeyFile: null };
    const { next, nextKey } = this.#pending;
    const resealed = await this.#reseal(next);
    const { placed, earlierKeyFile } = await this.#place(nextKey);
    if (!placed) return { state: 'waiting', resealed, earlierKeyFile };
    await this.#table.endRotation(next.keyCheck());
    this.#key = nextKey;
    this.#pending = null;
    return { state: 'done', resealed, earlierKeyFile };
  }

  async #reseal(next: Vault): Promise<number> {
    for (let resealed = 0; ; ) {
      const piece = await this.#table.sealedElsewhere(next.keyId(), { skip: 0, limit: PIECE });
      if (piece.length === 0) return resealed;
      await this.#table.replaceSealed(
        piece.map((before) => {
          const { name, version } = nameOf(before);
          return { before, sealed: next.seal(name, version, openValue(this.ring, before)) };
        }),
      );
      resealed += piece.length;
    }
  }
}

function nameOf(value: SealedValue): { name: string; version: number } {
  return value.kind === 'secret' ? value : sealedNameOf(value);
}

function openValue(vault: Vault, value: SealedValue): SecretValue {
  return vault.open({ ...nameOf(value), sealed: value.sealed });
}

/** No secret can have these names. */
const NEXT = { name: 'next master key', version: 1 };
const PRESENT = { name: 'present master key', version: 1 };

interface StoredRecord {
  /** Check value of the next key. */
  check: string;
  /** The next key, sealed under the present one, and the other way round. */
  next: string;
  present: string;
}

function composeRecord({ present, key }: { present: Vault; key: Uint8Array }, { next, nextKey }: Pending): Uint8Array {
  const seal = (vault: Vault, { name, version }: typeof NEXT, content: Uint8Array) =>
    encode(vault.seal(name, version, new SecretValue(encode(content))));
  const record: StoredRecord = {
    check: encode(next.keyCheck()),
    next: seal(present, NEXT, nextKey),
    present: seal(next, PRESENT, key),
  };
  return new Uint8Array(Buffer.from(JSON.stringify(record)));
}

function readRecord(bytes: Uint8Array): StoredRecord {
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

/** Does a daemon with the key of this vault open what is stored? During a change of the master key, both keys do. */
export function isKeyOf({ keyCheck, rotation }: KeyProof, vault: Vault): boolean {
  if (vault.matchesKeyCheck(keyCheck)) return true;
  return rotation !== null && vault.matchesKeyCheck(decode(readRecord(rotation).check));
}

async function openRecord(table: ResealableSecretTable, vault: Vault, key: Uint8Array, bytes: Uint8Array) {
  const { check, next, present } = readRecord(bytes);
  const open = (place: typeof NEXT, sealed: string) =>
    decode(vault.open({ ...place, sealed: decode(sealed) }).reveal());
  if (vault.matchesKeyCheck(decode(check))) return { nextKey: key, presentKey: open(PRESENT, present) };
  const presentCheck = await table.keyCheck();
  if (presentCheck === null || !vault.matchesKeyCheck(presentCheck)) throw rejectWrongKey();
  return { nextKey: open(NEXT, next), presentKey: key };
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function decode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function anotherRotation(): AppError {
  const message =
    'An earlier change of the master key is not complete. Put its new key in place and restart the daemon, then rotate again.';
  return new AppError('conflict', message);
}
