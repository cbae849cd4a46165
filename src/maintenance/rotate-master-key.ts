import { randomBytes } from 'node:crypto';
import { link, readFile } from 'node:fs/promises';
import { AppError, messageOf } from '../core/errors.ts';
import { createIdSource } from '../core/ids.ts';
import type { ResealableSecretTable } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { systemClock } from '../core/time/clock.ts';
import { writeDurably } from '../files/write-durably.ts';
import { loadMasterKey, readKeyFile } from '../secrets/load-master-key.ts';
import { reseal } from '../secrets/reseal.ts';
import { createVault, type Vault } from '../secrets/vault.ts';
import { verifyMasterKey } from '../secrets/verify-master-key.ts';
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
  /** Number of secret versions that were encrypted again; `null` if an interrupted rotation had done that already. */
  resealed: number | null;
  /** The file with the earlier key; `null` if the key came from the environment or its file held the new key already. */
  earlierKeyFile: string | null;
}

/**
 * Seals everything that is stored under a new master key, then puts that key in place of the present one (threat model
 * S1). The daemon has to be stopped. A rotation that was interrupted is completed by running it again: the storage
 * changes in one transaction, and the key file after it.
 *
 * Throws what `withStoppedDaemon` throws, and `master_key_wrong` if the present key did not seal what is stored. Throws
 * `config_invalid` for a key that is missing or malformed, or cannot be stored.
 */
export function rotateMasterKey(request: RotationRequest): Promise<Rotation> {
  return withStoppedDaemon(request.dataDir, async (storage) => {
    const next = createVault(await readNewKey(request.newKeyFile));
    const resealed = await sealAnew(storage, request, next);
    const isFromFile = request.environmentValue === undefined;
    return { resealed, earlierKeyFile: isFromFile ? await putInPlace(request) : null };
  });
}

async function readNewKey(path: string): Promise<Uint8Array> {
  const found = await readKeyFile(path);
  if (found !== null) return found.key;
  throw new AppError(
    'config_invalid',
    `There is no file ${path}. Make a key with: (umask 077; openssl rand -base64 32 > ${path})`,
  );
}

async function sealAnew(storage: Storage, request: RotationRequest, next: Vault): Promise<number | null> {
  const table = storage.sealedSecrets;
  if (await isSealedUnder(table, next)) return null;
  const { keyFile: masterKeyFile, environmentValue } = request;
  const { key } = await loadMasterKey({ masterKeyFile, environmentValue, createIfMissing: false });
  const present = createVault(key);
  await verifyMasterKey(table, present);
  const values = await table.allSealed();
  await table.replaceSealed(reseal(values, present, next), next.keyCheck());
  await recordRotation(storage, values.secrets.length);
  return values.secrets.length;
}

async function isSealedUnder(table: ResealableSecretTable, vault: Vault): Promise<boolean> {
  const check = await table.keyCheck();
  return check !== null && vault.matchesKeyCheck(check);
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
    changes: { versions_of_secrets: resealed },
    status: 200,
    clientAddress: 'local',
  });
}

/** Keeps the earlier key in a file: earlier backups need it. */
async function putInPlace({ keyFile, newKeyFile }: RotationRequest): Promise<string | null> {
  try {
    const text = await readFile(newKeyFile, 'utf8');
    if ((await readFile(keyFile, 'utf8')).trim() === text.trim()) return null;
    const earlier = `${keyFile}.until-${new Date(systemClock.wallMs()).toISOString().replaceAll(/[:.]/g, '-')}`;
    await link(keyFile, earlier);
    await writeDurably(keyFile, text);
    return earlier;
  } catch (cause) {
    throw new AppError(
      'config_invalid',
      `Everything is sealed under the new key, but it cannot be put in place at ${keyFile}: ${messageOf(cause)}. ` +
        `Replace that file by ${newKeyFile} before you start the daemon, and keep the earlier key for older backups`,
      { cause },
    );
  }
}
