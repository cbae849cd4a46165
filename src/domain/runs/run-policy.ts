import type { RunResult } from '../resources/run.ts';
import { type Backoff, backoffMs } from '../time/backoff.ts';
import { parseDuration } from '../words/quantities.ts';

/** How an attempt can fail. `failed` is every failure that is neither `timeout` nor `interrupted`. */
export const RETRIED_FAILURES = ['failed', 'timeout', 'interrupted'] as const;
type RetriedFailure = (typeof RETRIED_FAILURES)[number];

/** `retry` as a definition file declares it. */
export type RetryPolicy = {
  maxAttempts: number;
  backoff?: string;
  maxBackoff?: string;
  on?: RetriedFailure[];
  noRetryExitCodes?: number[];
};

/** The outcome of a run whose key has as many running runs as its automation allows. */
export const CONCURRENCY_MODES = ['queue', 'latest', 'skip'] as const;

/** `concurrency` as a definition file declares it. */
export type ConcurrencyPolicy = {
  key?: string | string[];
  limit?: number;
  mode?: (typeof CONCURRENCY_MODES)[number];
  cancelRunning?: boolean;
};

/** The outcome of a run for which the budget has no start left. */
export const BUDGET_OUTCOMES = ['queue', 'skip'] as const;

/** `budget` as a definition file or the configuration declares it. */
export type BudgetPolicy = { runs: number; per: string; over?: (typeof BUDGET_OUTCOMES)[number] };

/** `budget` with its defaults. */
export interface BudgetTerms {
  /** Maximum number of attempts that start in any period of `perMs`. */
  runs: number;
  perMs: number;
  over: (typeof BUDGET_OUTCOMES)[number];
}

export function readBudgetTerms({ runs, per, over = 'queue' }: BudgetPolicy): BudgetTerms {
  return { runs, perMs: parseDuration(per) ?? 0, over };
}

/** Milliseconds for which a key is quiet before its run starts. */
export function readDebounceMs(debounce: string): number {
  return parseDuration(debounce) ?? 0;
}

/** `concurrency` with its defaults. */
export interface ConcurrencyTerms {
  /** Maximum number of runs with the same key at the same time. */
  limit: number;
  mode: (typeof CONCURRENCY_MODES)[number];
  cancelRunning: boolean;
}

export function readConcurrencyTerms(concurrency: ConcurrencyPolicy): ConcurrencyTerms {
  const { limit = 1, mode = 'queue', cancelRunning = false } = concurrency;
  return { limit, mode, cancelRunning };
}

/** The paths of the key of a run; `undefined` if its automation limits and delays no runs, so that it needs no key. */
export function findKeyPaths(policy: {
  concurrency: ConcurrencyPolicy | null;
  debounce: string | null;
}): string[][] | undefined {
  const { concurrency, debounce } = policy;
  return concurrency === null && debounce === null ? undefined : readKeyPaths(concurrency ?? {});
}

/** The paths of the payload whose values are the key of a run. Without any, all runs of the automation have one key. */
function readKeyPaths({ key = [] }: ConcurrencyPolicy): string[][] {
  return [key].flat().map((path) => path.split('.'));
}

export const DEFAULT_BACKOFF = '30s';
export const DEFAULT_MAX_BACKOFF = '30m';

/** The share by which a delay varies, so that runs that failed together do not start together. */
const JITTER = 0.2;

/** `retry` with its defaults. */
export interface RetryTerms {
  maxAttempts: number;
  backoff: Backoff;
  on: readonly RetriedFailure[];
  noRetryExitCodes: readonly number[];
}

export function readRetryTerms(retry: RetryPolicy): RetryTerms {
  const { maxAttempts, backoff = DEFAULT_BACKOFF, maxBackoff = DEFAULT_MAX_BACKOFF } = retry;
  const { on = RETRIED_FAILURES, noRetryExitCodes = [] } = retry;
  const firstMs = parseDuration(backoff) ?? 0;
  const maxMs = Math.max(firstMs, parseDuration(maxBackoff) ?? 0);
  return { maxAttempts, backoff: { firstMs, maxMs, jitter: JITTER }, on, noRetryExitCodes };
}

/** For a run of an automation without `retry`. */
export const NO_RETRY: RetryTerms = {
  maxAttempts: 1,
  backoff: { firstMs: 0, maxMs: 0 },
  on: [],
  noRetryExitCodes: [],
};

/** An interrupted run starts again immediately. One that crashes the daemon must not do so forever (threat model D11). */
export const RETRY_INTERRUPTED: RetryTerms = { ...NO_RETRY, maxAttempts: 3, on: ['interrupted'] };

/**
 * Milliseconds until the next attempt of a run starts; `null` if the run has no further attempt.
 *
 * @param attempt the number of the attempt that ended, at least 1
 * @param random a number from 0 up to but not including 1
 */
export function findRetryDelay(
  terms: RetryTerms,
  attempt: number,
  { state, error, exitCode }: RunResult,
  random: number,
): number | null {
  if (state !== 'failed' || attempt >= terms.maxAttempts || !terms.on.includes(kindOf(error))) return null;
  if (exitCode !== null && terms.noRetryExitCodes.includes(exitCode)) return null;
  return backoffMs(terms.backoff, attempt, random);
}

function kindOf(error: string | null): RetriedFailure {
  return error === 'timeout' || error === 'interrupted' ? error : 'failed';
}
