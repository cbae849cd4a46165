import { chmod, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isRunId, type RunId } from '../core/ids.ts';
import type { TicketOffice } from '../core/ports/executor.ts';
import { systemErrorCode } from './file-error.ts';
import { checkRunId, runFolder, runLogFile } from './run-paths.ts';

/** What a run leaves on disk: its directories, its log and its tickets. */
export interface RunFiles {
  /** Removes all of it once retention has removed the run. Throws `bad_request` for what is not a run's identifier. */
  removeRunFiles(runId: string): Promise<void>;
  /** The runs that anything is left of, whether or not the storage still knows them. */
  list(): Promise<RunId[]>;
}

export interface RunFilePlaces {
  runsDir: string;
  logsDir: string;
  ticketsDir: string;
  tickets: TicketOffice;
}

export function createRunFiles(places: RunFilePlaces): RunFiles {
  return {
    list: async () => {
      const names = await Promise.all([places.runsDir, places.logsDir, places.ticketsDir].map(listNames));
      return [...new Set(names.flat().map((name) => basename(name, '.log')))].filter(isRunId);
    },
    removeRunFiles: async (runId) => {
      const run = checkRunId(runId);
      await removeTree(runFolder(places.runsDir, run));
      await rm(runLogFile(places.logsDir, run), { force: true });
      // Last, so that a removal that failed half-way is repeated with the ticket still there.
      await places.tickets.discard(run);
    },
  };
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Also removes what a command left in folders that nobody may write to, as the module caches of some tools are. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Makes every folder of a tree writable for its owner. */
export async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    // A symbolic link is not a directory to `Dirent`: nothing outside the run's own folder is touched.
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
  }
}
