import type { Config } from '../../config/config.ts';
import type { DoctorReport } from '../../domain/ports/doctor.ts';
import type { Environment } from '../../domain/reserved-variables.ts';
import { resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { examine } from './examine.ts';

/** Examines an installation whose daemon does not run. */
export function examineStopped(config: Config, env: Environment, nowMs: number): Promise<DoctorReport> {
  return examine({ config, paths: resolveDataPaths(config.dataDir), env, nowMs, running: null });
}
