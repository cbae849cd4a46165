import { readFile } from 'node:fs/promises';

/** A position in the numbering of processes. */
export interface ProcessMark {
  /** Processes and threads that the system has started since its boot. */
  starts: number;
  /** The last number; the next one is higher, or the numbering starts again. */
  lastPid: number;
}

/** No system reuses numbers sooner: the smallest default of Linux is 32,768, minus a few reserved ones. */
const NUMBERS_AT_LEAST = 30_000;

/** Resolves with `null` on systems other than Linux. */
export async function markProcesses(): Promise<ProcessMark | null> {
  const read = (file: string) => readFile(file, 'latin1').catch(() => '');
  const [stat, load] = await Promise.all([read('/proc/stat'), read('/proc/loadavg')]);
  const starts = /^processes (\d+)$/m.exec(stat)?.[1];
  const lastPid = / (\d+)$/.exec(load.trim())?.[1];
  return starts === undefined || lastPid === undefined ? null : { starts: Number(starts), lastPid: Number(lastPid) };
}

/**
 * Was a process with this number possibly started between two marks? Always true if the numbering may have started again
 * since then, or if the marks do not match a process that was started between them.
 * @param surely number of a process that was certainly started between the marks
 */
export function selectStartedBetween(
  before: ProcessMark | null,
  after: ProcessMark | null,
  surely: number,
): (pid: number) => boolean {
  if (before === null || after === null || after.starts - before.starts >= NUMBERS_AT_LEAST) return () => true;
  const isBetween = (pid: number) =>
    after.lastPid >= before.lastPid
      ? pid > before.lastPid && pid <= after.lastPid
      : pid > before.lastPid || pid <= after.lastPid;
  return isBetween(surely) ? isBetween : () => true;
}
