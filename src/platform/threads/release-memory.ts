import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { scheduleCall } from '../../domain/time/schedule.ts';

type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** How long a thread has to be without work before it releases memory. A daemon that soon stops does not pay for it. */
const IDLE_MS = 10_000;
/** A thread releases memory again after this growth, so the cost stays in proportion to its work. */
const GROWTH = 1.5;

/**
 * Collects all garbage of the calling thread and returns free memory to the system. Without it, a thread keeps what it
 * needed to load its code: V8 collects that only when much more memory is in use. Takes 20 to 50 ms of processor time for
 * 10 MB, so it is not for a thread that answers requests.
 */
export function releaseMemory(): void {
  findCollector()?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * V8 offers the function in contexts that are created while the flag is set. The flag is not left set, because then V8 does
 * not use its compiled code of Node.js for new threads. `undefined` if another thread reset the flag meanwhile.
 */
function findCollector(): CollectGarbage | undefined {
  setFlagsFromString('--expose-gc');
  const collector = runInNewContext('globalThis.gc') as CollectGarbage | undefined;
  setFlagsFromString('--no-expose-gc');
  return collector;
}

/** Returns a function to call after each piece of work. It releases memory when the thread is idle and has grown. */
export function createIdleRelease(): () => void {
  let releasedBytes = 0;
  let cancel = () => {};
  const release = () => {
    if (measureHeap() < releasedBytes * GROWTH) return;
    releaseMemory();
    releasedBytes = measureHeap();
  };
  return () => {
    cancel();
    cancel = scheduleCall(IDLE_MS, release);
  };
}

function measureHeap(): number {
  return getHeapStatistics().total_physical_size;
}
