import type { ExecutionRequest } from '../../../domain/ports/executor.ts';
import type { ExecutorType } from '../../../domain/resources/run.ts';
import type { AttemptKey } from '../files/run-paths.ts';
import type { EndMeans } from '../watchdog/run-watchdog.ts';
import type { ProcessMark } from './process-mark.ts';
import type { ChildEnvironment, RunPlaces } from './run-environment.ts';

/** The process to start for one attempt. */
export type ProgramStart =
  | { ok: true; command: readonly string[]; environment: ChildEnvironment }
  /** A sentence: the run fails. */
  | { ok: false; problem: string };

/** What a process executor starts for each attempt, and how it ends what is left of one. */
export interface Program {
  type: ExecutorType;
  /** The paths of an attempt as the run sees them. */
  locate(places: RunPlaces): RunPlaces;
  /**
   * @param places as on this machine
   * @param environment the complete environment of the run
   */
  compose(request: ExecutionRequest, places: RunPlaces, environment: ChildEnvironment): ProgramStart;
  /** Why an exit code is not that of the run; `null` if it is. */
  explainExit(code: number): string | null;
  /** How another process ends what is left of an attempt. */
  endMeans(attempt: AttemptKey): EndMeans;
  /** Ends what is left of an attempt, and resolves when nothing of it runs. Never throws. */
  endLeftovers(attempt: AttemptKey, started?: { leader: number; before: ProcessMark | null }): Promise<void>;
}
