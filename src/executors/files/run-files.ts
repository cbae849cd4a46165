import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { isRunId, type RunId } from '../../core/ids.ts';
import type { StartRecords } from '../../core/ports/runs/executor.ts';
import { listNames } from './list-names.ts';
import { removeRunFolder } from './remove-run-folder.ts';
import { checkRunId, runFolder, runLogFile } from './run-paths.ts';

/** What a run leaves on disk: its directories, its log and its start records. */
export interface RunFiles {
  /** Removes all of it once retention has removed the run. Throws `bad_request` for what is not a run's identifier. */
  removeRunFiles(runId: string): Promise<void>;
  /** The runs that anything is left of, whether or not the storage still knows them. */
  list(): Promise<RunId[]>;
}

export interface RunFilePlaces {
  runsDir: string;
  logsDir: string;
  startRecordsDir: string;
  startRecords: StartRecords;
}

export function createRunFiles(places: RunFilePlaces): RunFiles {
  return {
    list: async () => {
      const names = await Promise.all([places.runsDir, places.logsDir, places.startRecordsDir].map(listNames));
      return [...new Set(names.flat().map((name) => basename(name, '.log')))].filter(isRunId);
    },
    removeRunFiles: async (runId) => {
      const run = checkRunId(runId);
      await removeRunFolder(runFolder(places.runsDir, run));
      await rm(runLogFile(places.logsDir, run), { recursive: true, force: true });
      // Last, so that the record still exists when a removal that failed is repeated.
      await places.startRecords.delete(run);
    },
  };
}
