import type { RunId } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { ExecutorType, Run, RunInput, RunResult, RunState } from '../../resources/run.ts';

export interface ClaimRequest {
  factory: string;
  executor: ExecutorType;
  limit: number;
  at: number;
  except?: readonly RunId[];
}

/** The durable queue of runs. `DeliveryLog.record` creates runs; this queue claims and ends them. */
export interface RunQueue {
  /**
   * Claims up to `limit` queued runs of a factory, oldest first, without those in `except`. They are `running` when
   * this resolves.
   */
  claim(request: ClaimRequest): Promise<RunInput[]>;
  /** Ends a running attempt. `false`, and nothing changes, if that attempt is no longer `running`. */
  finish(request: { id: RunId; attempt: number; result: RunResult; at: number }): Promise<boolean>;
  /**
   * Returns a running attempt to the queue as attempt `nextAttempt`. That is the same number if the attempt never
   * started (no start record), and `attempt` + 1 if it is retried. `false` if that attempt is no longer `running`.
   */
  release(request: { id: RunId; attempt: number; nextAttempt: number }): Promise<boolean>;
  /** Ends a queued run as `cancelled`. `false` if it is no longer queued. */
  cancelQueued(request: { id: RunId; at: number }): Promise<boolean>;
  /** Queues a finished run again as its next attempt. Changes nothing unless the outcome is `queued`. */
  retry(id: RunId): Promise<RetryOutcome>;
  /** Runs that an earlier daemon left in the state `running`. */
  running(executor: ExecutorType): Promise<Run[]>;
}

/** `unfinished`: the run is queued or running. `payload_gone`: retention has removed its payload. */
export type RetryOutcome = 'queued' | 'unfinished' | 'payload_gone' | 'not_found';

/** Higher positions are not counted, so that a query of a long queue stays fast. */
export const MAX_QUEUE_POSITION = 10_000;

/** Reads of runs for the management API. */
export interface RunReader {
  /** Newest first. */
  list(
    request: PageRequest & { factory: string; state: RunState | null; automation: string | null },
  ): Promise<Page<Run>>;
  get(id: RunId): Promise<Run | null>;
  input(id: RunId): Promise<RunInput | null>;
  /**
   * Positions of these runs in the queue of the factory, 1 for the next one. Omits runs that are not queued or not
   * among the first `MAX_QUEUE_POSITION`.
   */
  queuePositions(request: { factory: string; runs: readonly RunId[] }): Promise<Map<RunId, number>>;
}
