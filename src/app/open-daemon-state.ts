import { randomBytes } from 'node:crypto';
import { readClientSecret } from '../api/openid/read-client-secret.ts';
import type { LiveConfig } from '../config/live-config.ts';
import { createIdSource } from '../domain/ids.ts';
import { systemClock } from '../domain/time/clock.ts';
import { readInheritedSockets } from '../operations/systemd/inherited-sockets.ts';
import { createServiceNotifier } from '../operations/systemd/service-notifier.ts';
import { createLogger } from '../platform/logger.ts';
import { createRedactor } from '../platform/secrets/redactor.ts';
import type { DaemonOptions } from './daemon.ts';
import type { Lifetime } from './lifetime.ts';
import { openClocks, openDataDir, openSecrets } from './open-state.ts';

/** What all parts of a daemon build on: its data directory, storage, secrets, clocks and log. */
export type DaemonState = Awaited<ReturnType<typeof openDaemonState>>;

/** Opens the data directory, and in it the storage and the secrets. Nothing serves or works yet. */
export async function openDaemonState({ config }: LiveConfig, options: DaemonOptions, lifetime: Lifetime) {
  const { env } = options;
  const redactor = createRedactor();
  const redact = (text: string) => redactor.redactText(text);
  const logger = createLogger({ ...options.log, level: () => config.log.level, redact });
  const service = createServiceNotifier({ env, pid: process.pid, logger });
  lifetime.defer(() => service.close());
  const sockets = readInheritedSockets(env, process.pid, logger);
  const { paths, machine, opening } = await openDataDir(config, env, logger, lifetime);
  // The management API is most of the program: its code is compiled while the storage opens.
  const [opened, { openAdmin }] = await Promise.all([opening, import('./open-admin.ts')]);
  const { storage } = opened;
  const { steadyClock, retentionTime } = await openClocks(storage.retention);
  const clientSecret = await readClientSecret(config.admin.oidc);
  if (clientSecret !== null) redactor.add(clientSecret);
  const sealed = await openSecrets({ config, env, storage, redactor, logger, steadyClock });
  const isConfigured = (factory: string) => config.factories.some(({ name }) => name === factory);
  return {
    ...opened,
    machine,
    config,
    env,
    logger,
    service,
    sockets,
    paths,
    openAdmin,
    steadyClock,
    retentionTime,
    clientSecret,
    sealed,
    isConfigured,
    clock: systemClock,
    ids: createIdSource(randomBytes),
  };
}
