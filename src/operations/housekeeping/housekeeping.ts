// What is removed by time or size. In: the policy of retention. Out: fewer rows and files, in small pieces, so that deliveries
// go first. Rows go before files: what a crash leaves between them is found as an orphan. The rows themselves:
// `storage/sql/retention/create-retention.ts`. Space of files: `runs/executors/files/run-space.ts`.

import type { RunId } from '../../domain/ids.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Retention, RetentionPolicy } from '../../domain/ports/operations.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { RetentionTime } from '../../domain/time/retention-time.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { workOnEach } from '../../domain/work-on-each.ts';
import type { HandshakeRows, RejectionRows } from '../../ingress/log/capped-rows.ts';
import type { UnloggedTally } from '../../ingress/log/unlogged-tally.ts';
import { Loop } from '../../platform/loop.ts';
import type { RunFiles } from '../../runs/executors/files/run-files.ts';
import type { RunSpace } from '../../runs/executors/files/run-space.ts';
import type { RunLogs } from '../../runs/executors/log/run-logs.ts';
import type { LiveConditions } from '../health/live-conditions.ts';

const RETENTION_INTERVAL_MS = 60_000;
const SPACE_INTERVAL_MS = 5 * 60_000;
const ORPHAN_INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Between two pieces, so that deliveries go first. */
const PIECE_PAUSE_MS = 50;
/** Runs that are looked up between two pauses. */
const PIECE_RUNS = 100;
const FLUSH_INTERVAL_MS = 5_000;

export interface HousekeepingParts {
  retention: Retention;
  policy: RetentionPolicy & { runBytes: number };
  runs: Pick<RunReader, 'get'>;
  files: RunFiles;
  /** Logs in a storage that several daemons share; `null` if the logs are files. */
  sharedLogs: RunLogs['shared'];
  space: RunSpace;
  rejectionRows: Pick<RejectionRows, 'flush'>;
  handshakeRows: Pick<HandshakeRows, 'flush'>;
  unlogged: Pick<UnloggedTally, 'flush'>;
  clock: Clock;
  steadyClock: Clock;
  retentionTime: RetentionTime;
  uptimeMs: () => number;
  /** Looked at before each pass, so that what is wrong with the clock is logged also if nobody asks. */
  conditions: Pick<LiveConditions, 'ofDaemon'>;
  logger: Logger;
}

/** A sweep asks between its pieces whether it is to end early. */
type IsStopped = () => boolean;
type Sweep = (parts: HousekeepingParts, isStopped: IsStopped) => Promise<void>;

/** Daily, each minute, and each five minutes. */
type Sweeps = readonly [orphans: Sweep, retention: readonly Sweep[], space: Sweep];
const OF_EACH_DAEMON: Sweeps = [removeOrphans, [noteConditions], limitSpace];
const OF_THE_LEADER: Sweeps = [removeOrphanedLogs, [noteConditions, removeExpired, reclaimSpace], limitSharedLogs];

/** What works until it is stopped. */
export interface Housekeeping {
  /** Removes what the daemons share, too, until `term` aborts. */
  lead(term: AbortSignal): void;
  stop(): Promise<void>;
}

/**
 * Removes files in small pieces, and as the leader expired rows. Writes the sums of rejections whose minute has ended, and the counts of
 * unlogged requests.
 */
export function startHousekeeping(parts: HousekeepingParts): Housekeeping {
  const sweeps = new TaskQueue();
  const onFailure = (error: unknown) => parts.logger.error({ err: error }, 'housekeeping failed; it is retried later');
  const repeat = (intervalMs: number, work: (ending: AbortSignal) => Promise<void>) => {
    const turn = async (ending: AbortSignal) => {
      await work(ending);
      return intervalMs;
    };
    return new Loop({ turn, onFailure });
  };
  const repeatSweeps = (intervalMs: number, ...group: Sweep[]) =>
    repeat(intervalMs, (ending) => {
      const sweep = (one: Sweep) => sweeps.run(() => one(parts, () => ending.aborted));
      return workOnEach(group, sweep, onFailure);
    });
  const repeatAll = ([orphans, retention, space]: Sweeps) => [
    repeatSweeps(ORPHAN_INTERVAL_MS, orphans),
    repeatSweeps(RETENTION_INTERVAL_MS, ...retention),
    repeatSweeps(SPACE_INTERVAL_MS, space),
  ];
  const flush = repeat(FLUSH_INTERVAL_MS, () => flushRows(parts));
  const [own, led] = [repeatAll(OF_EACH_DAEMON), repeatAll(OF_THE_LEADER)];
  flush.start({ delayMs: FLUSH_INTERVAL_MS });
  for (const loop of own) loop.start();
  return {
    lead: (term) => {
      for (const loop of led) loop.start({ term });
    },
    stop: async () => void (await Promise.all([flush, ...own, ...led].map((loop) => loop.stop()))),
  };
}

async function flushRows({ rejectionRows, handshakeRows, unlogged, clock }: HousekeepingParts): Promise<void> {
  rejectionRows.flush(clock.monotonicMs());
  handshakeRows.flush(clock.monotonicMs());
  await unlogged.flush();
}

/** What is wrong with the clock is logged also if nobody asks. */
async function noteConditions({ conditions }: HousekeepingParts): Promise<void> {
  conditions.ofDaemon();
}

async function removeExpired(parts: HousekeepingParts, isStopped: IsStopped): Promise<void> {
  const mark = parts.retentionTime.advance(parts.steadyClock.wallMs(), parts.uptimeMs());
  await parts.retention.noteMark(mark);
  // Rows are stored with the wall time: while it is behind, none of the new ones may look old.
  const nowMs = Math.min(mark.horizonMs, parts.clock.wallMs());
  for (let more = true; more && !isStopped(); ) {
    const piece = await parts.retention.prune(parts.policy, nowMs);
    for (const run of piece.removedRuns) {
      await removeFiles(parts, run);
      await removeSharedLog(parts, run);
    }
    more = piece.more;
    if (more) await pause();
  }
}

/** What the removed rows leave, also where the removal itself was aborted. */
async function reclaimSpace({ retention }: HousekeepingParts, isStopped: IsStopped): Promise<void> {
  for (let more = true; more && !isStopped(); ) {
    ({ more } = await retention.reclaim());
    if (more) await pause();
  }
}

/**
 * The row of a run goes before its files do, so that nothing shows a run without them. Files that a crash or a failure
 * left behind are found here: those whose row no longer exists. A run's first file is created long after its row.
 */
async function removeOrphans(parts: HousekeepingParts, isStopped: IsStopped): Promise<void> {
  const runs = await parts.files.list();
  for (let index = 0; index < runs.length && !isStopped(); index += 1) {
    const run = runs[index]!;
    await removeFiles(parts, run, async () => (await parts.runs.get(run)) === null);
    if (index % PIECE_RUNS === PIECE_RUNS - 1) await pause();
  }
}

/** The same for the logs in the storage that several daemons share. */
async function removeOrphanedLogs(parts: HousekeepingParts, isStopped: IsStopped): Promise<void> {
  const { sharedLogs } = parts;
  if (sharedLogs === null) return;
  for (let more = true; more; ) {
    const runs = await sharedLogs.orphans(PIECE_RUNS);
    let removed = 0;
    for (const run of runs) {
      if (isStopped()) return;
      if (await removeSharedLog(parts, run)) removed += 1;
      await pause();
    }
    // Those that could not be removed are found again: they must not keep this loop busy.
    more = runs.length === PIECE_RUNS && removed > 0;
  }
}

/** By size, where `removeExpired` goes by age (threat model D10). */
async function limitSpace({ space, policy, runs, logger }: HousekeepingParts, isStopped: IsStopped): Promise<void> {
  const hasEnded = async (id: RunId) => {
    const run = await runs.get(id);
    return run === null || (run.state !== 'queued' && run.state !== 'running');
  };
  const freed = await space.free({ limitBytes: policy.runBytes, hasEnded, isStopped });
  for (const { run, problem } of freed.stuck) logger.error({ run, problem }, 'run files not removed');
  if (freed.runs === 0) return;
  const { runs: count, bytes } = freed;
  logger.warn({ runs: count, bytes }, 'oldest run files removed to limit their size');
}

/** The same for the logs in the storage that several daemons share. */
async function limitSharedLogs({ sharedLogs, policy, logger }: HousekeepingParts, isStopped: IsStopped): Promise<void> {
  if (sharedLogs === null) return;
  const { runs, bytes, stuck } = await sharedLogs.limitSpace({ limitBytes: policy.runBytes, isStopped });
  for (const { run, problem } of stuck) logger.error({ run, problem }, 'log of a run not removed');
  if (runs > 0) logger.warn({ runs, bytes }, 'oldest run logs removed to limit their size');
}

async function removeFiles(
  { files, logger }: HousekeepingParts,
  run: string,
  isOrphan: () => Promise<boolean> = async () => true,
): Promise<void> {
  try {
    if (await isOrphan()) await files.removeRunFiles(run);
  } catch (error) {
    logger.error({ err: error, run }, 'run files not removed; retried within a day');
  }
}

/** One run in a transaction: its log can have many megabytes. `false` if it failed, which is logged. */
async function removeSharedLog({ sharedLogs, logger }: HousekeepingParts, run: string): Promise<boolean> {
  try {
    await sharedLogs?.remove(run as RunId);
    return true;
  } catch (error) {
    logger.error({ err: error, run }, 'log of a run not removed; retried within a day');
    return false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PIECE_PAUSE_MS));
}
