import type { AgentFileContent } from '../definitions/agent-files.ts';
import type { RunId } from '../ids.ts';
import type { ExecutorType, Run, RunInput, RunResult } from '../resources/run.ts';
import type { RunContext } from '../runs/run-context.ts';
import type { SecretValue } from '../secrets/secret-value.ts';

/** Texts of one run in addition to its payload, rendered by `runs/envelope.ts`. */
export interface RunDocuments {
  /** What the platform adds to the prompt. */
  envelope: string;
  /** `prompt.md`: the prompt, then the envelope. */
  promptFile: string;
  /** `run.json`. */
  runFile: string;
}

/** Why and how an attempt has to stop; the `reason` of `ExecutionRequest.signal`. */
export interface StopOrder {
  /**
   * `cancelled`: a person cancelled the run. `interrupted`: the daemon stops. `accepted`: the receiver reports about the
   * attempt before it responds, so it has accepted it.
   */
  cause: 'cancelled' | 'interrupted' | 'accepted';
  /** Milliseconds that the run may take to end before it is forced to; `null` for the default of the executor. */
  graceMs: number | null;
  /** Aborted when the rest of the grace period is cancelled. */
  force?: AbortSignal;
}

/** One attempt to execute. */
export interface ExecutionRequest {
  input: RunInput;
  documents: RunDocuments;
  context: RunContext;
  /** Team secrets that the automation lists, by name. */
  secrets: ReadonlyMap<string, SecretValue>;
  /** Reads the files in `agents/`, `runners/` and `skills/` of the revision that was live. */
  readAgentFiles(): Promise<readonly AgentFileContent[]>;
  /**
   * Aborted with a `StopOrder` on cancellation and on shutdown: stop the run, then force its end after the grace period.
   * A run that succeeds after a shutdown's order is `succeeded`; every other end is `interrupted`.
   */
  signal: AbortSignal;
  /**
   * Called once, when the attempt has started. Its output begins in the log of the run at `logOffset`; `null` if the store of
   * the logs notes that.
   */
  onStarted(logOffset: number | null): void;
}

/**
 * The attempt did not start because of this machine (for example, no file descriptors or disk space), not because of the
 * run. It can be retried as attempt `nextAttempt`, which is the same attempt if it has no start record.
 */
export interface NotStarted {
  state: 'not_started';
  /** One sentence for people. */
  problem: string;
  nextAttempt: number;
}

/** A receiver has accepted the attempt. It continues without the executor: the receiver reports its end. */
export interface Accepted {
  state: 'accepted';
  /** When the attempt ends as `timeout`, as wall time in milliseconds. */
  heldUntil: number;
}

/** Executes runs. */
export interface Executor {
  readonly type: ExecutorType;
  /**
   * Resolves when the attempt has ended and its output is on disk, or a receiver has accepted it. Never throws: a failure to
   * start is also a result.
   */
  execute(request: ExecutionRequest): Promise<RunResult | NotStarted | Accepted>;
  /**
   * Whether an earlier daemon may have started this attempt. After a crash, only an attempt that was not started may be
   * started.
   */
  wasStarted(run: RunId, attempt: number): Promise<boolean>;
  /**
   * The attempt that a receiver has accepted was cancelled, and has ended. Returns immediately, and never throws: the receiver
   * may not learn it. Only for executors that resolve with `Accepted`.
   */
  noteCancelled?(run: Run): void;
  /** Ends the remaining processes of an attempt that an earlier daemon started, if they can be found. Never throws. */
  endLeftovers(attempt: Pick<Run, 'id' | 'attempt'>): Promise<void>;
}

/** Captured output of runs. */
export interface RunLogReader {
  /** At most `limit` bytes from `offset` on; `null` if the run has no log. */
  read(run: RunId, offset: number, limit: number): Promise<Uint8Array | null>;
  /**
   * When parts of the log were written: at most `limit` entries, oldest first, beginning with the last one at or before
   * `offset`. Empty if no times are known.
   */
  times(run: RunId, offset: number, limit: number): Promise<LogTime[]>;
}

/** Output at and after `offset` was written at `atMs` or later, and before the time of the next entry. */
export interface LogTime {
  offset: number;
  atMs: number;
}

/** The log of runs that another machine executes. */
export interface RunLogWriter {
  /** Marks the beginning of a later attempt. Resolves with the position of its output in the log. */
  begin(run: Run): Promise<number>;
  /**
   * Appends to the log of this run, up to the size limit of a log. `position`: the end of the text in the output of the attempt,
   * as its holder counts bytes. A text up to a position that the log has is ignored.
   */
  append(run: Run, text: string, position?: number): Promise<void>;
  /** The position up to which the log has the output that the holder of the attempt reports. Omitted if that is not stored. */
  received?(run: Run): Promise<number>;
}

/** Proofs that attempts were started (threat model D7). */
export interface StartRecords {
  /** Creates the record exclusively and syncs it to disk. Resolves with `false` if it exists. */
  create(run: RunId, attempt: number): Promise<boolean>;
  exists(run: RunId, attempt: number): Promise<boolean>;
  /** Deletes the records of a run that has ended. */
  delete(run: RunId): Promise<void>;
}
