import { type ConditionState, describeCondition, updateConditions } from '../../domain/conditions.ts';
import type { BackupSchedule } from '../../domain/ports/backup-control.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { DrainControl, DrainState } from '../../domain/ports/runs/drain-control.ts';
import type { PauseControl } from '../../domain/ports/runs/pause-control.ts';
import type { Pause } from '../../domain/ports/runs/pause-table.ts';
import type { Condition } from '../../domain/reconciliation.ts';
import type { RetentionTime } from '../../domain/retention-time.ts';
import type { ClockStep, SteadyClock } from '../../domain/time/steady-clock.ts';
import type { Registry } from '../../ingress/registry/registry.ts';
import type { WatchedLock } from './health.ts';

/** Conditions that no pass of a factory can know. They are found when somebody asks. */
export interface LiveConditions {
  ofDaemon(): Condition[];
  ofFactory(factory: string): Condition[];
}

type FindCondition = () => ConditionState | null;

/** What the condition of scheduled backups is read from. */
export interface WatchedBackups {
  /** `null` without scheduled backups. */
  status(): BackupSchedule | null;
  /** Since when a backup is overdue; `null` if none is. */
  findOverdue(): number | null;
}

/** A night or a day without the daemon is nothing to report. */
const REPORTED_LAG_MS = 24 * 3_600_000;

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

function describeDatabaseLock({ isForeign }: WatchedLock): ConditionState | null {
  return isForeign ? describeCondition('LockedByAnotherProcess') : null;
}

export function describeClockStep(step: ClockStep | null): ConditionState | null {
  if (step === null) return null;
  return describeCondition(step.wallMs > step.expectedMs ? 'ClockAhead' : 'ClockBehind', step);
}

/** While runs do not start, every factory shows it. */
function describeDrain({ phase, executing }: DrainState): ConditionState | null {
  if (phase === 'running') return null;
  return describeCondition(phase === 'stopping' ? 'Stopping' : 'Maintenance', executing);
}

/** @param lagMs as `RetentionTime.findLag` returns it */
export function describeRetentionLag(lagMs: number | null, steadyMs: number): ConditionState | null {
  return lagMs === null || lagMs <= REPORTED_LAG_MS ? null : describeCondition('CatchingUp', steadyMs, lagMs);
}

/** A backup failed and none was stored since, or the last one is older than it may be. */
export function describeBackups(backups: WatchedBackups): ConditionState | null {
  const status = backups.status();
  if (status === null) return null;
  const { lastSuccess, lastFailure, dir } = status;
  const lastAt = lastSuccess?.at ?? null;
  if (lastFailure !== null && lastFailure.at > (lastAt ?? 0)) {
    return describeCondition('BackupFailed', lastAt, lastFailure.problem);
  }
  return backups.findOverdue() === null ? null : describeCondition('NoRecentBackup', lastAt, dir);
}

function describeAlertTargets(failures: ReturnType<ConditionParts['alertFailures']>): ConditionState | null {
  return failures.length === 0 ? null : describeCondition('MessageNotSent', failures);
}

function describeUnreadableSecrets(webhooks: readonly string[]): ConditionState | null {
  return webhooks.length === 0 ? null : describeCondition('SecretUnreadable', webhooks);
}

/** While runs of a factory do not start, because somebody paused it or some of its automations. */
function describePauses(pauses: readonly Pause[], name: string): ConditionState | null {
  const ofFactory = pauses.filter(({ factory }) => factory === name);
  return ofFactory.length === 0 ? null : describeCondition('PausedByUser', ofFactory);
}
