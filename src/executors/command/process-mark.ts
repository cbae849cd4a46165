import { readFile } from 'node:fs/promises';

/** A moment in the numbering of processes. */
export interface ProcessMark {
  /** Processes and threads that the system has started since its boot. */
  starts: number;
  /** The number that was given last; the next one is higher, or begins again at the bottom. */
  lastPid: number;
}

/** No system begins to give its numbers again sooner: the smallest default of Linux is 32,768, less a few that it keeps. */
const NUMBERS_AT_LEAST = 30_000;

/** `null` where the system does not say, which is every one but Linux. */
export async function markProcesses(): Promise<ProcessMark | null> {
  const read = (file: string) => readFile(file, 'latin1').catch(() => '');
  const [stat, load] = await Promise.all([read('/proc/stat'), read('/proc/loadavg')]);
  const starts = /^processes (\d+)$/m.exec(stat)?.[1];
  const lastPid = / (\d+)$/.exec(load.trim())?.[1];
  return starts === undefined || lastPid === undefined ? null : { starts: Number(starts), lastPid: Number(lastPid) };
}

/**
 * Was a process of this number perhaps started between two marks? Always, where the numbers may have gone all around since
 * then, or where they do not fit a process that surely was.
 * @param surely number of a process that was started between the marks
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
