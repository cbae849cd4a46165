import { rm } from 'node:fs/promises';
import type { RunId } from '../../../domain/ids.ts';
import type { StartRecords } from '../../../domain/ports/executor.ts';
import { removeRunFolder } from './remove-run-folder.ts';
import { checkRunId, listNames, runFolder, runLogFile, runOfFile, runTimesFile } from './run-paths.ts';

/** The files of runs: directories, logs and start records. A run has only those that its executor needs. */
export interface RunFiles {
  /** Removes the files of a run that retention has removed. Throws `bad_request` for a malformed run ID. */
  removeRunFiles(runId: string): Promise<void>;
  /** The runs that have any files, also those that are no longer in the storage. */
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
      return [...new Set(names.flat().map(runOfFile))].filter((run) => run !== null);
    },
    removeRunFiles: async (runId) => {
      const run = checkRunId(runId);
      await removeRunFolder(runFolder(places.runsDir, run));
      await rm(runLogFile(places.logsDir, run), { recursive: true, force: true });
      await rm(runTimesFile(places.logsDir, run), { recursive: true, force: true });
      // Last, so that the record still exists when a removal that failed is repeated.
      await places.startRecords.delete(run);
    },
  };
}
