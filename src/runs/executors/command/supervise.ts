import type { StopOrder } from '../../../domain/ports/executor.ts';
import { scheduleCall } from '../../../domain/time/schedule.ts';
import { endGroup, signalGroup, waitForGroupEnd } from '../../../platform/processes/process-group.ts';
import type { ProcessExit, ProcessGroup } from './start-process.ts';

export interface SupervisionLimits {
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL. */
  killGraceMs: number;
  /** Time for processes that outlive the command to write their last output, before they are ended. */
  lingerMs: number;
}

/** Why a group was stopped. */
type StopCause = StopOrder['cause'] | 'timeout';

export interface Supervised {
  exit: ProcessExit;
  /** `null` if the command ended without a stop. */
  stoppedBy: StopCause | null;
}

interface Stop {
  cause: StopCause;
  graceMs: number;
  force?: AbortSignal;
}

/**
 * Waits for the end of a process group (threat model E3). Resolves when its leader has ended and no member is left. At the
 * deadline, or on an order to stop, the group gets SIGTERM, then SIGKILL. Processes that outlive the command are ended in
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

async function stopGroup(group: ProcessGroup, { cause, graceMs, force }: Stop): Promise<Supervised> {
  const kill = () => void signalGroup(group.id, 'SIGKILL');
  force?.addEventListener('abort', kill);
  await endGroup(group.id, force?.aborted ? 0 : graceMs);
  force?.removeEventListener('abort', kill);
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
    resolve({ ...order, graceMs: order.graceMs ?? killGraceMs });
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
