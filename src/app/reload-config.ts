import type { Config } from '../config/config.ts';
import { type LiveConfig, planReload } from '../config/live-config.ts';
import { AppError } from '../domain/errors.ts';
import type { InventoryReader } from '../domain/ports/definitions/inventory.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { ConfigReload, ReloadControl } from '../domain/ports/reload-control.ts';
import { TaskQueue } from '../domain/time/task-queue.ts';
import type { LiveFactories } from '../ingress/registry/live-factories.ts';
import type { Registry } from '../ingress/registry/registry.ts';
import type { LiveSchedule } from '../operations/backup/live-schedule.ts';
import type { ServiceNotifier } from '../operations/systemd/service-notifier.ts';
import { collectTargets } from '../outbound/notify/create-notifier.ts';
import type { Notifier } from '../outbound/notify/notifier.ts';
import type { RequestChecks } from '../reconcile/pull-requests/create-request-checks.ts';
import type { ReconcileThread } from '../reconcile/thread/start-reconcile-thread.ts';
import type { DispatchTerms } from '../runs/dispatch-terms.ts';
import type { Dispatcher } from '../runs/dispatcher.ts';
import type { Alerts } from './create-alerts.ts';
import type { Ingress } from './create-ingress.ts';

export interface ReloadParts {
  live: LiveConfig;
  /** Reads the configuration again. Throws `config_invalid`. */
  read(): Promise<Config>;
  /** Throws `config_invalid` for an executor that cannot be used. */
  openTerms(config: Config): Promise<DispatchTerms>;
  reconciling: Pick<ReconcileThread, 'restart'>;
  factories: Pick<LiveFactories, 'remove'>;
  registry: Registry;
  inventory: Pick<InventoryReader, 'webhookNames'>;
  dispatcher: Pick<Dispatcher, 'setTerms' | 'drain'>;
  notifier: Pick<Notifier, 'setTargets'>;
  alerts: Pick<Alerts, 'reload'>;
  requestChecks: Pick<RequestChecks, 'reload'>;
  ingress: Pick<Ingress, 'setLimits'>;
  backups: Pick<LiveSchedule, 'setPolicy'>;
  service: Pick<ServiceNotifier, 'reloading' | 'ready'>;
  logger: Logger;
}

/**
 * Applies changes of the configuration without a restart. Everything that can fail comes first: a configuration that is
 * not valid changes nothing.
 */
export function createReload(parts: ReloadParts): ReloadControl {
  const reloads = new TaskQueue();
  return {
    reload: () =>
      reloads.run(async () => {
        parts.service.reloading();
        try {
          return await reload(parts);
        } catch (error) {
          parts.logger.error({ err: error }, 'configuration not reloaded');
          throw error;
        } finally {
          parts.service.ready();
        }
      }),
  };
}

async function reload(parts: ReloadParts): Promise<ConfigReload> {
  const { live, dispatcher, notifier, alerts, ingress, backups, logger } = parts;
  if (dispatcher.drain.state().phase === 'stopping') {
    throw new AppError('conflict', 'The daemon is stopping. The configuration is read at its next start.');
  }
  const change = planReload(live.config, await parts.read());
  const terms = await parts.openTerms(change.config);
  live.replace(change.config);
  ingress.setLimits(change.config.limits);
  notifier.setTargets(collectTargets(change.config));
  parts.requestChecks.reload();
  dispatcher.setTerms(terms);
  if (change.applied.some((name) => name.startsWith('backup.'))) await backups.setPolicy(change.config.backup);
  await changeFactories(parts, change);
  alerts.reload();
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

/** What is live stays live, unless the configuration no longer names its factory. */
async function changeFactories(parts: ReloadParts, change: ReturnType<typeof planReload>): Promise<void> {
  const { reconciling, registry, inventory, factories } = parts;
  const { added, changed, removed } = change.factories;
  if (added.length > 0) {
    const names = new Set(added.map(({ name }) => name));
    const stored = await inventory.webhookNames();
    registry.known.load(
      stored.filter(({ factory }) => names.has(factory)),
      () => true,
    );
  }
  const isOther = added.length + changed.length + removed.length > 0;
  if (!isOther && !change.applied.includes('limits.webhooksPerFactory')) return;
  const { config } = change;
  const settings = { factories: config.factories, webhooksPerFactory: config.limits.webhooksPerFactory };
  // The source of a factory decides which webhook reports its pushes.
  const toServe = [...added, ...changed].map(({ name }) => name);
  await reconciling.restart(settings, toServe);
  // Last: before the thread ended, a pass could have made the definition live again.
  for (const name of removed) {
    factories.remove(name);
    registry.known.noteUnconfigured(name);
  }
}
