import type { Config } from '../config/config.ts';
import { AppError, messageOf } from '../domain/errors.ts';
import type { AnswerStore } from '../domain/ports/access/idempotency.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { MasterKeyControl } from '../domain/ports/master-key-control.ts';
import type { Retention } from '../domain/ports/retention.ts';
import type { KeyProof, SecretHistory, SecretStore } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import { MASTER_KEY_VARIABLE } from '../domain/reserved-variables.ts';
import { RetentionTime } from '../domain/retention-time.ts';
import { SecretValue } from '../domain/secret-value.ts';
import { type Clock, systemClock } from '../domain/time/clock.ts';
import { measureUptimeMs, SteadyClock } from '../domain/time/steady-clock.ts';
import { removeStaleStaging } from '../operations/backup/stage-backup.ts';
import { listSecretNames } from '../outbound/alerts/alert-target.ts';
import { checkDataDir } from '../platform/data-dir/check-data-dir.ts';
import { removeDaemonFile } from '../platform/data-dir/daemon-file.ts';
import { type DataPaths, resolveDataPaths } from '../platform/data-dir/data-paths.ts';
import { requireDatabase } from '../platform/data-dir/require-database.ts';
import { noteStorage } from '../platform/data-dir/storage-note.ts';
import { readOrCreateId } from '../platform/files/id-file.ts';
import { makeFolder } from '../platform/files/make-folder.ts';
import { builtFile } from '../platform/files/package-files.ts';
import { removeDrafts } from '../platform/files/write-durably.ts';
import type { Parts } from '../platform/parts.ts';
import { createAnswerStore } from '../platform/secrets/answer-store.ts';
import { loadMasterKey, type MasterKeyRequest } from '../platform/secrets/load-master-key.ts';
import { isKeyOf, MasterKeyRotation, type PlaceKey } from '../platform/secrets/master-key-rotation.ts';
import { placeMasterKey } from '../platform/secrets/place-master-key.ts';
import type { Redactor } from '../platform/secrets/redactor.ts';
import { createSecretStore, type NamingTarget } from '../platform/secrets/secret-store.ts';
import { createVault } from '../platform/secrets/vault.ts';
import { rejectWrongKey } from '../platform/secrets/verify-master-key.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import type { PostgresSettings, ReplicaSettings } from '../storage/postgres/open-database.ts';
import { readKeyProof } from '../storage/read-key-proof.ts';
import type { SqliteFile } from '../storage/sqlite/sqlite-storage.ts';
import { type StorageThread, startStorage } from '../storage/thread/start-storage.ts';
import type { Reload } from './reload.ts';

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
  env: SecretStoreParts['env'],
  parts: Pick<Parts<Reload>, 'add'>,
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
  parts: Pick<Parts<Reload>, 'add'>,
  logger: Logger,
): Promise<OpenStorage> {
  const thread = await startThread(config, replica, paths);
  parts.add({ name: 'storage', stop: () => thread.close() });
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

/** The clocks for everything that expires. */
export async function openClocks(
  retention: Pick<Retention, 'lastMark'>,
): Promise<{ steadyClock: SteadyClock; retentionTime: RetentionTime }> {
  const mark = await retention.lastMark();
  const newestStoredMs = mark?.passedAtMs ?? null;
  const steadyClock = new SteadyClock({ clock: systemClock, uptimeMs: measureUptimeMs, newestStoredMs });
  return { steadyClock, retentionTime: new RetentionTime(mark, steadyClock.wallMs()) };
}

export interface SecretStoreParts {
  config: Pick<Config, 'masterKeyFile' | 'factories' | 'alerts'>;
  env: Readonly<Record<string, string | undefined>>;
  storage: Pick<Storage, 'sealedSecrets' | 'keptAnswers'>;
  redactor: Redactor;
  logger: Logger;
  steadyClock: Clock;
}

export interface OpenSecrets {
  secrets: SecretStore & SecretHistory;
  answers: AnswerStore;
  /** Changes the master key while the daemon runs. */
  masterKey: MasterKeyControl;
}

/** Throws `master_key_wrong`, before anything is written, if the key is not the one that sealed what is stored. */
export async function openSecrets(parts: SecretStoreParts): Promise<OpenSecrets> {
  const { config, env, storage, redactor, logger, steadyClock } = parts;
  const table = storage.sealedSecrets;
  const { key, origin, warning } = await loadMasterKey({
    masterKeyFile: config.masterKeyFile,
    environmentValue: env[MASTER_KEY_VARIABLE],
    createIfMissing: (await table.keyCheck()) === null,
  });
  if (warning !== null) logger.warn({}, warning);
  redactor.add(new SecretValue(Buffer.from(key).toString('base64')));
  const keyFile = origin === 'environment' ? null : config.masterKeyFile;
  const place = createPlace(keyFile, key, logger);
  const rotation = await MasterKeyRotation.open({ table, place }, key);
  const vault = rotation.ring;
  if (rotation.isPending) continueRotation(rotation, logger);
  const secrets = createSecretStore({
    table,
    vault,
    clock: systemClock,
    redactor,
    // A reload changes the factories.
    get notifyTargets() {
      return listNotifyTargets(config);
    },
    get receivers() {
      return listReceivers(config);
    },
    get alertTargets() {
      return config.alerts.targets.flatMap((target) =>
        listSecretNames(target).map((secretName) => ({ name: target.name, secretName })),
      );
    },
    get factories() {
      return config.factories.map(({ name }) => name);
    },
  });
  return {
    secrets,
    answers: createAnswerStore({ table: storage.keptAnswers, vault, clock: steadyClock }),
    masterKey: {
      rotate: async (nextKey) => {
        redactor.add(new SecretValue(Buffer.from(nextKey).toString('base64')));
        const outcome = await rotation.rotate(nextKey);
        return { ...(outcome ?? { state: 'done', resealed: 0, earlierKeyFile: null }), keyFile };
      },
    },
  };
}

/**
 * Puts a new key in the key file. The operator puts it in the environment, or in a folder that cannot be written.
 *
 * @param present the key that the daemon started with
 */
function createPlace(keyFile: string | null, present: Uint8Array, logger: Logger): PlaceKey {
  const waits = { placed: false, earlierKeyFile: null };
  return async (key) => {
    if (keyFile === null) return { ...waits, placed: Buffer.from(key).equals(present) };
    try {
      return { placed: true, earlierKeyFile: await placeMasterKey(keyFile, key, systemClock.wallMs()) };
    } catch (error) {
      logger.warn({ err: error, keyFile }, 'master key file cannot be replaced');
      return waits;
    }
  };
}

/** A change of the master key that an earlier daemon began. All values can be read meanwhile. */
function continueRotation(rotation: MasterKeyRotation, logger: Logger): void {
  rotation.resume().then(
    ({ state, resealed }) => {
      if (state === 'done') return logger.info({ resealed }, 'master key rotated');
      logger.warn({}, 'master key is the earlier one; put the new key in place before the next start');
    },
    (error) => logger.error({ err: error }, 'rotation of the master key failed; the next start continues it'),
  );
}

function listNotifyTargets({ factories }: Pick<Config, 'factories'>): NamingTarget[] {
  return factories.flatMap(({ name: factory, notify }) =>
    notify.map(({ type, secretName }) => ({ factory, type, secretName })),
  );
}

function listReceivers({ factories }: Pick<Config, 'factories'>): { factory: string; secretName: string }[] {
  return factories.flatMap(({ name: factory, runs: { executor } }) =>
    executor?.type === 'http' ? [{ factory, secretName: executor.secretName }] : [],
  );
}
