import type { Transform } from 'node:stream';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Executor, StartRecords } from '../../domain/ports/runs/executor.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { Run, RunInput } from '../../domain/resources/run.ts';
import type { SecretValue } from '../../domain/secret-value.ts';
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

/** A setting that is invalid together with another one. */
export interface SettingProblem {
  /** Key below `runs.executor`. */
  key: string;
  /** Completes the sentence that begins with the key. */
  problem: string;
}

/** One row of the table of executors. */
export interface ExecutorKind<Settings> {
  /** What the executor does, one sentence that starts with its type, for the documentation. */
  summary: string;
  /** Where runs are executed: on the machine of the daemon, by a receiver that the daemon calls, or by workers that call it. */
  place: 'machine' | 'receiver' | 'worker';
  /** Rows of the table of options that only this executor has. The last part of each key is the key of its setting. */
  options: Readonly<Record<`factories[].runs.executor.${string}`, object>>;
  /** Checks what the table of options cannot say. Default: nothing. */
  check?: (settings: Settings) => Promise<SettingProblem | null>;
  /**
   * Checks what the machine has to provide, and creates the executor of one factory. Throws `config_invalid`.
   * `null` if workers claim the runs over the management API instead.
   */
  create: ((settings: Settings, parts: ExecutorParts) => Promise<Executor>) | null;
}
