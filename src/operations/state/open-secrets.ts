import type { Config } from '../../config/config.ts';
import type { AnswerStore } from '../../domain/ports/idempotency.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { MasterKeyControl } from '../../domain/ports/operations.ts';
import type { SecretHistory, SecretStore } from '../../domain/ports/secret-store.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import { MASTER_KEY_VARIABLE } from '../../domain/runs/reserved-variables.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { type Clock, systemClock } from '../../domain/time/clock.ts';
import { listSecretNames } from '../../outbound/alerts/alert-target.ts';
import { createAnswerStore } from '../../platform/secrets/answer-store.ts';
import { loadMasterKey } from '../../platform/secrets/load-master-key.ts';
import { MasterKeyRotation, type PlaceKey } from '../../platform/secrets/master-key-rotation.ts';
import { placeMasterKey } from '../../platform/secrets/place-master-key.ts';
import type { Redactor } from '../../platform/secrets/redactor.ts';
import { createSecretStore, type NamingTarget } from '../../platform/secrets/secret-store.ts';

interface SecretStoreParts {
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
