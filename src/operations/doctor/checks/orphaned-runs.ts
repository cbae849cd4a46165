import { existsSync, readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { isRunId } from '../../../domain/ids.ts';
import { findStoredRuns, inspectPostgres } from '../../../storage/postgres/inspect-database.ts';
import { openRunLookup } from '../../../storage/sqlite/disk/inspect-copy.ts';
import type { Check } from '../patient.ts';

/** The daemon looks for them once a day, so a few are normal. */
const MANY = 100;

/** Are there files of runs that no longer exist? */
export const orphanedRunsCheck: Check = {
  name: 'orphaned-runs',
  run: async ({ config: { runsDir, storage }, paths }) => {
    if (storage.type === 'sqlite' && !existsSync(paths.database)) return [];
    const folders = [runsDir, paths.runLogs, paths.startRecords].filter((folder) => existsSync(folder));
    const names = folders.flatMap((folder) => readdirSync(folder)).map((name) => parse(name).name);
    const runs = [...new Set(names)].filter(isRunId);
    const isStored =
      storage.type === 'sqlite' ? findInFile(paths.database, runs) : await findInPostgres(storage.url!, runs);
    const orphans = runs.filter((run) => !isStored.has(run)).length;
    if (orphans < MANY) return [];
    return [
      {
        severity: 'warning',
        message: `${orphans} runs have directories, logs or start records in ${runsDir} or in the data directory, but are not in the database`,
        hint: 'The daemon removes them within a day. If their number stays, look for "run files not removed" in its log.',
      },
    ];
  },
};

function findInFile(database: string, runs: readonly string[]): ReadonlySet<string> {
  const lookup = openRunLookup(database);
  const found = new Set(runs.filter((run) => lookup.has(run)));
  lookup.close();
  return found;
}

/** A database that no daemon has used has no runs, and no table for them. */
async function findInPostgres(url: string, runs: readonly string[]): Promise<ReadonlySet<string>> {
  return (await inspectPostgres(url)).schema === null ? new Set(runs) : findStoredRuns(url, runs);
}
