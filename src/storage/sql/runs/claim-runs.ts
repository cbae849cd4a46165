import type { Transaction } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import type { Admitted, Claimed, ClaimRequest } from '../../../domain/ports/run-queue.ts';
import type { BudgetTerms } from '../../../domain/runs/run-policy.ts';
import type { RunReason } from '../../../domain/words/runs.ts';
import type { Schema } from '../schema/schema.ts';
import { admitRuns, readTerms } from './admit-runs.ts';
import {
  findBudgetOpening,
  findOldestHeldBack,
  openDueBudgets,
  readBudget,
  spendBudget,
  waitForBudget,
} from './budget.ts';
import { endRun } from './change-run.ts';
import { findEarliest, findNextOpening, hasGated, openDueGates } from './gates.ts';
import { listPaused } from './pauses.ts';
import { readRunInputs, selectRunInputs } from './run-rows.ts';
import { findOldestWaiting, isFull } from './same-key.ts';
import { type Candidate, type ClaimLock, selectOldest } from './select-claimable.ts';
import { NOW } from './start.ts';

/** Maximum number of queued runs that one claim examines, so that no transaction is long. The next claim continues. */
const MAX_EXAMINED = 500;

/** One claim in progress. */
interface Claim extends ClaimRequest {
  budget: BudgetTerms | null;
  trx: Transaction<Schema>;
  lock: ClaimLock;
  /** The paused automations; the factory is paused if it contains the empty name. */
  paused: ReadonlySet<string>;
  /** Does a run of the factory wait for more than a slot? */
  isGated: boolean;
  /** The runs that started. */
  claimed: number[];
  ended: RunId[];
}

/**
 * The oldest queued runs that only wait for a slot become `running`.
 *
 * @param lock as `ClaimLock`
 */
export async function claimRuns(trx: Transaction<Schema>, request: ClaimRequest, lock: ClaimLock): Promise<Claimed> {
  const { factory, at } = request;
  const isGated = await hasGated(trx, factory);
  const { ended, cancel } = isGated ? await admitAndOpen(trx, factory, at) : { ended: [], cancel: [] };
  const paused = await listPaused(trx, factory);
  const runningBefore = await countRunning(trx, factory);
  const limit = Math.min(request.limit, (request.concurrency ?? Number.POSITIVE_INFINITY) - runningBefore);
  const budget = request.budget ?? null;
  const claim: Claim = { ...request, limit, lock, budget, trx, paused, isGated, claimed: [], ended };
  const outcome = paused.has('') ? NOTHING_MORE : await takeOldest(claim);
  const hasFreeSlot = claim.claimed.length < limit;
  const opening = claim.isGated && hasFreeSlot ? await findNextOpening(trx, factory) : null;
  const nextAt = findEarliest([outcome.nextAt, opening]);
  const inputs = await startAttempts(claim);
  const running = runningBefore + claim.claimed.length;
  return { inputs, nextAt, budgetOpensAt: outcome.budgetOpensAt, running, ended, cancel };
}

/** Number of runs of the factory that are executed, here or elsewhere. */
async function countRunning(trx: Transaction<Schema>, factory: string): Promise<number> {
  const { running } = await trx
    .selectFrom('runs')
    .select((select) => select.fn.countAll<number>().as('running'))
    .where('state', '=', 'running')
    .where('factory', '=', factory)
    .executeTakeFirstOrThrow();
  return running;
}

/**
 * Applies the policies of the new runs before any gate opens: after a downtime, a new run still replaces the one whose quiet time
 * had not passed when it was created. The runs whose quiet time has passed are admitted after that.
 */
async function admitAndOpen(trx: Transaction<Schema>, factory: string, at: number): Promise<Admitted> {
  const arrived = await admitRuns(trx, factory, at);
  await openDueGates(trx, factory, at);
  const quiet = await admitRuns(trx, factory, at);
  return { ended: [...arrived.ended, ...quiet.ended], cancel: [...arrived.cancel, ...quiet.cancel] };
}

/** Why a claim took no further run. */
interface Outcome {
  nextAt: number | null;
  /** When the budget of the factory allows the next start; `null` if it does not keep runs from starting. */
  budgetOpensAt: number | null;
}

const NOTHING_MORE: Outcome = { nextAt: null, budgetOpensAt: null };

async function takeOldest(claim: Claim): Promise<Outcome> {
  const { trx, factory, budget, limit, at, claimed } = claim;
  let examined = 0;
  while (claimed.length < limit) {
    if (examined >= MAX_EXAMINED) return { nextAt: at, budgetOpensAt: null };
    const candidates = await selectOldest(trx, claim, limit - claimed.length);
    if (candidates.length === 0) return NOTHING_MORE;
    for (const run of candidates) {
      const opensAt = budget === null ? null : await findBudgetOpening(trx, { factory, automation: '' }, budget, at);
      if (opensAt !== null && budget!.over === 'queue') return { nextAt: opensAt, budgetOpensAt: opensAt };
      await (opensAt === null ? examine(claim, run) : end(claim, run, 'over_budget'));
    }
    examined += candidates.length;
    if (claim.isGated) await openDueBudgets(trx, factory, at);
  }
  return NOTHING_MORE;
}

/** Starts the run, unless its automation is paused, or its budget or its key keep it from starting. */
async function examine(claim: Claim, run: Candidate): Promise<void> {
  if (run.superseded_by !== null) return end(claim, run, 'superseded');
  if (claim.paused.has(run.automation)) return close(claim, run, 'paused');
  const budget = readBudget(run.budget);
  if (budget !== null && !(await isWithin(claim, run, budget))) return;
  const seq = await chooseOfKey(claim, run);
  if (seq !== null) await start(claim, { ...run, seq }, budget);
}

/** Whether the budget of its automation allows another start. Otherwise, the run waits or ends. */
async function isWithin(claim: Claim, run: Candidate, budget: BudgetTerms): Promise<boolean> {
  const { trx, at } = claim;
  const opensAt = await findBudgetOpening(trx, run, budget, at);
  if (opensAt !== null && budget.over === 'skip') {
    await end(claim, run, 'over_budget');
    return false;
  }
  // The runs that have waited longer start first.
  const waiting = await findOldestHeldBack(trx, run);
  if (opensAt === null && (waiting === null || waiting > run.seq)) return true;
  await waitForBudget(trx, run, opensAt ?? at);
  claim.isGated = true;
  return false;
}

/** The run to start of those with the key of a run; `null` if none may start: then the run is not a candidate either. */
async function chooseOfKey(claim: Claim, run: Candidate): Promise<number | null> {
  const { trx } = claim;
  const terms = readTerms(run.concurrency);
  if (run.concurrency_key === null || terms === null) return run.seq;
  if (await isFull(trx, run, terms.limit)) {
    await close(claim, run, 'concurrency');
    return null;
  }
  // The definition of this run may allow more than the one that made an older run wait, which then starts first.
  const waiting = await findOldestWaiting(trx, run, run.runs_on);
  return waiting !== null && waiting < run.seq ? waiting : run.seq;
}

async function close(claim: Claim, run: Candidate, gate: 'paused' | 'concurrency'): Promise<void> {
  claim.isGated = true;
  await claim.trx.updateTable('runs').set({ gate }).where('seq', '=', run.seq).execute();
}

/** Ends a run that does not start. */
async function end(
  { trx, at, ended }: Claim,
  run: Candidate,
  error: RunReason & ('superseded' | 'over_budget'),
): Promise<void> {
  await endRun(trx, { id: run.id, state: 'queued' }, { state: 'cancelled', error, finished_at: at });
  ended.push(run.id as RunId);
}

async function start(claim: Claim, run: Candidate, ofAutomation: BudgetTerms | null): Promise<void> {
  const { trx, factory, executor, at, budget: ofFactory } = claim;
  const taken = {
    state: 'running',
    executor,
    started_at: at,
    error: null,
    exit_code: null,
    finished_at: null,
    output: null,
    output_text: null,
  } as const;
  await trx
    .updateTable('runs')
    .set({ ...taken, ...NOW })
    .where('seq', '=', run.seq)
    .execute();
  const started = { run: run.seq, at };
  if (ofAutomation !== null) await spendBudget(trx, run, ofAutomation, started);
  if (ofFactory !== null) await spendBudget(trx, { factory, automation: '' }, ofFactory, started);
  claim.claimed.push(run.seq);
}

/** Stores the attempts of the claimed runs, and reads their inputs. */
async function startAttempts({ trx, claimed, executor, worker, machine, at }: Claim): Promise<Claimed['inputs']> {
  if (claimed.length === 0) return [];
  const rows = await selectRunInputs(trx).where('runs.seq', 'in', claimed).orderBy('runs.seq').execute();
  const holder = { worker: worker ?? null, machine: machine ?? null };
  const started = { state: 'running', executor, ...holder, started_at: at } as const;
  await trx
    .insertInto('run_attempts')
    .values(rows.map((run) => ({ run: run.seq, number: run.attempt, ...started, log_offset: beginOf(run.attempt) })))
    .onConflict((requested) => requested.columns(['run', 'number']).doUpdateSet(started))
    .execute();
  return readRunInputs(trx, rows);
}

/** The output of a later attempt begins where the log ends when the attempt starts. */
function beginOf(attempt: number): number | null {
  return attempt === 1 ? 0 : null;
}
