import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '../../domain/errors.ts';
import { createIdSource } from '../../domain/ids.ts';
import type { KeyProof } from '../../domain/ports/secret-store.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { loadMasterKey, readKeyFile } from '../../platform/secrets/load-master-key.ts';
import { isKeyOf, MasterKeyRotation, type PlaceKey } from '../../platform/secrets/master-key-rotation.ts';
import { placeMasterKey } from '../../platform/secrets/place-master-key.ts';
import { createVault } from '../../platform/secrets/vault.ts';
import { rejectWrongKey } from '../../platform/secrets/verify-master-key.ts';
import { type StoppedDaemon, withStoppedDaemon } from './stopped-daemon.ts';

export interface RotationRequest {
  daemon: StoppedDaemon;
  newKeyFile: string;
  /** Holds the present key, unless the environment does. */
  keyFile: string;
  /** The value of `DOCKBELL_MASTER_KEY`; `undefined` if it is not set. */
  environmentValue: string | undefined;
}

export interface Rotation {
  /** Number of values that were encrypted again; `null` if the storage had the new key already. */
  resealed: number | null;
  /** The file with the earlier key; `null` if the key came from the environment or its file held the new key already. */
  earlierKeyFile: string | null;
  /** Is the new key where the daemon reads it? Only the operator can change the environment. */
  isPlaced: boolean;
}

/**
 * Seals everything that is stored under a new master key, then puts that key in place of the present one (threat model
 * S1). The daemon has to be stopped. A rotation that was interrupted is completed by running it again, or by the next
 * start of the daemon. Only the operator can replace a key in the environment. The rotation ends with the first start,
 * or the next run, that gets the new key there.
 *
 * Throws what `withStoppedDaemon` throws, and `master_key_wrong` if the present key did not seal what is stored. Throws
 * `config_invalid` for a key that is missing or malformed, or cannot be stored.
 */
export function rotateMasterKey(request: RotationRequest): Promise<Rotation> {
  const rotate = async (storage: Storage): Promise<Rotation> => {
    const nextKey = await readNewKey(request.newKeyFile);
    const place = createPlace(request);
    const rotation = await openRotation(storage, request, { nextKey, place });
    const outcome = await rotation.rotate(nextKey);
    if (outcome !== null) {
      await recordRotation(storage, outcome.resealed);
      const { resealed, earlierKeyFile, state } = outcome;
      return { resealed, earlierKeyFile, isPlaced: state === 'done' };
    }
    // An earlier version, or an operator, may have replaced the key of the storage without the file.
    const { placed, earlierKeyFile } = await place(nextKey);
    return { resealed: null, earlierKeyFile, isPlaced: placed };
  };
  return withStoppedDaemon(request.daemon, rotate, (proof) => rejectOtherKeys(request, proof));
}

/** Throws `master_key_wrong` if neither key is one of the storage. */
async function rejectOtherKeys(request: RotationRequest, proof: KeyProof | null): Promise<void> {
  const nextKey = await readNewKey(request.newKeyFile);
  if (proof === null || isKeyOf(proof, createVault(nextKey))) return;
  if (!isKeyOf(proof, createVault(await loadPresentKey(request)))) throw rejectWrongKey();
}

/** Throws `config_invalid` if the file is missing, malformed or accessible to others. */
export async function readNewKey(path: string): Promise<Uint8Array> {
  const found = await readKeyFile(path);
  if (found !== null) return found.key;
  throw new AppError(
    'config_invalid',
    `There is no file ${path}. Make a key with: (umask 077; openssl rand -base64 32 > ${path})`,
  );
}

async function openRotation(
  { sealedSecrets: table }: Storage,
  request: RotationRequest,
  { nextKey, place }: { nextKey: Uint8Array; place: PlaceKey },
): Promise<MasterKeyRotation> {
  const check = await table.keyCheck();
  if (check !== null && createVault(nextKey).matchesKeyCheck(check)) {
    return MasterKeyRotation.open({ table, place }, nextKey);
  }
  return MasterKeyRotation.open({ table, place }, await loadPresentKey(request));
}

async function loadPresentKey({ keyFile, environmentValue }: RotationRequest): Promise<Uint8Array> {
  return (await loadMasterKey({ masterKeyFile: keyFile, environmentValue, createIfMissing: false })).key;
}

async function recordRotation({ auditLog }: Storage, resealed: number): Promise<void> {
  const at = systemClock.wallMs();
  await auditLog.append({
    id: createIdSource(randomBytes).auditId(at),
    at,
    actor: null,
    method: 'CLI',
    route: 'dockbell key rotate',
    object: 'master-key',
    changes: { sealed_values: resealed },
    status: 200,
    clientAddress: 'local',
  });
}

/** Replaces the key file. The environment has the new key only if the operator has put it there. */
function createPlace(request: RotationRequest): PlaceKey {
  const { keyFile, newKeyFile } = request;
  return async (key) => {
    if (request.environmentValue !== undefined) {
      const present = await loadPresentKey(request);
      return { placed: Buffer.from(key).equals(present), earlierKeyFile: null };
    }
    try {
      return { placed: true, earlierKeyFile: await placeMasterKey(keyFile, key, systemClock.wallMs()) };
    } catch (cause) {
      throw new AppError(
        'config_invalid',
        `Everything is sealed under the new key, but it cannot be put in place at ${keyFile}: ${messageOf(cause)}. ` +
          `Replace that file by ${newKeyFile} before you start the daemon, and keep the earlier key for older backups`,
        { cause },
      );
    }
  };
}
