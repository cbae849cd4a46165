import { randomBytes } from 'node:crypto';
import { readClientSecret } from '../api/openid/read-client-secret.ts';
import type { LiveConfig } from '../config/live-config.ts';
import { createIdSource } from '../domain/ids.ts';
import { systemClock } from '../domain/time/clock.ts';
import { describeClocks } from '../operations/health/live-conditions.ts';
import { openClocks } from '../operations/state/open-clocks.ts';
import { openDataDir } from '../operations/state/open-data-dir.ts';
import { openSecrets } from '../operations/state/open-secrets.ts';
import { readInheritedSockets } from '../operations/systemd/inherited-sockets.ts';
import { createServiceNotifier } from '../operations/systemd/service-notifier.ts';
import { readBuildIdentity } from '../platform/files/build-identity.ts';
import { createLogger } from '../platform/logger.ts';
import { Parts } from '../platform/parts.ts';
import { createRedactor } from '../platform/secrets/redactor.ts';
import type { DaemonOptions } from './daemon.ts';
import type { Reload } from './reload.ts';

/** What lives in a daemon, and what masks secrets in its log. Nothing lives yet. */
export function openParts({ config }: LiveConfig, { log }: Pick<DaemonOptions, 'log'>) {
  const redactor = createRedactor();
  const redact = (text: string) => redactor.redactText(text);
  const logger = createLogger({ ...log, level: () => config.log.level, redact });
  return { parts: new Parts<Reload>(logger), redactor, logger };
}

/** What all parts of a daemon build on: its data directory, storage, secrets, clocks and log. */
export type DaemonState = Awaited<ReturnType<typeof openDaemonState>>;

/** Opens the data directory, and in it the storage and the secrets. Nothing serves or works yet. */
export async function openDaemonState(
  { config }: LiveConfig,
  { env }: Pick<DaemonOptions, 'env'>,
  { parts, redactor, logger }: ReturnType<typeof openParts>,
) {
  const service = createServiceNotifier({ env, pid: process.pid, logger });
  parts.add({ name: 'service', stop: () => service.close() });
  const sockets = readInheritedSockets(env, process.pid, logger);
  const { paths, machine, opening } = await openDataDir(config, env, parts, logger);
  const opened = await opening;
  const { storage } = opened;
  const { steadyClock, retentionTime } = await openClocks(storage.retention);
  parts.add({ name: 'clocks', conditions: (of) => (of === null ? describeClocks(steadyClock, retentionTime) : []) });
  const clientSecret = await readClientSecret(config.admin.oidc);
  if (clientSecret !== null) redactor.add(clientSecret);
  const sealed = await openSecrets({ config, env, storage, redactor, logger, steadyClock });
  return {
    ...opened,
    parts,
    publish: parts.publish,
    /** Aborted when a stop has to hurry. */
    hurry: new AbortController(),
    /** Where the daemon listens; empty before the start. */
    addresses: { ingress: '', admin: '' },
    machine,
    config,
    env,
    logger,
    service,
    sockets,
    paths,
    steadyClock,
    retentionTime,
    clientSecret,
    sealed,
    isConfigured: (factory: string) => config.factories.some(({ name }) => name === factory),
    build: readBuildIdentity(),
    clock: systemClock,
    ids: createIdSource(randomBytes),
  };
}
