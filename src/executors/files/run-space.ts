import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, systemErrorCode } from '../../core/errors.ts';
import { isRunId, type RunId } from '../../core/ids.ts';
import { type Clock, formatInstant } from '../../core/time/clock.ts';
import { removeRunFolder } from './remove-run-folder.ts';
import { runFolder, runLogFile } from './run-paths.ts';

/** What ended runs may leave on disk, by size (threat model D10). Age is the business of retention. */
export interface RunSpace {
  /**
   * Removes the directories and logs of the oldest ended runs until those of all ended runs fit into `limitBytes`. In
   * place of a log a line stays that says so; tickets stay too, because the rows of the runs do.
   */
  free(request: FreeRequest): Promise<Freed>;
}

export interface Freed {
  /** So many runs lost their files, which took so many bytes of the disk. */
  runs: number;
  bytes: number;
  /** Runs whose files cannot be removed, with the reason. The next ones went in their place. */
  stuck: { run: RunId; problem: string }[];
}

export interface FreeRequest {
  limitBytes: number;
  hasEnded(run: RunId): Promise<boolean>;
  /** Asked between runs: is the work to end early? */
  isStopped(): boolean;
}

interface Measured {
  run: RunId;
  bytes: number;
  /** Of the run's folder, which changes with every attempt. */
  changedMs: number;
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
      const ended = await measureEnded(places, known, request);
      known = new Map(ended.map((measured) => [measured.run, measured]));
      let over = sum(ended) - request.limitBytes;
      const freed: Freed = { runs: 0, bytes: 0, stuck: [] };
      for (const { run, bytes } of ended) {
        if (over <= 0 || request.isStopped()) break;
        // A run may have been queued again since.
        if (!(await request.hasEnded(run))) continue;
        const problem = await tryToRemoveOutput(places, run);
        if (problem !== null) {
          freed.stuck.push({ run, problem });
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

/** Every ended run that has a folder, oldest first: identifiers begin with the time. What has not changed is not measured again. */
async function measureEnded(
  { runsDir, logsDir }: Places,
  known: ReadonlyMap<RunId, Measured>,
  { hasEnded, isStopped }: FreeRequest,
): Promise<Measured[]> {
  const ended: Measured[] = [];
  for (const run of (await listEntries(runsDir))
    .map(({ name }) => name)
    .filter(isRunId)
    .sort()) {
    if (isStopped()) break;
    const folder = runFolder(runsDir, run);
    const changedMs = (await statIfThere(folder))?.mtimeMs ?? 0;
    const before = known.get(run);
    if (before?.changedMs === changedMs) ended.push(before);
    else if (await hasEnded(run)) {
      const bytes = (await measureTree(folder)) + (await measureFile(runLogFile(logsDir, run)));
      ended.push({ run, bytes, changedMs });
    }
  }
  return ended;
}

/** `null` where it is done, else what stood in the way. */
async function tryToRemoveOutput({ runsDir, logsDir, clock }: Places, run: RunId): Promise<string | null> {
  const removed = `log and files of this run were removed at ${formatInstant(clock.wallMs())} to make room`;
  try {
    const log = runLogFile(logsDir, run);
    // Not written over: a run may have put a link in the place of its log.
    await rm(log, { force: true });
    await writeFile(log, `[dockbell: ${removed}, see retention.runBytes]\n`, { flag: 'wx', mode: 0o600 });
    // Last: the folder is what tells that there is something to remove.
    await removeRunFolder(runFolder(runsDir, run));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Bytes of the disk, not of the texts: a folder of many small files takes more than they hold. Links are not followed. */
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
  return lstat(path).catch(unlessGone(null));
}

/** A folder that its command made unreadable counts as empty. */
async function listEntries(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(unlessGone([]));
}

function unlessGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return instead;
    throw error;
  };
}
