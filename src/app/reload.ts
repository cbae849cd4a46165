import type { Config } from '../config/config.ts';
import { type ConfigChange, type LiveConfig, planReload } from '../config/live-config.ts';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { ConfigReload, ReloadControl } from '../domain/ports/operations.ts';
import type { DrainControl } from '../domain/ports/pauses.ts';
import { TaskQueue } from '../domain/time/task-queue.ts';
import type { ServiceNotifier } from '../operations/systemd/service-notifier.ts';
import type { Parts } from '../platform/parts.ts';
import type { DispatchTerms } from '../runs/dispatch-terms.ts';

/** A change of the configuration, with what can fail already done. */
export interface Reload extends ConfigChange {
  terms: DispatchTerms;
}

interface ReloadParts {
  live: LiveConfig;
  /** Reads the configuration again. Throws `config_invalid`. */
  read(): Promise<Config>;
  /** Throws `config_invalid` for an executor that cannot be used. */
  openTerms(config: Config): Promise<DispatchTerms>;
  parts: Parts<Reload>;
  drain: Pick<DrainControl, 'state'>;
  service: Pick<ServiceNotifier, 'reloading' | 'ready'>;
  logger: Logger;
}

/**
 * Applies changes of the configuration without a restart. Everything that can fail comes first: a configuration that is
 * not valid changes nothing.
 */
export function createReload(reloading: ReloadParts): ReloadControl['reload'] {
  const reloads = new TaskQueue();
  return () =>
    reloads.run(async () => {
      reloading.service.reloading();
      try {
        return await reload(reloading);
      } catch (error) {
        reloading.logger.error({ err: error }, 'configuration not reloaded');
        throw error;
      } finally {
        reloading.service.ready();
      }
    });
}

async function reload({ live, read, openTerms, parts, drain, logger }: ReloadParts): Promise<ConfigReload> {
  if (drain.state().phase === 'stopping')
    throw new AppError('conflict', 'The daemon is stopping. The configuration is read at its next start.');
  const change = planReload(live.config, await read());
  const terms = await openTerms(change.config);
  live.replace(change.config);
  await parts.reload({ ...change, terms });
  const { added, changed, removed } = change.factories;
  const outcome: ConfigReload = {
    applied: change.applied,
    needRestart: change.needRestart,
    factories: { added: added.map(({ name }) => name), changed: changed.map(({ name }) => name), removed },
  };
  logger.info({ ...outcome }, 'configuration reloaded');
  logConfigWarnings(change.config, logger);
  return outcome;
}

/** A part that never works must not keep the daemon from starting: it would receive nothing. */
export function logConfigWarnings({ warnings }: Config, logger: Logger): void {
  for (const { where, message: problem } of warnings)
    logger.warn({ where, problem }, 'part of the configuration never works');
}
