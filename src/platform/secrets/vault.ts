// Secrets. In: values of teams and the master key. Out: sealed bytes for the storage, and open values only where they are
// used. `secret-store.ts` is the store of versions and scopes, `load-master-key.ts` finds the key, `master-key-rotation.ts`
// changes it. `redactor.ts` masks values in the log and in the output of runs.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { RandomBytes } from '../../domain/ids.ts';
import type { SealedSecret } from '../../domain/ports/secret-store.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';

/** Length of the master key and of every data key, in bytes. */
export const MASTER_KEY_BYTES = 32;

const FORMAT = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const WRAPPED_BYTES = NONCE_BYTES + TAG_BYTES + MASTER_KEY_BYTES;
const SHORTEST_BYTES = HEADER_BYTES + WRAPPED_BYTES + NONCE_BYTES + TAG_BYTES;

type Layer = 'data-key' | 'value';

/** Seals and opens values under one master key (threat model S1). */
export interface Vault {
  /** The bytes to store for this value under this name and version; never the same twice. */
  seal(name: string, version: number, value: SecretValue): Uint8Array;
  /** Throws `storage_broken` with secret and version if the bytes were not sealed here for exactly these. */
  open(secret: Pick<SealedSecret, 'name' | 'version' | 'sealed'>): SecretValue;
  /** Proof of the master key: distinguishes keys and reveals nothing about them. */
  keyCheck(): Uint8Array;
  /** Was this proof made with the same master key? */
  matchesKeyCheck(check: Uint8Array): boolean;
  /** The bytes that every value sealed under this master key begins with. */
  keyId(): Uint8Array;
  /** Was this value sealed under the same master key, according to its key ID? */
  sealedHere(sealed: Uint8Array): boolean;
}

/**
 * Creates the vault of a 32-byte master key.
 *
 * Layout of a sealed value: format (1 byte), key id (8), then two boxes of nonce (12), tag (16) and ciphertext: the
 * data key under the master key, and the value under the data key. Each box authenticates the format, the key id, its
 * layer, and the secret's name and version, so that no box can be moved to another secret or to another place.
 */
export function createVault(masterKey: Uint8Array, random: RandomBytes = randomBytes): Vault {
  if (masterKey.byteLength !== MASTER_KEY_BYTES) {
    throw new AppError(
      'config_invalid',
      `A master key has ${MASTER_KEY_BYTES} bytes; this one has ${masterKey.byteLength}.`,
    );
  }
  const key = Uint8Array.from(masterKey);
  const header = Buffer.concat([Uint8Array.of(FORMAT), derive(key, 'key id', KEY_ID_BYTES)]);
  const check = Buffer.concat([Uint8Array.of(FORMAT), derive(key, 'key check', 32)]);
  const sealedHere = (sealed: Uint8Array) => header.equals(sealed.subarray(0, HEADER_BYTES));
  return {
    seal: (name, version, value) => sealValue({ key, header, random }, { name, version }, value),
    open: (secret) => {
      if (!sealedHere(secret.sealed)) throw unreadable(secret, 'it was sealed under another master key or damaged');
      return openValue(key, header, secret);
    },
    keyCheck: () => Uint8Array.from(check),
    keyId: () => Uint8Array.from(header),
    matchesKeyCheck: (other) => other.byteLength === check.byteLength && timingSafeEqual(other, check),
    sealedHere,
  };
}

/** Derives independent material from the master key, so that stored plain text reveals nothing about the key. */
function derive(key: Uint8Array, purpose: string, size: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), `dockbell ${purpose} v1`, size));
}

interface SealContext {
  key: Uint8Array;
  header: Uint8Array;
  random: RandomBytes;
}

interface SecretVersion {
  name: string;
  version: number;
}

function sealValue({ key, header, random }: SealContext, secret: SecretVersion, value: SecretValue): Uint8Array {
  const dataKey = random(MASTER_KEY_BYTES);
  const plain = Buffer.from(value.reveal(), 'utf8');
  try {
    const wrapped = encrypt(key, random(NONCE_BYTES), boundData(header, 'data-key', secret), dataKey);
    const box = encrypt(dataKey, random(NONCE_BYTES), boundData(header, 'value', secret), plain);
    return Uint8Array.from(Buffer.concat([header, wrapped, box]));
  } finally {
    dataKey.fill(0);
    plain.fill(0);
  }
}

function openValue(
  key: Uint8Array,
  header: Uint8Array,
  secret: Pick<SealedSecret, 'name' | 'version' | 'sealed'>,
): SecretValue {
  const { sealed } = secret;
  if (sealed.byteLength < SHORTEST_BYTES) throw unreadable(secret, 'it is truncated');
  try {
    const wrapped = sealed.subarray(HEADER_BYTES, HEADER_BYTES + WRAPPED_BYTES);
    const dataKey = decrypt(key, boundData(header, 'data-key', secret), wrapped);
    const box = sealed.subarray(HEADER_BYTES + WRAPPED_BYTES);
    const plain = decrypt(dataKey, boundData(header, 'value', secret), box);
    const value = new SecretValue(plain.toString('utf8'));
    dataKey.fill(0);
    plain.fill(0);
    return value;
  } catch (cause) {
    throw unreadable(secret, 'its bytes were changed or belong to another secret or version', cause);
  }
}

function encrypt(key: Uint8Array, nonce: Uint8Array, bound: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bound);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

function decrypt(key: Uint8Array, bound: Uint8Array, box: Uint8Array): Buffer {
  const nonce = box.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** The associated data. Unambiguous, because the name is last and everything before it has a fixed length. */
function boundData(header: Uint8Array, layer: Layer, { name, version }: SecretVersion): Uint8Array {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(version));
  return Buffer.concat([header, Uint8Array.of(layer === 'data-key' ? 1 : 2), number, Buffer.from(name, 'utf8')]);
}

function unreadable({ name, version }: SecretVersion, why: string, cause?: unknown): AppError {
  const message =
    `Version ${version} of the secret ${name} cannot be opened: ${why}. ` +
    `Restore the database from a backup, or set the secret again with "dockbell secret update ${name}".`;
  return new AppError('storage_broken', message, { cause, details: { secret: name, version } });
}
