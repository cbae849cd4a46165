import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { AppError, messageOf } from '../core/errors.ts';
import { createIdSource, type IdSource, type RandomBytes } from '../core/ids.ts';
import type { AnswerStore } from '../core/ports/access/idempotency.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Storage } from '../core/ports/storage.ts';
import { MASTER_KEY_VARIABLE } from '../core/reserved-variables.ts';
import { RetentionTime } from '../core/retention-time.ts';
import { SecretValue } from '../core/secret-value.ts';
import { type Clock, systemClock } from '../core/time/clock.ts';
import { measureUptimeMs, SteadyClock } from '../core/time/steady-clock.ts';
import { checkDataDir } from '../data-dir/check-data-dir.ts';
import { removeDaemonFile } from '../data-dir/daemon-file.ts';
import { type DataPaths, resolveDataPaths } from '../data-dir/data-paths.ts';
import { requireDatabase } from '../data-dir/require-database.ts';
import { makeFolder } from '../files/make-folder.ts';
import { builtFile } from '../files/package-files.ts';
import { createMetricProbes } from '../health/metric-probes.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { createAnswerStore } from '../secrets/answer-store.ts';
import { loadMasterKey } from '../secrets/load-master-key.ts';
import { createRedactor, type Redactor } from '../secrets/redactor.ts';
import { createSecretStore, type NamingTarget } from '../secrets/secret-store.ts';
import { createVault } from '../secrets/vault.ts';
import { verifyMasterKey } from '../secrets/verify-master-key.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import { startStorage } from '../storage/sqlite/thread/start-storage.ts';
import type { Lifetime } from './lifetime.ts';
import { readClientSecret } from './read-client-secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What everything else of a daemon stands on. */
export interface Foundation {
  config: Config;
  env: Environment;
  /** For the OpenID provider; `null` where there is none, and for a public client. */
  clientSecret: SecretValue | null;
  paths: DataPaths;
  /** The machine's clock: for signatures, and for the time at which something happened. */
  clock: Clock;
  /** For whatever ends by age. */
  steadyClock: SteadyClock;
  retentionTime: RetentionTime;
  ids: IdSource;
  randomBytes: RandomBytes;
  logger: Logger;
  metrics: Metrics;
  storage: Storage;
  /** Resolves when the storage can promise nothing any more. */
  storageBroken: Promise<AppError>;
  secrets: SecretStore;
  /** Answers of the management API that are given again. */
  answers: AnswerStore;
}

/** Where the log goes. */
export interface LogTarget {
  format: 'json' | 'text';
  /** Takes whole lines, for example `process.stdout`. */
  destination: { write(line: string): unknown };
}

/**
 * Takes the data directory, opens the storage and the secrets in it, in this order: nothing is read before the lock is
 * held, and nothing is written with a wrong master key.
 */
export async function openFoundation(
  config: Config,
  env: Environment,
  lifetime: Lifetime,
  log: LogTarget,
): Promise<Foundation> {
  // Payloads, sealed secrets and tokens are for this user alone (threat model S2), whoever made the folder.
  process.umask(0o077);
  await makeDataDir(config.dataDir);
  const openToOthers = checkDataDir(config.dataDir);
  const lock = lockDataDir(config.dataDir);
  lifetime.defer(() => lock.release());

  const redactor = createRedactor();
  const clientSecret = await readClientSecret(config.admin.oidc);
  if (clientSecret !== null) redactor.add(clientSecret);
  const logger = createLogger({ ...log, level: config.log.level, redact: (text) => redactor.redactText(text) });
  if (openToOthers !== null) logger.warn({}, openToOthers);
  const paths = resolveDataPaths(config.dataDir);
  // A daemon that was killed left its own behind, with addresses where nobody listens.
  await removeDaemonFile(paths.daemonFile);
  requireDatabase(paths);
  const thread = await startStorage(builtFile('storage/sqlite/thread/worker.js'), { file: paths.database });
  lifetime.defer(() => thread.close());
  for (const warning of thread.warnings) logger.warn({ problem: warning }, 'database file cannot shrink');

  const { storage } = thread;
  const retentionMark = await storage.retention.lastMark();
  const newestStoredMs = retentionMark?.passedAtMs ?? null;
  const steadyClock = new SteadyClock({ clock: systemClock, uptimeMs: measureUptimeMs, newestStoredMs });
  const retentionTime = new RetentionTime(retentionMark, steadyClock.wallMs());
  const { secrets, answers } = await openSecrets({ config, env, storage, redactor, logger, steadyClock });
  return {
    ...{
      config,
      env,
      clientSecret,
      paths,
      clock: systemClock,
      steadyClock,
      retentionTime,
      ids: createIdSource(randomBytes),
      randomBytes,
    },
    ...{
      logger,
      metrics: createMetrics(createMetricProbes(storage)),
      storage,
      storageBroken: thread.broken,
      secrets,
      answers,
    },
  };
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir, { mode: 0o700, isDurable: true });
  } catch (cause) {
    throw new AppError('config_invalid', `dataDir cannot be used: ${messageOf(cause)}`, { cause });
  }
}

/** Throws `master_key_wrong` before anything is written where the key is not the one that sealed what is stored. */
async function openSecrets({
  config,
  env,
  storage: { sealedSecrets: table, keptAnswers },
  redactor,
  logger,
  steadyClock,
}: Pick<Foundation, 'config' | 'env' | 'storage' | 'logger' | 'steadyClock'> & { redactor: Redactor }): Promise<
  Pick<Foundation, 'secrets' | 'answers'>
> {
  const { key, warning } = await loadMasterKey({
    masterKeyFile: config.masterKeyFile,
    environmentValue: env[MASTER_KEY_VARIABLE],
    createIfMissing: (await table.keyCheck()) === null,
  });
  if (warning !== null) logger.warn({}, warning);
  redactor.add(new SecretValue(Buffer.from(key).toString('base64')));
  const vault = createVault(key);
  await verifyMasterKey(table, vault);
  return {
    secrets: createSecretStore({
      ...{ table, vault, clock: systemClock, redactor },
      notifyTargets: listNotifyTargets(config),
    }),
    answers: createAnswerStore({ table: keptAnswers, vault, clock: steadyClock }),
  };
}

function listNotifyTargets({ factories }: Config): NamingTarget[] {
  return factories.flatMap(({ name: factory, notify }) =>
    notify.map(({ type, secretName }) => ({ factory, type, secretName })),
  );
}
