import type { StopOrder } from '../../core/ports/runs/executor.ts';
import { scheduleCall } from '../../core/time/schedule.ts';
import { endGroup, waitForGroupEnd } from '../../processes/process-group.ts';
import type { ProcessExit, ProcessGroup } from './start-process.ts';

export interface SupervisionLimits {
  timeoutMs: number;
  /** Between SIGTERM and SIGKILL. */
  killGraceMs: number;
  /** How long what the command left behind may go on, to write its last lines, before it is ended. */
  lingerMs: number;
}

/** Why a group was told to stop. */
export type StopCause = StopOrder['cause'] | 'timeout';

export interface Supervised {
  exit: ProcessExit;
  /** `null` where the command ended by itself. */
  stoppedBy: StopCause | null;
}

interface Stop {
  cause: StopCause;
  graceMs: number;
}

/**
 * Watches a process group to its end (threat model E3). Resolves when its leader has ended and no member is left: at
 * the deadline or on an order to stop all of it gets SIGTERM, then SIGKILL; what an ended command left behind is ended
 * the same way.
 */
export async function supervise(
  group: ProcessGroup,
  signal: AbortSignal,
  limits: SupervisionLimits,
): Promise<Supervised> {
  const watch = watchForStop(signal, limits);
  try {
    const first = await Promise.race([group.exited, watch.stop]);
    if ('cause' in first) return await stopGroup(group, first);
    if (!(await waitForGroupEnd(group.id, limits.lingerMs))) await endGroup(group.id, limits.killGraceMs);
    return { exit: first, stoppedBy: null };
  } finally {
    watch.close();
  }
}

async function stopGroup(group: ProcessGroup, { cause, graceMs }: Stop): Promise<Supervised> {
  await endGroup(group.id, graceMs);
  return { exit: await group.exited, stoppedBy: cause };
}

function watchForStop(
  signal: AbortSignal,
  { timeoutMs, killGraceMs }: SupervisionLimits,
): { stop: Promise<Stop>; close: () => void } {
  let resolve: (stop: Stop) => void = () => undefined;
  const stop = new Promise<Stop>((settle) => {
    resolve = settle;
  });
  const onAbort = () => {
    const order: StopOrder = signal.reason;
    resolve({ cause: order.cause, graceMs: order.graceMs ?? killGraceMs });
  };
  const onDeadline = () => resolve({ cause: 'timeout', graceMs: killGraceMs });
  const cancelDeadline = scheduleCall(timeoutMs, onDeadline);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  return {
    stop,
    close: () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
