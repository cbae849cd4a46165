import type { RunId } from '../../domain/ids.ts';
import type { NotStarted, StartRecords, StopOrder } from '../../domain/ports/executor.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { RunResult } from '../../domain/resources/run.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { createRedactingTransform } from '../../platform/secrets/redactor.ts';
import { createCommandExecutor } from '../executors/command/command-executor.ts';
import { createRunArtifacts } from '../executors/files/run-artifacts.ts';
import { runLogFile } from '../executors/files/run-paths.ts';
import { appendAttempts } from '../executors/log/open-run-log.ts';
import type { WatchdogProcess } from '../executors/watchdog/run-watchdog.ts';
import { checkOutClaimed } from './check-out-claimed.ts';
import { describeClaim } from './describe-claim.ts';
import { HeldLease, type LeaseTime } from './held-lease.ts';
import { OutputReader } from './output-reader.ts';
import { uploadArtifacts } from './upload-artifacts.ts';
import { type ClaimedRun, type Hold, HoldLost, untilAnswered, type WorkerApi } from './worker-api.ts';
import type { WorkerState } from './worker-state.ts';

export interface ExecutionParts {
  command: readonly string[];
  /** `PATH` of the command. */
  searchPath: string;
  /** Of the worker. git gets a part of it. */
  environment: Environment;
  api: WorkerApi;
  state: WorkerState;
  /** Ends the commands if this process cannot. */
  watchdog: WatchdogProcess;
  logger: Logger;
}

/** An attempt that this worker holds. */
export interface HeldAttempt {
  hold: Hold;
  /** Ends the command. Its attempt is reported as interrupted. */
  stop(graceMs: number | null): void;
  /** Resolves with whether this machine could start the command, when the daemon has the result or the run is lost. */
  done: Promise<boolean>;
}

/** Executes a run as the executor `command` of the daemon does, and reports its output and its end. */
export function executeClaimed(claimed: ClaimedRun, claimedAt: LeaseTime, parts: ExecutionParts): HeldAttempt {
  const hold: Hold = { id: claimed.run.id as RunId, fence: claimed.fence };
  const stopping = new AbortController();
  const stop = (graceMs: number | null) => stopping.abort({ cause: 'interrupted', graceMs } satisfies StopOrder);
  const output = new OutputReader(runLogFile(parts.state.logsDir, hold.id));
  const leaseMs = claimed.lease_seconds * 1000;
  const onHeld = (until: number) => parts.watchdog.extend(until, hold.id);
  const lease = new HeldLease({ hold, leaseMs, claimedAt, api: parts.api, output, onHeld, onLost: stop });
  const logger = parts.logger.child({ run: hold.id, attempt: hold.fence });
  const attempt: Attempt = { claimed, hold, lease, output, signal: stopping.signal, parts: { ...parts, logger } };
  return { hold, stop, done: executeAttempt(attempt) };
}

interface Attempt {
  claimed: ClaimedRun;
  hold: Hold;
  lease: HeldLease;
  output: OutputReader;
  /** Aborted with a `StopOrder`. */
  signal: AbortSignal;
  parts: ExecutionParts;
}

async function executeAttempt(attempt: Attempt): Promise<boolean> {
  const { claimed, hold, lease, parts } = attempt;
  const { state, logger } = parts;
  // Without heartbeats, the lease ends.
  const keeping = lease.keep().catch((error: unknown) => logger.error({ err: error }, 'sending heartbeats failed'));
  let isAble = true;
  try {
    await state.keep(hold);
    const result = await executeCommand(attempt);
    isAble = result.state !== 'not_started';
    if (!lease.isLost) await report(attempt, result);
    if (lease.isLost) logger.warn({}, 'run lost');
    else logger.info({ automation: claimed.run.automation, ...result }, 'run ended');
    await state.forget(hold);
  } catch (error) {
    isAble = false;
    // What is left is settled by the next start of the worker, or by the end of the lease.
    logger.error({ err: error }, error instanceof HoldLost ? 'run lost' : 'executing a run failed');
    if (error instanceof HoldLost) await state.forget(hold).catch(() => undefined);
  } finally {
    lease.end();
    await keeping;
    parts.watchdog.release(hold.id);
  }
  return isAble;
}

async function executeCommand({ claimed, hold, lease, signal, parts }: Attempt): Promise<RunResult | NotStarted> {
  const { api, state, logger } = parts;
  const payload = await untilAnswered(() => api.payload(hold.id), lease.ended);
  const executor = createCommandExecutor({
    command: parts.command,
    searchPath: parts.searchPath,
    timeoutMs: claimed.timeout_seconds * 1000,
    runsDir: state.runsDir,
    openOutput: appendAttempts(state.logsDir, systemClock),
    startRecords: recordWithDaemon(hold, lease, parts),
    watchdog: parts.watchdog,
    // The daemon has begun the log of the attempt.
    renderMark: () => '',
    checkOut: (_, place) => checkOutClaimed(claimed, place, parts.environment),
    maskOutput: createRedactingTransform,
    clock: systemClock,
    logger,
  });
  const result = await executor.execute({
    ...describeClaim(claimed, payload),
    readAgentFiles: () => untilAnswered(() => api.agentFiles(hold.id), lease.ended),
    signal,
    onStarted: () => logger.info({ automation: claimed.run.automation }, 'run started'),
  });
  if (result.state === 'accepted') throw new Error('a command cannot be accepted');
  return result;
}

/**
 * The start is recorded here, so that the worker knows it after a crash. Then it is recorded with the daemon, which does not
 * repeat the attempt from then on. The command starts after both.
 */
function recordWithDaemon(hold: Hold, lease: HeldLease, { api, state }: ExecutionParts): StartRecords {
  const { startRecords } = state;
  return {
    create: async (run, attempt) => {
      if (!(await startRecords.create(run, attempt))) return false;
      await lease.renew(() => untilAnswered(() => api.start(hold), lease.ended));
      if (lease.ended.aborted) throw new HoldLost('the lease ended before the command was started');
      return true;
    },
    exists: (run, attempt) => startRecords.exists(run, attempt),
    delete: (run) => startRecords.delete(run),
  };
}

async function report(attempt: Attempt, result: RunResult | NotStarted): Promise<void> {
  const { hold, lease, output, parts } = attempt;
  const { api, state } = parts;
  const wasStarted = await state.startRecords.exists(hold.id, hold.fence);
  if (!wasStarted && (result.state === 'not_started' || result.error === 'interrupted')) {
    const reason = result.state === 'not_started' ? result.problem : 'the worker is stopping';
    return untilAnswered(() => api.handBack(hold, reason), lease.ended);
  }
  const artifacts = createRunArtifacts(state.runsDir);
  await uploadArtifacts(hold, { api, artifacts, ended: lease.ended, logger: parts.logger });
  await lease.flush();
  const end = result.state === 'not_started' ? describeProblem(result) : result;
  const last = await output.next();
  await untilAnswered(() => api.complete(hold, end, last), lease.ended);
}

function describeProblem({ problem }: NotStarted): RunResult {
  return { state: 'failed', error: problem, exitCode: null };
}
