// Is the installation sound? In: a daemon that runs (`create-doctor.ts`) or is stopped (`examineStopped`), as a `Patient`
// (`patient.ts`). Out: a report. A check is a row below, in the file of its subject in `checks/`.

import type { Config } from '../../config/config.ts';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { DoctorReport, Finding } from '../../domain/ports/operations.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { adminExposureCheck, proxiesCheck, reportUrlCheck } from './checks/addresses.ts';
import { baseUrlCheck } from './checks/base-url.ts';
import { clockCheck } from './checks/clock.ts';
import { databaseLockCheck, schemaCheck, walSizeCheck } from './checks/database.ts';
import { backupCheck, freeSpaceCheck, retentionCheck } from './checks/disks.ts';
import { fileSystemCheck } from './checks/file-system.ts';
import { masterKeyCheck } from './checks/master-key.ts';
import { orphanedRunsCheck } from './checks/orphaned-runs.ts';
import { permissionsCheck } from './checks/permissions.ts';
import { postgresCheck } from './checks/postgres.ts';
import { gitCheck, sourcesCheck, targetsCheck } from './checks/remotes.ts';
import type { Check, Patient } from './patient.ts';

/** All checks, in the order of the report. */
export const CHECKS: readonly Check[] = [
  permissionsCheck,
  masterKeyCheck,
  schemaCheck,
  postgresCheck,
  databaseLockCheck,
  fileSystemCheck,
  freeSpaceCheck,
  walSizeCheck,
  retentionCheck,
  orphanedRunsCheck,
  backupCheck,
  clockCheck,
  gitCheck,
  sourcesCheck,
  adminExposureCheck,
  proxiesCheck,
  baseUrlCheck,
  reportUrlCheck,
  targetsCheck,
];

/** Runs all checks that are possible, at the same time. Never throws. */
export async function examine(patient: Patient): Promise<DoctorReport> {
  const checks = CHECKS.filter((check) => isPossible(check, patient));
  const findings = await Promise.all(checks.map((check) => runCheck(check, patient)));
  return { checks: checks.map(({ name }) => name), findings: findings.flat() };
}

function isPossible({ isOnline, storage }: Check, { config, running }: Patient): boolean {
  return (isOnline !== true || running !== null) && (storage ?? config.storage.type) === config.storage.type;
}

async function runCheck({ name, run }: Check, patient: Patient): Promise<Finding[]> {
  try {
    return (await run(patient)).map(({ severity, message, hint }) => ({ severity, check: name, message, hint }));
  } catch (error) {
    const message = `the check could not be completed: ${messageOf(error)}`;
    const isUnavailable = error instanceof AppError && error.code === 'storage_unavailable';
    const hint = isUnavailable
      ? 'Make the database available, and run the command again.'
      : 'Run the command as the user of the daemon.';
    return [{ severity: 'warning', check: name, message, hint }];
  }
}

/** Examines an installation whose daemon does not run. */
export function examineStopped(config: Config, env: Environment, nowMs: number): Promise<DoctorReport> {
  return examine({ config, paths: resolveDataPaths(config.dataDir), env, nowMs, running: null });
}
