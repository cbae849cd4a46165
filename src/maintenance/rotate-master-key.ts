import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '../core/errors.ts';
import { createIdSource } from '../core/ids.ts';
import type { Storage } from '../core/ports/storage.ts';
import { systemClock } from '../core/time/clock.ts';
import { loadMasterKey, readKeyFile } from '../secrets/load-master-key.ts';
import { MasterKeyRotation } from '../secrets/master-key-rotation.ts';
import { placeMasterKey } from '../secrets/place-master-key.ts';
import { createVault } from '../secrets/vault.ts';
import { withStoppedDaemon } from './stopped-daemon.ts';

export interface RotationRequest {
  dataDir: string;
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
}

/**
 * Seals everything that is stored under a new master key, then puts that key in place of the present one (threat model
 * S1). The daemon has to be stopped. A rotation that was interrupted is completed by running it again, or by the next
 * start of the daemon.
 *
 * Throws what `withStoppedDaemon` throws, and `master_key_wrong` if the present key did not seal what is stored. Throws
 * `config_invalid` for a key that is missing or malformed, or cannot be stored.
 */
export function rotateMasterKey(request: RotationRequest): Promise<Rotation> {
  return withStoppedDaemon(request.dataDir, async (storage) => {
    const nextKey = await readNewKey(request.newKeyFile);
    const rotation = await openRotation(storage, request, nextKey);
    const outcome = await rotation.rotate(nextKey);
    if (outcome !== null) await recordRotation(storage, outcome.resealed);
    // An earlier version, or an operator, may have replaced the key of the storage without the file.
    const earlierKeyFile = outcome === null ? await putInPlace(request, nextKey) : outcome.earlierKeyFile;
    return { resealed: outcome?.resealed ?? null, earlierKeyFile };
  });
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
  nextKey: Uint8Array,
): Promise<MasterKeyRotation> {
  const place = async (key: Uint8Array) => ({ placed: true, earlierKeyFile: await putInPlace(request, key) });
  const check = await table.keyCheck();
  if (check !== null && createVault(nextKey).matchesKeyCheck(check)) {
    return MasterKeyRotation.open({ table, place }, nextKey);
  }
  const { keyFile: masterKeyFile, environmentValue } = request;
  const { key } = await loadMasterKey({ masterKeyFile, environmentValue, createIfMissing: false });
  return MasterKeyRotation.open({ table, place }, key);
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

/** The environment has the key of the next start, so only a file is replaced. */
async function putInPlace(
  { keyFile, newKeyFile, environmentValue }: RotationRequest,
  key: Uint8Array,
): Promise<string | null> {
  if (environmentValue !== undefined) return null;
  try {
    return await placeMasterKey(keyFile, key, systemClock.wallMs());
  } catch (cause) {
    throw new AppError(
      'config_invalid',
      `Everything is sealed under the new key, but it cannot be put in place at ${keyFile}: ${messageOf(cause)}. ` +
        `Replace that file by ${newKeyFile} before you start the daemon, and keep the earlier key for older backups`,
      { cause },
    );
  }
}
