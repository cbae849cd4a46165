import type { Transform } from 'node:stream';
import type { StartRecords } from '../../domain/ports/executor.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Run, RunInput } from '../../domain/resources/run.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { SignWebhook } from '../../outbound/sign-webhook.ts';
import type { OpenAttemptOutput } from './log/open-run-log.ts';
import type { RunWatchdog } from './watchdog/run-watchdog.ts';

/** What every executor gets from the daemon. */
export interface ExecutorParts {
  factory: string;
  /** Maximum duration of one attempt. */
  timeoutMs: number;
  /** Contains a folder for each run of an executor that needs files. */
  runsDir: string;
  openOutput: OpenAttemptOutput;
  startRecords: StartRecords;
  /** Ends processes of runs if the daemon cannot. Default: its next start ends them. */
  watchdog?: RunWatchdog;
  /** `PATH` of the programs that an executor starts. */
  searchPath: string;
  /** Creates a stream that masks these values in everything that passes through it. */
  maskOutput: (values: Iterable<SecretValue>) => Transform;
  secrets: Pick<SecretStore, 'resolve'>;
  signWebhook: SignWebhook;
  checkOut: CheckOutWorkspace;
  /** Creates the access with which the receiver of a run reports about the current attempt, and about nothing else. */
  openReports: (run: Run) => Promise<ReportAccess>;
  clock: Clock;
  logger: Logger;
}

/**
 * Makes the checkout that a run gets in a new folder; `dir` is `null` if its automation declares none. Never throws. The
 * problem is a sentence without credentials.
 */
export type CheckOutWorkspace = (
  input: Pick<RunInput, 'workspace' | 'payload' | 'run'>,
  place: { dir: string; owner: { uid: number; gid: number } | null; signal: AbortSignal },
) => Promise<{ ok: true; dir: string | null } | { ok: false; problem: string }>;

/** How a receiver reports about an attempt. */
export interface ReportAccess {
  /** URL of the run in the management API. */
  url: string;
  token: SecretValue;
}
