import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process so far, in milliseconds. All figures are `NaN` on systems without `schedstat`. */
export interface ProcessorTime {
  /** Of the main thread, which has the number of its process. In a daemon, it serves HTTP. */
  mainMs: number;
  /** Time in which the main thread was ready and waited for a core: the noise of a busy machine. */
  mainWaitedMs: number;
  /** Of all threads that exist. Processes that it started are not included. */
  allMs: number;
}

export function readProcessorTime(pid: number): ProcessorTime {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => [thread, readSchedule(pid, thread)] as const);
    const [mainMs, mainWaitedMs] = threads.find(([thread]) => thread === String(pid))![1];
    return { mainMs, mainWaitedMs, allMs: threads.reduce((sum, [, [ms]]) => sum + ms, 0) };
  } catch {
    return { mainMs: Number.NaN, mainWaitedMs: Number.NaN, allMs: Number.NaN };
  }
}

/** What has passed since an earlier reading. */
export function subtractTime(after: ProcessorTime, before: ProcessorTime): ProcessorTime {
  return {
    mainMs: after.mainMs - before.mainMs,
    mainWaitedMs: after.mainWaitedMs - before.mainWaitedMs,
    allMs: after.allMs - before.allMs,
  };
}

/** Nanoseconds on a core and waiting for one, as milliseconds. A thread that has just ended has none. */
function readSchedule(pid: number, thread: string): [number, number] {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ').map(Number);
    return [ran! / 1e6, waited! / 1e6];
  } catch {
    return [0, 0];
  }
}
