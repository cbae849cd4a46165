import type { Logger } from '../../domain/ports/logger.ts';
import type { DrainControl } from '../../domain/ports/runs/drain-control.ts';
import type { PauseControl } from '../../domain/ports/runs/pause-control.ts';
import type { Condition } from '../../domain/reconciliation.ts';
import type { RetentionTime } from '../../domain/retention-time.ts';
import type { SteadyClock } from '../../domain/time/steady-clock.ts';
import type { Registry } from '../../ingress/registry/registry.ts';
import { type ConditionState, describeUnreadableSecrets, updateConditions } from '../../reconcile/conditions.ts';
import { describeAlertTargets } from './alert-conditions.ts';
import { describeBackups, type WatchedBackups } from './backup-conditions.ts';
import { describeClockStep, describeRetentionLag } from './clock-conditions.ts';
import { describeDrain } from './describe-drain.ts';
import { describePauses } from './describe-pauses.ts';
import { describeDatabaseLock, type WatchedLock } from './storage-conditions.ts';

/** Conditions that no pass of a factory can know. They are found when somebody asks. */
export interface LiveConditions {
  ofDaemon(): Condition[];
  ofFactory(factory: string): Condition[];
}

type FindCondition = () => ConditionState | null;

/** What the conditions are read from. */
export interface ConditionParts {
  steadyClock: SteadyClock;
  retentionTime: RetentionTime;
  backups: WatchedBackups;
  databaseLock: WatchedLock;
  logger: Logger;
  config: { readonly factories: readonly { name: string }[] };
  drain: Pick<DrainControl, 'state'>;
  pauses: Pick<PauseControl, 'list'>;
  /** Targets of alerts that cannot be reached. */
  alertFailures(): readonly { target: string; problem: string }[];
}

export function createLiveConditions(
  { config, steadyClock, retentionTime, drain, pauses, backups, databaseLock, alertFailures, logger }: ConditionParts,
  registry: Registry,
): LiveConditions {
  const nowMs = () => steadyClock.wallMs();
  const ofDaemon = watchConditions(
    [
      () => describeDatabaseLock(databaseLock),
      () => describeClockStep(steadyClock.findStep()),
      () => describeDrain(drain.state()),
      () => describeRetentionLag(retentionTime.findLag(nowMs()), nowMs()),
      () => describeBackups(backups),
      () => describeAlertTargets(alertFailures()),
    ],
    { nowMs, logger },
  );
  const watches = new Map<string, () => Condition[]>();
  const watch = (name: string) => {
    const sources = [
      () => describeUnreadableSecrets(listUnreadable(registry, name)),
      () => describePauses(pauses.list(), name),
    ];
    const watched = watchConditions(sources, { nowMs, logger: logger.child({ factory: name }) });
    watches.set(name, watched);
    return watched;
  };
  const ofFactory = (factory: string) => {
    const isConfigured = config.factories.some(({ name }) => name === factory);
    return isConfigured ? (watches.get(factory) ?? watch(factory))() : [];
  };
  return { ofDaemon, ofFactory };
}

/** What `/readyz` adds: no reason to send deliveries elsewhere, but somebody has to act. */
export function listWarnings(config: ConditionParts['config'], conditions: LiveConditions): string[] {
  const ofFactories = config.factories.flatMap(({ name }) =>
    conditions.ofFactory(name).map(({ message }) => `factory ${name}: ${message}`),
  );
  return [...conditions.ofDaemon().map(({ message }) => message), ...ofFactories];
}

function listUnreadable(registry: Registry, factory: string): string[] {
  const webhooks = [...registry.current().webhooks.values()].filter((webhook) => webhook.factory === factory);
  return webhooks.flatMap(({ name, credential }) => ('unreadable' in credential ? [name] : [])).sort();
}

/** Remembers since when each condition holds, and logs when one begins and ends. */
export function watchConditions(
  sources: readonly FindCondition[],
  { nowMs, logger }: { nowMs: () => number; logger: Logger },
): () => Condition[] {
  let before: Condition[] = [];
  return () => {
    const now = updateConditions(
      before,
      sources.flatMap((find) => find() ?? []),
      nowMs(),
    );
    for (const { type, reason, message } of subtract(now, before))
      logger.warn({ type, reason, message }, 'condition began');
    for (const { type, reason } of subtract(before, now)) logger.info({ type, reason }, 'condition ended');
    before = now;
    return now;
  };
}

function subtract(conditions: readonly Condition[], others: readonly Condition[]): Condition[] {
  return conditions.filter(
    ({ type, reason }) => !others.some((other) => other.type === type && other.reason === reason),
  );
}
