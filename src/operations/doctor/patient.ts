import type { Config } from '../../config/config.ts';
import type { UnreadHops } from '../../domain/network/client-address.ts';
import type { Finding } from '../../domain/ports/operations.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import type { DataPaths } from '../../platform/data-dir/data-paths.ts';

/** The installation that is examined. */
export interface Patient {
  config: Config;
  paths: DataPaths;
  env: Environment;
  nowMs: number;
  /** `null` while no daemon runs. */
  running: RunningDaemon | null;
}

/** What only a running daemon can say. */
export interface RunningDaemon {
  /** Public URL of the ingress. */
  baseUrl: string;
  /** Conditions of the whole daemon that say something is wrong. */
  conditions(): readonly { type: string; message: string }[];
  unreadHops(): UnreadHops;
  /** Expects a request for a webhook UID that nobody else knows. */
  expectProbe(): { uid: string; wasSeen(): Promise<boolean>; end(): void };
}

/** What a check found; the name of the check is added. */
export type Symptom = Omit<Finding, 'check'>;

/** One question about an installation. A check that throws is reported as a warning. */
export interface Check {
  name: string;
  /** Needs a running daemon. */
  isOnline?: true;
  /** The type of storage that it is about; any type if omitted. */
  storage?: Config['storage']['type'];
  run(patient: Patient): Promise<Symptom[]> | Symptom[];
}
