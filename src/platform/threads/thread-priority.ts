import { constants, getPriority, setPriority } from 'node:os';

/** As `nice -n`: what is added to the priority of the process. The sum is at most 19, the lowest priority. */
const ADDED = 10;

/**
 * Lowers the priority of the calling thread, and of the programs that it starts from now on. Threads that serve deliveries
 * then get a processor first. Linux has a priority for each thread; elsewhere the whole process would have it, so nothing
 * is changed.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    // Without a process ID, the call concerns the calling thread.
    setPriority(Math.min(getPriority() + ADDED, constants.priority.PRIORITY_LOW));
  } catch {
    // A sandbox may forbid it. Then all threads keep the same priority.
  }
}
