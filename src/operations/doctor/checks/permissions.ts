import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../../domain/errors.ts';
import { checkDataDir } from '../../../platform/data-dir/check-data-dir.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

const GROUP_OR_OTHERS = 0o077;

/** Can other users read or change the files of the daemon? */
export const permissionsCheck: Check = {
  name: 'permissions',
  run: ({ config, paths }) => {
    const { dataDir } = config;
    if (statSync(dataDir, { throwIfNoEntry: false }) === undefined) return [describeMissing(dataDir)];
    const open = [paths.database, paths.adminToken].filter(isOpen);
    return [
      ...examineDataDir(dataDir),
      ...open.map((file) => ({
        severity: 'warning' as const,
        message: `${file} can be read by other users of this machine`,
        hint: `Run: chmod 600 ${file}`,
      })),
    ];
  },
};

function describeMissing(dataDir: Patient['config']['dataDir']): Symptom {
  return {
    severity: 'warning',
    message: `the data directory ${dataDir} does not exist, so no daemon has used it yet`,
    hint: "Start the daemon with 'dockbell serve', or name another directory with --data-dir or --config.",
  };
}

function examineDataDir(dataDir: string): Symptom[] {
  const hint = `Run: chmod 700 ${dataDir}, and give the directory to the user of the daemon.`;
  try {
    const warning = checkDataDir(dataDir);
    return warning === null ? [] : [{ severity: 'warning', message: warning, hint }];
  } catch (error) {
    return [{ severity: 'error', message: messageOf(error), hint }];
  }
}

/** In a folder that only its owner may enter, the mode of a file does not matter. */
function isOpen(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || process.getuid === undefined) return false;
  return (found.mode & GROUP_OR_OTHERS) !== 0 && (statSync(dirname(file)).mode & GROUP_OR_OTHERS) !== 0;
}
