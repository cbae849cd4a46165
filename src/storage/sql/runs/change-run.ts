import type { Transaction } from 'kysely';
import type { RunGate, RunResult, RunState } from '../../../domain/resources/run.ts';
import { type RunOutput, textOfOutput } from '../../../domain/runs/run-output.ts';
import type { Schema } from '../schema/schema.ts';
import { RUN_ATTEMPTS, RUNS } from '../schema/tables.ts';
import { noteResult } from './run-results.ts';
import { openOldest } from './same-key.ts';
import { NOW } from './start.ts';

/** The state in which a change expects a run. */
interface Expected {
  id: string;
  state: 'queued' | 'running';
  attempt?: number;
}

/** What changes of a run and its attempt. */
interface Change {
  state: RunState;
  executor?: null;
  error?: string | null;
  exit_code?: number | null;
  started_at?: null;
  finished_at?: number;
  gate?: RunGate | null;
  not_before?: number | null;
  /** As JSON. */
  output?: string | null;
}

/**
 * Changes a run and its last attempt, which may not be stored yet. Returns the number of the row; `null`, and nothing
 * changes, if the run is no longer in that state or attempt.
 */
export async function changeRun(
  trx: Transaction<Schema>,
  { id, state, attempt }: Expected,
  change: Change & { attempt?: number; output_text?: string | null },
  attemptChange: Change & { worker?: null },
): Promise<number | null> {
  const found = await trx
    .selectFrom('runs')
    .select(['seq', 'attempt', 'factory', 'automation', 'concurrency_key'])
    .where('id', '=', id)
    .where('state', '=', state)
    .$if(attempt !== undefined, (query) => query.where('attempt', '=', attempt!))
    .executeTakeFirst();
  if (found === undefined) return null;
  await trx.updateTable('runs').set(change).where('seq', '=', found.seq).execute();
  await trx
    .updateTable('run_attempts')
    .set(attemptChange)
    .where('run', '=', found.seq)
    .where('number', '=', found.attempt)
    .execute();
  // Also a queued run may have been the one that the others with its key waited for.
  if (found.concurrency_key !== null) await openOldest(trx, found);
  return found.seq;
}

/** Ends a run and its last attempt, and notes the result for its automation. `false` as `changeRun`. */
export async function endRun(
  trx: Transaction<Schema>,
  expected: Expected,
  end: Change & { state: RunResult['state'] },
  output: RunOutput | null = null,
): Promise<boolean> {
  const stored = output === null ? {} : { output: RUNS.encode('output', output), output_text: textOfOutput(output) };
  const run = await changeRun(trx, expected, { ...end, ...NOW, ...stored }, { ...end, ...encodeOutput(output) });
  if (run !== null) await noteResult(trx, run, end.state);
  return run !== null;
}

/** The column of an attempt. */
export function encodeOutput(output: RunOutput | null | undefined): { output?: string } {
  return output == null ? {} : { output: RUN_ATTEMPTS.encode('output', output)! };
}

/** Stores an attempt that has not started. */
export async function insertRequested(
  trx: Transaction<Schema>,
  requested: { run: number; number: number; requested_at: number; requested_by: string | null },
): Promise<void> {
  await trx
    .insertInto('run_attempts')
    .values({ state: 'queued', ...requested })
    .execute();
}
