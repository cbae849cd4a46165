import type { Condition } from '../../domain/applies/reconciliation.ts';
import {
  type ConditionState,
  describeCondition,
  type PartCondition,
  updateConditions,
} from '../../domain/conditions.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { BackupSchedule } from '../../domain/ports/operations.ts';
import type { DrainControl, PauseControl } from '../../domain/ports/pauses.ts';
import type { RetentionTime } from '../../domain/time/retention-time.ts';
import type { ClockStep, SteadyClock } from '../../domain/time/steady-clock.ts';
import type { TargetFailure } from '../../outbound/outbox.ts';
import type { Dispatcher } from '../../runs/dispatcher.ts';

/** Conditions that no pass of a factory can know. They are found when somebody asks. */
export interface LiveConditions {
  ofDaemon(): Condition[];
  ofFactory(factory: string): Condition[];
  /** Those of the factory of which their part knows since when, and logs them. */
  datedOf(factory: string): Condition[];
}

/** What the condition of scheduled backups is read from. */
export interface WatchedBackups {
  /** `null` without scheduled backups. */
  status(): BackupSchedule | null;
  /** Since when a backup is overdue; `null` if none is. */
  findOverdue(): number | null;
}

/** A night or a day without the daemon is nothing to report. */
const REPORTED_LAG_MS = 24 * 3_600_000;

interface ConditionParts {
  config: { readonly factories: readonly { name: string }[] };
  /** As `Parts.conditions`. */
  collect(factory: string | null): readonly PartCondition[];
  nowMs(): number;
  logger: Logger;
}

export function createLiveConditions({ config, collect, nowMs, logger }: ConditionParts): LiveConditions {
  const undated = (factory: string | null) => collect(factory).filter(({ since }) => since === undefined);
  const ofDaemon = watchConditions(() => undated(null), { nowMs, logger });
  const watches = new Map<string, () => Condition[]>();
  const watch = (name: string) => {
    const watched = watchConditions(() => undated(name), { nowMs, logger: logger.child({ factory: name }) });
    watches.set(name, watched);
    return watched;
  };
  const ofFactory = (factory: string) => {
    const isConfigured = config.factories.some(({ name }) => name === factory);
    return isConfigured ? (watches.get(factory) ?? watch(factory))() : [];
  };
  const datedOf = (factory: string) =>
    collect(factory).flatMap(({ since, ...state }) => (since === undefined ? [] : [{ ...state, since }]));
  return { ofDaemon, ofFactory, datedOf };
}

/** What `/readyz` adds: no reason to send deliveries elsewhere, but somebody has to act. */
export function listWarnings(config: ConditionParts['config'], conditions: LiveConditions): string[] {
  const ofFactories = config.factories.flatMap(({ name }) =>
    conditions.ofFactory(name).map(({ message }) => `factory ${name}: ${message}`),
  );
  return [...conditions.ofDaemon().map(({ message }) => message), ...ofFactories];
}

/** Remembers since when each condition holds, and logs when one begins and ends. */
export function watchConditions(
  find: () => readonly ConditionState[],
  { nowMs, logger }: { nowMs: () => number; logger: Logger },
): () => Condition[] {
  let before: Condition[] = [];
  return () => {
    const now = updateConditions(before, find(), nowMs());
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

/** What is wrong with the clock, and what that does to retention. */
export function describeClocks(
  steadyClock: Pick<SteadyClock, 'findStep' | 'wallMs'>,
  retentionTime: Pick<RetentionTime, 'findLag'>,
): ConditionState[] {
  const nowMs = steadyClock.wallMs();
  return [describeClockStep(steadyClock.findStep()), describeRetentionLag(retentionTime.findLag(nowMs), nowMs)].filter(
    (state) => state !== null,
  );
}

function describeClockStep(step: ClockStep | null): ConditionState | null {
  if (step === null) return null;
  return describeCondition(step.wallMs > step.expectedMs ? 'ClockAhead' : 'ClockBehind', step);
}

/** Why runs do not start: those of a factory, because somebody paused them, or those of the whole daemon (`null`). */
export function describeHalt(
  { drain, pauses }: { drain: Pick<DrainControl, 'state'>; pauses: Pick<PauseControl, 'list'> },
  factory: string | null,
): ConditionState[] {
  if (factory !== null) {
    const ofFactory = pauses.list().filter((pause) => pause.factory === factory);
    return ofFactory.length === 0 ? [] : [describeCondition('PausedByUser', ofFactory)];
  }
  const { phase, executing } = drain.state();
  return phase === 'running' ? [] : [describeCondition(phase === 'stopping' ? 'Stopping' : 'Maintenance', executing)];
}

/** Why runs of this factory do not start on this machine, or why their ends are not recorded. */
export function describeTrouble(
  dispatcher: Pick<Dispatcher, 'startFailure' | 'recordFailure'>,
  factory: string | null,
): PartCondition[] {
  if (factory === null) return [];
  const [start, record] = [dispatcher.startFailure(factory), dispatcher.recordFailure(factory)];
  return [
    ...(start === null ? [] : [{ ...describeCondition('StartFailed', start.problem), since: start.since }]),
    ...(record === null ? [] : [{ ...describeCondition('RecordFailed', record.problem), since: record.since }]),
  ];
}

/** Targets of commit statuses that cannot be reached, and hosts that cannot be asked for pull requests. */
export function describeUnposted(failures: readonly TargetFailure[]): PartCondition[] {
  if (failures.length === 0) return [];
  const since = Math.min(...failures.map((failure) => failure.since));
  return [{ ...describeCondition('StatusNotPosted', failures), since }];
}

/** @param lagMs as `RetentionTime.findLag` returns it */
function describeRetentionLag(lagMs: number | null, steadyMs: number): ConditionState | null {
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
