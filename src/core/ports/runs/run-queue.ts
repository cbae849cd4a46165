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

/** The durable queue of runs. Runs are born by `DeliveryLog.record`; here they are taken and ended. */
export interface RunQueue {
  /**
   * Takes up to `limit` queued runs of a factory, oldest first and none of `except`: they are `running` when this resolves.
   */
  claim(request: ClaimRequest): Promise<RunInput[]>;
  /**
   * Ends a running attempt. `false` where the run is not `running` in that attempt any more: then nothing changed.
   */
  finish(request: { id: RunId; attempt: number; result: RunResult; at: number }): Promise<boolean>;
  /**
   * Gives a running attempt back: it is `queued` again, as attempt `nextAttempt`. That is the same number for one that
   * was surely never started (no start record), `attempt` + 1 for one that is to be tried again. `false` where the run is not
   * `running` in that attempt any more.
   */
  release(request: { id: RunId; attempt: number; nextAttempt: number }): Promise<boolean>;
  /** Ends a queued run as `cancelled`. `false` where it is not queued any more. */
  cancelQueued(request: { id: RunId; at: number }): Promise<boolean>;
  /** Queues a run that has ended once more, as its next attempt. Only a `queued` one is changed. */
  retry(id: RunId): Promise<RetryOutcome>;
  /** Runs that a daemon left behind as `running`. */
  running(executor: ExecutorType): Promise<Run[]>;
}

/** `unfinished`: it is queued or running. `payload_gone`: retention has removed what it would be given. */
export type RetryOutcome = 'queued' | 'unfinished' | 'payload_gone' | 'not_found';

/** Positions beyond it are not counted, so that one look at a long queue stays cheap. */
export const MAX_QUEUE_POSITION = 10_000;

/** Reads of runs for people and scripts. */
export interface RunReader {
  /** Newest first. */
  list(
    request: PageRequest & { factory: string; state: RunState | null; automation: string | null },
  ): Promise<Page<Run>>;
  get(id: RunId): Promise<Run | null>;
  input(id: RunId): Promise<RunInput | null>;
  /**
   * Positions of these runs in the queue of the factory, 1 for the next one. Runs that are not queued, or that are not
   * among the first `MAX_QUEUE_POSITION`, are left out.
   */
  queuePositions(request: { factory: string; runs: readonly RunId[] }): Promise<Map<RunId, number>>;
}
