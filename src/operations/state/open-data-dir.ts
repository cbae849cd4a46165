import type { Config } from '../../config/config.ts';
import { describeCondition } from '../../domain/conditions.ts';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { KeyProof } from '../../domain/ports/secret-store.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { MASTER_KEY_VARIABLE } from '../../domain/runs/reserved-variables.ts';
import { checkDataDir } from '../../platform/data-dir/check-data-dir.ts';
import { removeDaemonFile } from '../../platform/data-dir/daemon-file.ts';
import { type DataPaths, resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { requireDatabase } from '../../platform/data-dir/require-database.ts';
import { noteStorage } from '../../platform/data-dir/storage-note.ts';
import { readOrCreateId } from '../../platform/files/id-file.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { removeDrafts } from '../../platform/files/write-durably.ts';
import type { Parts } from '../../platform/parts.ts';
import { loadMasterKey, type MasterKeyRequest } from '../../platform/secrets/load-master-key.ts';
import { isKeyOf } from '../../platform/secrets/master-key-rotation.ts';
import { createVault } from '../../platform/secrets/vault.ts';
import { rejectWrongKey } from '../../platform/secrets/verify-master-key.ts';
import { lockDataDir } from '../../storage/data-dir-lock.ts';
import type { PostgresSettings, ReplicaSettings } from '../../storage/postgres/open-database.ts';
import { readKeyProof } from '../../storage/read-key-proof.ts';
import type { SqliteFile } from '../../storage/sqlite/sqlite-storage.ts';
import { type StorageThread, startStorage } from '../../storage/thread/start-storage.ts';
import { removeStaleStaging } from '../backup/stage-backup.ts';
/** The data directory of a daemon, locked. */
export interface OpenDataDir {
  paths: DataPaths;
  /** ID of the data directory among those that share a database; `null` for a daemon with its own storage. */
  machine: string | null;
  /** Resolves when the storage is open. Its thread is starting, so that the caller can load code at the same time. */
  opening: Promise<OpenStorage>;
}

interface OpenStorage
  extends Pick<StorageThread, 'storage' | 'measures' | 'lock' | 'group' | 'openChannel' | 'applyPacked'> {
  /** Resolves when the storage can no longer store anything durably. */
  storageBroken: Promise<AppError>;
}

/** Locks the data directory and starts the storage in it. Nothing is read before the lock is held. */
export async function openDataDir(
  { dataDir, storage, replica, masterKeyFile }: Pick<Config, 'dataDir' | 'storage' | 'replica' | 'masterKeyFile'>,
  env: Environment,
  parts: Pick<Parts<never>, 'add'>,
  logger: Logger,
): Promise<OpenDataDir> {
  await makeDataDir(dataDir);
  const warning = checkDataDir(dataDir);
  const lock = lockDataDir(dataDir);
  parts.add({ name: 'lock of the data directory', stop: () => lock.release() });
  if (warning !== null) logger.warn({}, warning);
  const paths = resolveDataPaths(dataDir);
  // A daemon that was killed leaves its file behind, with addresses where nobody listens.
  await removeDaemonFile(paths.daemonFile);
  if (storage.type === 'sqlite') requireDatabase(paths);
  await rejectOtherKey(await findKeyProof(storage, paths), {
    masterKeyFile,
    environmentValue: env[MASTER_KEY_VARIABLE],
  });
  await removeStaleStaging(dataDir);
  await removeDrafts(dataDir);
  const machine = storage.type === 'sqlite' ? null : await readOrCreateId(paths.machineId);
  const settings = machine === null ? null : { machine, runLeaseMs: replica.runLeaseMs };
  return { paths, machine, opening: openStorage(storage, settings, paths, parts, logger) };
}

/** `null` also for a file of SQLite that only the start of the storage can explain. */
async function findKeyProof(storage: Config['storage'], { database }: DataPaths): Promise<KeyProof | null> {
  try {
    return await readKeyProof(storage, database);
  } catch (error) {
    if (storage.type === 'sqlite') return null;
    throw error;
  }
}

/**
 * Throws `master_key_wrong` before the storage writes: it migrates, proves that commits are durable, and joins the group of those
 * that share the database, while it opens.
 */
async function rejectOtherKey(
  proof: KeyProof | null,
  request: Omit<MasterKeyRequest, 'createIfMissing'>,
): Promise<void> {
  if (proof === null) return;
  const { key } = await loadMasterKey({ ...request, createIfMissing: false });
  if (!isKeyOf(proof, createVault(key))) throw rejectWrongKey();
}

async function openStorage(
  config: Config['storage'],
  replica: ReplicaSettings | null,
  paths: DataPaths,
  parts: Pick<Parts<never>, 'add'>,
  logger: Logger,
): Promise<OpenStorage> {
  const thread = await startThread(config, replica, paths);
  parts.add({
    name: 'storage',
    stop: () => thread.close(),
    conditions: (factory) =>
      factory === null && thread.lock.isForeign ? [describeCondition('LockedByAnotherProcess')] : [],
  });
  await noteStorage(paths.storageNote, config.type);
  for (const text of thread.opened.warnings) logger.warn({}, text);
  if (thread.opened.migration !== null) logger.info({ ...thread.opened.migration }, 'database migrated');
  const { storage, measures, lock, group, openChannel, applyPacked, broken } = thread;
  return { storage, measures, lock, group, openChannel, applyPacked, storageBroken: broken };
}

function startThread(
  { url, pool }: Config['storage'],
  replica: ReplicaSettings | null,
  { database }: DataPaths,
): Promise<StorageThread> {
  if (replica === null) {
    const file: SqliteFile = { file: database };
    return startStorage(builtFile('storage/sqlite/thread/worker.js'), file);
  }
  const settings: PostgresSettings & ReplicaSettings = { url: url!, pool, ...replica };
  return startStorage(builtFile('storage/postgres/thread/worker.js'), settings);
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir, { mode: 0o700, isDurable: true });
  } catch (cause) {
    throw new AppError('config_invalid', `dataDir cannot be used: ${messageOf(cause)}`, { cause });
  }
}
