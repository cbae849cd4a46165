import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, systemErrorCode } from '../../../domain/errors.ts';
import type { RunId } from '../../../domain/ids.ts';
import { type Clock, formatInstant } from '../../../domain/time/clock.ts';
import { removeRunFolder } from './remove-run-folder.ts';
import { runFolder, runLogFile, runOfFile, runTimesFile } from './run-paths.ts';

/** Limits the disk space of ended runs (threat model D10). Retention limits their age. */
export interface RunSpace {
  /**
   * Removes the directories and logs of the oldest ended runs until those of all ended runs fit into `limitBytes`. A line
   * with the reason replaces each log. Start records are kept, because the rows of the runs are.
   */
  free(request: FreeRequest): Promise<Freed>;
}

interface Freed {
  /** Number of runs whose files were removed. */
  runs: number;
  /** Disk space of these files. */
  bytes: number;
  /** Runs whose files cannot be measured or removed, with the reason. */
  stuck: { run: RunId; problem: string }[];
}

export interface FreeRequest {
  limitBytes: number;
  hasEnded(run: RunId): Promise<boolean>;
  /** Called between runs: does the work have to end early? */
  isStopped(): boolean;
}

interface Measured {
  run: RunId;
  bytes: number;
  /** Time of the last change of the run's files: each attempt changes the folder, or the log if the run has no folder. */
  changedMs: number;
  /** Its folders are deeper than a path can be long, so its size is not known: it is removed first. */
  isTooDeep: boolean;
}

interface Places {
  runsDir: string;
  logsDir: string;
  clock: Clock;
}

export function createRunSpace(places: Places): RunSpace {
  let known = new Map<RunId, Measured>();
  return {
    free: async (request) => {
      const { ended, stuck } = await measureEnded(places, known, request);
      known = new Map(ended.map((measured) => [measured.run, measured]));
      let over = sum(ended) - request.limitBytes;
      const freed: Freed = { runs: 0, bytes: 0, stuck };
      for (const { run, bytes, isTooDeep } of tooDeepFirst(ended)) {
        if ((over <= 0 && !isTooDeep) || request.isStopped()) break;
        try {
          // The run may have been queued again since.
          if (!(await request.hasEnded(run))) continue;
          await removeOutput(places, run);
        } catch (error) {
          freed.stuck.push({ run, problem: messageOf(error) });
          continue;
        }
        known.delete(run);
        freed.runs += 1;
        freed.bytes += bytes;
        over -= bytes;
      }
      return freed;
    },
  };
}

function sum(runs: readonly Measured[]): number {
  return runs.reduce((total, { bytes }) => total + bytes, 0);
}

function tooDeepFirst(runs: readonly Measured[]): Measured[] {
  return [...runs].sort((a, b) => Number(b.isTooDeep) - Number(a.isTooDeep));
}

/**
 * Measures each ended run, oldest first (IDs begin with the time). A run that has not changed is not measured again. One that
 * cannot be measured does not keep the others from being measured.
 */
async function measureEnded(
  places: Places,
  known: ReadonlyMap<RunId, Measured>,
  { hasEnded, isStopped }: FreeRequest,
): Promise<{ ended: Measured[]; stuck: Freed['stuck'] }> {
  const ended: Measured[] = [];
  const stuck: Freed['stuck'] = [];
  for (const run of await listRuns(places)) {
    if (isStopped()) break;
    try {
      const changedMs = await findChange(places, run);
      const before = known.get(run);
      if (changedMs === null) continue;
      if (before?.changedMs === changedMs) ended.push(before);
      else if (await hasEnded(run)) ended.push({ run, changedMs, ...(await measureRun(places, run)) });
    } catch (error) {
      stuck.push({ run, problem: messageOf(error) });
    }
  }
  return { ended, stuck };
}

/** Runs of executors that need no files, such as `queue`, have a log and no folder. */
async function listRuns({ runsDir, logsDir }: Places): Promise<RunId[]> {
  const entries = [...(await listEntries(runsDir)), ...(await listEntries(logsDir))];
  const runs = new Set(entries.map(({ name }) => runOfFile(name)));
  return [...runs].filter((run) => run !== null).sort();
}

/** Longer than the line that replaces a log. */
const MAX_NOTICE_BYTES = 256;

/** When the run's files changed; `null` if nothing is left to remove. */
async function findChange({ runsDir, logsDir }: Places, run: RunId): Promise<number | null> {
  const folder = await statIfThere(runFolder(runsDir, run));
  if (folder !== null) return folder.mtimeMs;
  const log = await statIfThere(runLogFile(logsDir, run));
  return log === null || log.size <= MAX_NOTICE_BYTES ? null : log.mtimeMs;
}

async function measureRun({ runsDir, logsDir }: Places, run: RunId): Promise<Pick<Measured, 'bytes' | 'isTooDeep'>> {
  const files = await Promise.all([runLogFile(logsDir, run), runTimesFile(logsDir, run)].map(measureFile));
  const logBytes = files.reduce((bytes, file) => bytes + file, 0);
  try {
    return { bytes: logBytes + (await measureTree(runFolder(runsDir, run))), isTooDeep: false };
  } catch (error) {
    if (systemErrorCode(error) !== 'ENAMETOOLONG') throw error;
    return { bytes: logBytes, isTooDeep: true };
  }
}

async function removeOutput({ runsDir, logsDir, clock }: Places, run: RunId): Promise<void> {
  const removed = `log and files of this run were removed at ${formatInstant(clock.wallMs())} to make room`;
  const log = runLogFile(logsDir, run);
  await rm(runTimesFile(logsDir, run), { force: true });
  // A new file, because a run may have replaced its log with a link.
  await rm(log, { force: true });
  await writeFile(log, `[dockbell: ${removed}, see retention.runBytes]\n`, { flag: 'wx', mode: 0o600 });
  // Last: a folder that is left shows that there is something to remove.
  await removeRunFolder(runFolder(runsDir, run));
}

/** Space on disk, not the size of the content: a folder of many small files uses more. Links are not followed. */
async function measureTree(path: string): Promise<number> {
  let bytes = await measureFile(path);
  for (const entry of await listEntries(path)) {
    const child = join(path, entry.name);
    bytes += entry.isDirectory() ? await measureTree(child) : await measureFile(child);
  }
  return bytes;
}

const BLOCK_BYTES = 512;

async function measureFile(path: string): Promise<number> {
  const stats = await statIfThere(path);
  return stats === null ? 0 : stats.blocks * BLOCK_BYTES;
}

async function statIfThere(path: string): Promise<Stats | null> {
  return lstat(path).catch(unlessMissing(null));
}

/** A folder that its command made unreadable counts as empty. */
async function listEntries(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(unlessMissing([]));
}

function unlessMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return instead;
    throw error;
  };
}
