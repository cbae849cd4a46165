import type { RunId } from '../../ids.ts';
import type { ExecutorType, Run, RunInput, RunResult } from '../../run.ts';
import type { SecretValue } from '../../secret-value.ts';

/** Texts of one run beside its payload, made by `run/envelope.ts`. */
export interface RunDocuments {
  /** `prompt.md`: the prompt, then the envelope. */
  promptFile: string;
  /** `run.json`. */
  runFile: string;
}

/** Why and how an attempt is to be stopped; the `reason` of `ExecutionRequest.signal`. */
export interface StopOrder {
  /** `cancelled`: a person said so. `interrupted`: the daemon stops. */
  cause: 'cancelled' | 'interrupted';
  /** Milliseconds between SIGTERM and SIGKILL; `null` for the executor's own. */
  graceMs: number | null;
}

/** One attempt on its way. */
export interface ExecutionRequest {
  input: RunInput;
  documents: RunDocuments;
  /** Team secrets that the automation lists, by name. */
  secrets: ReadonlyMap<string, SecretValue>;
  /**
   * Aborted, with a `StopOrder`, on cancel and on shutdown: the whole process group gets SIGTERM, then SIGKILL after the
   * grace period. After a shutdown's SIGTERM, exit 0 still is `succeeded`; every other end is `interrupted`.
   */
  signal: AbortSignal;
  /** Called once, when the attempt has really started. */
  onStarted(): void;
}

/**
 * The attempt surely did not start, because of the machine (file descriptors, processes, disk) and not because of the
 * run. It may be tried again as attempt `nextAttempt`, which is this one if it has left no ticket.
 */
export interface NotStarted {
  state: 'not_started';
  /** One sentence for people. */
  problem: string;
  nextAttempt: number;
}

/** What carries a run out. */
export interface Executor {
  readonly type: ExecutorType;
  /**
   * Resolves when the attempt has ended and its output is on disk. Never throws: that the command cannot be started is a
   * result, too.
   */
  execute(request: ExecutionRequest): Promise<RunResult | NotStarted>;
  /**
   * Was this attempt perhaps started by an earlier process? Decides after a crash whether it may be started (again).
   */
  wasStarted(run: RunId, attempt: number): Promise<boolean>;
  /**
   * Ends what an earlier process of the daemon left running of this run, as far as it can be found: a daemon that is
   * killed takes nothing with it. Never throws.
   */
  endLeftovers(run: RunId): Promise<void>;
}

/** Captured output of runs. */
export interface RunLogReader {
  /** The bytes from `offset` on, at most `limit`; `null` where the run has no log. */
  read(run: RunId, offset: number, limit: number): Promise<Uint8Array | null>;
}

/** The log of runs whose output comes from elsewhere. */
export interface RunLogWriter {
  /** Marks where a later attempt begins. */
  begin(run: Run): Promise<void>;
  /** Adds to the log of this run, up to the limit of a log; an empty text changes nothing. */
  append(run: Run, text: string): Promise<void>;
}

/** Tickets: the proof that an attempt was started (threat model D7). */
export interface TicketOffice {
  /** Leaves the ticket, exclusively, and syncs file and folder. `false` where it was there already. */
  take(run: RunId, attempt: number): Promise<boolean>;
  exists(run: RunId, attempt: number): Promise<boolean>;
  /** Removes tickets of runs that have ended. */
  discard(run: RunId): Promise<void>;
}
