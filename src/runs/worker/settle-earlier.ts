import type { Logger } from '../../domain/ports/logger.ts';
import { endLeftovers } from '../executors/command/leftovers.ts';
import { payloadFile, runLogFile } from '../executors/files/run-paths.ts';
import { OutputReader } from './output-reader.ts';
import { type Hold, HoldLost, untilAnswered, type WorkerApi } from './worker-api.ts';
import type { WorkerState } from './worker-state.ts';

/** Time between SIGTERM and SIGKILL for processes that an earlier worker left. */
const LEFTOVER_GRACE_MS = 2000;

interface SettleParts {
  api: WorkerApi;
  state: WorkerState;
  logger: Logger;
  stopped: AbortSignal;
}

/** Ends what an earlier process of this worker has left, and reports it. No run is claimed before. */
export async function settleEarlier(parts: SettleParts): Promise<void> {
  const kept = await parts.state.kept();
  // First, because a run of them may have been given to another worker.
  await Promise.all(
    kept.map(({ id, fence }) =>
      endLeftovers(payloadFile(parts.state.runsDir, { id, attempt: fence }), LEFTOVER_GRACE_MS),
    ),
  );
  for (const hold of kept) {
    if (!parts.stopped.aborted) await settle(hold, parts);
  }
}

async function settle(hold: Hold, { api, state, logger, stopped }: SettleParts): Promise<void> {
  const wasStarted = await state.startRecords.exists(hold.id, hold.fence);
  try {
    await (wasStarted ? reportInterrupted(hold, { api, state, stopped }) : handBack(hold, { api, stopped }));
    logger.info({ run: hold.id, attempt: hold.fence, wasStarted }, 'run of an earlier worker settled');
  } catch (error) {
    // The next start of the worker continues.
    if (stopped.aborted && !(error instanceof HoldLost)) return;
    if (!(error instanceof HoldLost)) {
      logger.error(
        { err: error, run: hold.id, attempt: hold.fence },
        'run of an earlier worker not settled, the next start repeats it',
      );
      return;
    }
    logger.info({ run: hold.id, attempt: hold.fence, wasStarted }, 'run of an earlier worker was lost');
  }
  await state.forget(hold);
}

async function reportInterrupted(
  hold: Hold,
  { api, state, stopped }: Pick<SettleParts, 'api' | 'state' | 'stopped'>,
): Promise<void> {
  const output = new OutputReader(runLogFile(state.logsDir, hold.id));
  while (!(await output.isLast())) {
    const part = await output.next();
    await untilAnswered(() => api.heartbeat(hold, part), stopped);
    output.confirm(part);
  }
  const { text, offset } = await output.next();
  const last = { text: `${text}\n[dockbell: interrupted: the worker ended during the attempt]\n`, offset };
  const result = { state: 'failed', error: 'interrupted', exitCode: null } as const;
  await untilAnswered(() => api.complete(hold, result, last), stopped);
}

function handBack(hold: Hold, { api, stopped }: Pick<SettleParts, 'api' | 'stopped'>): Promise<void> {
  return untilAnswered(() => api.handBack(hold, 'the worker ended before it started the run'), stopped);
}
