import type { Actor } from '../access/access.ts';
import type { AgentFileContent } from '../definitions/agent-files.ts';
import type { DeliveryId, RunId } from '../ids.ts';
import type { Page, PageRequest } from '../page.ts';
import type { ExecutorType, Run, RunAttempt, RunInput, RunProgress, RunResult, RunState } from '../resources/run.ts';
import type { BudgetTerms, RetryTerms } from '../runs/run-policy.ts';

export interface ClaimRequest {
  factory: string;
  executor: ExecutorType;
  limit: number;
  /** Maximum number of runs of the factory that are `running`, here or on other machines. Default: no maximum. */
  concurrency?: number;
  at: number;
  /** Name of the worker, if a worker claims. */
  worker?: string;
  /** As `OfAttempt.machine`. */
  machine?: string | null;
  /** Labels of the worker. Default: none, so runs that need any are not claimed. */
  labels?: readonly string[];
  except?: readonly RunId[];
  /** Of the factory. */
  budget?: BudgetTerms | null;
}

/** An attempt to change. */
export interface OfAttempt {
  id: RunId;
  attempt: number;
  /**
   * The data directory of the daemon that executes the attempt, if several daemons share the storage. Other attempts, and all
   * attempts without a machine, may be changed by the leader only.
   */
  machine?: string | null;
}

export interface FinishRequest extends OfAttempt {
  result: RunResult;
  at: number;
  /** For a run whose automation declares no `retry`. Default: `NO_RETRY`. */
  otherwise?: RetryTerms;
}

/** What the policies of new runs did to other runs, or to the new ones. */
export interface Admitted {
  /** Queued runs that ended: superseded or skipped. */
  ended: RunId[];
  /** Running runs that were superseded, and have to be cancelled. */
  cancel: RunId[];
}

/** The runs that a claim made `running`. */
export interface Claimed extends Admitted {
  inputs: RunInput[];
  /** When the next queued run of the factory may start, as wall time in milliseconds; `null` if none waits for a time. */
  nextAt: number | null;
  /** When the budget of the factory allows the next start; `null` if it keeps no run from starting. */
  budgetOpensAt: number | null;
  /** Number of runs of the factory that are `running` now. */
  running: number;
}

/** How an attempt ended its run. */
export interface RunEnd {
  /** When the next attempt may start, as wall time in milliseconds; `null` if the run has ended. */
  nextAttemptAt: number | null;
}

/** The durable queue of runs. `DeliveryLog.record` creates runs; this queue claims and ends them. */
export interface RunQueue {
  /**
   * Claims up to `limit` queued runs of a factory, oldest first, without those in `except`, and no more than its `concurrency`
   * leaves. They are `running` when this resolves. Applies the policies of new runs before.
   */
  claim(request: ClaimRequest): Promise<Claimed>;
  /** Applies the policies of the new runs of a factory. A claim does that too. */
  admit(request: { factory: string; at: number }): Promise<Admitted>;
  /**
   * Ends a running attempt, and queues the next one if the run is to be retried. Resolves with `null`, and nothing
   * changes, if that attempt is no longer `running`. A repeated request with the same `at` resolves as the first one.
   */
  finish(request: FinishRequest): Promise<RunEnd | null>;
  /** Returns an attempt that never started (no start record) to the queue. `false` if it is no longer `running`. */
  release(request: OfAttempt): Promise<boolean>;
  /** Ends a running attempt as `failed` and queues the next one. `false` if that attempt is no longer `running`. */
  retryFailed(request: OfAttempt & { error: string; at: number }): Promise<boolean>;
  /** Stores where the output of an attempt begins in the log of its run. */
  noteLogOffset(request: OfAttempt & { offset: number }): Promise<void>;
  /** Ends a queued run as `cancelled`. `false` if it is no longer queued. */
  cancelQueued(request: { id: RunId; at: number }): Promise<boolean>;
  /** Queues a finished run again as its next attempt. Changes nothing unless the outcome is `queued`. */
  retry(request: { id: RunId; requestedBy: Actor; at: number }): Promise<RetryOutcome>;
  /** Runs in the state `running`, without those that a receiver has accepted. Default: of all factories. */
  running(executor: ExecutorType, factory?: string): Promise<RunningRun[]>;
  /** A receiver has accepted a running attempt. `false` if that attempt is no longer `running`. */
  accept(request: { id: RunId; attempt: number; heldUntil: number }): Promise<boolean>;
  /** Running runs that a receiver has accepted. */
  accepted(): Promise<AcceptedRun[]>;
  /** Stores the progress of a running attempt. */
  noteProgress(request: { id: RunId; attempt: number; progress: RunProgress }): Promise<void>;
}

/** A run in the state `running`. */
interface RunningRun {
  run: Run;
  /** As `OfAttempt.machine`. */
  machine: string | null;
}

/** A run whose receiver reports its end. */
interface AcceptedRun {
  run: Run;
  /** As `Accepted.heldUntil`. */
  heldUntil: number;
}

/** `unfinished`: the run is queued or running. `payload_gone`: retention has removed its payload. */
export type RetryOutcome = 'queued' | 'unfinished' | 'payload_gone' | 'not_found';

/** Higher positions are not counted, so that a query of a long queue stays fast. */
export const MAX_QUEUE_POSITION = 10_000;

/** Filters of the runs of a factory. */
export interface RunSearch {
  factory: string;
  state?: RunState | undefined;
  automation?: string | undefined;
  delivery?: DeliveryId | undefined;
  /** Name or UID of a webhook. The UID finds deleted ones too. */
  webhook?: string | undefined;
  /** The revision that was live, or its first characters. */
  revision?: string | undefined;
  /** Only runs created at this time or later, as wall time in milliseconds. */
  sinceAt?: number | undefined;
  /** A text in `RunOutput`, in any case: of the summary, of the title or the URL of a link, or of the name of an artifact. */
  search?: string | undefined;
}

/** Maximum number of runs that one page examines, so that a filter without matches stays fast. */
export const MAX_EXAMINED_RUNS = 5_000;

/** Maximum number of queued runs that are read for the ages of the queue. */
export const MAX_EXAMINED_QUEUE = 1_000;

/** What is left of the budget of an automation. */
export interface SpentBudget {
  factory: string;
  automation: string;
  /** Number of attempts that may start in its period. */
  limit: number;
  /** Number of those that started in the period until now. */
  used: number;
}

/** Reads of runs for the management API. */
export interface RunReader {
  /** Newest first. A page can be short, or empty, although a next one exists: see `MAX_EXAMINED_RUNS`. */
  list(request: PageRequest & RunSearch): Promise<Page<Run>>;
  /** Counts like `list`, but all runs that one request may examine. */
  count(request: Pick<PageRequest, 'cursor'> & RunSearch): Promise<{ count: number; nextCursor: string | null }>;
  get(id: RunId): Promise<Run | null>;
  input(id: RunId): Promise<RunInput | null>;
  /** The agent files of the revision that was live, in the order of their paths; empty for an unknown run. */
  agentFiles(id: RunId): Promise<AgentFileContent[]>;
  /** The stored attempts of these runs in their order. Omits runs without any. */
  attempts(runs: readonly RunId[]): Promise<Map<RunId, RunAttempt[]>>;
  /**
   * Positions of these runs in their queue, 1 for the next one: in that of the factory, or among the runs that wait for
   * the same concurrency key, budget or pause. Omits runs that are not queued, wait for a time, or are not among
   * the first `MAX_QUEUE_POSITION`.
   */
  queuePositions(request: { factory: string; runs: readonly RunId[] }): Promise<Map<RunId, number>>;
  /** The budgets of live automations, by factory and name. */
  automationBudgets(request: { at: number; limit: number }): Promise<SpentBudget[]>;
  /** Number of the attempts that started in a period until now and count for the budget of the factory. */
  factoryStarts(request: { factory: string; at: number; perMs: number }): Promise<number>;
  /**
   * When the oldest queued run of each automation was created, oldest first. Omits automations without a run among the
   * `MAX_EXAMINED_QUEUE` oldest queued runs of the factory.
   */
  oldestQueued(factory: string): Promise<{ automation: string; createdAt: number }[]>;
}
