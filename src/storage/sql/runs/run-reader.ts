import { type Kysely, sql } from 'kysely';
import type { RunId } from '../../../domain/ids.ts';
import { MAX_EXAMINED_QUEUE, MAX_QUEUE_POSITION, type RunReader } from '../../../domain/ports/run-queue.ts';
import type { RunAttempt } from '../../../domain/resources/run.ts';
import { readAgentFiles } from '../definitions/agent-files.ts';
import type { Schema } from '../schema/schema.ts';
import { RUN_ATTEMPTS } from '../schema/tables.ts';
import { createBudgetReader } from './budget.ts';
import { countRuns, listRuns } from './list-runs.ts';
import { readRunInputs, selectRunInputs, selectRuns, toRun } from './run-rows.ts';
import { isClaimable } from './start.ts';

/** Reads runs for the management API. */
export function createRunReader(db: Kysely<Schema>): RunReader {
  return {
    list: (request) => listRuns(db, request),
    count: (request) => countRuns(db, request),
    get: async (id) => {
      const row = await selectRuns(db).where('runs.id', '=', id).executeTakeFirst();
      return row ? toRun(row) : null;
    },
    input: async (id) => {
      const row = await selectRunInputs(db).where('runs.id', '=', id).executeTakeFirst();
      return row ? (await readRunInputs(db, [row]))[0]! : null;
    },
    ...createBudgetReader(db),
    agentFiles: (id) => readAgentFiles(db, id),
    attempts: async (runs) => {
      const rows = await db
        .selectFrom('runs')
        .innerJoin('run_attempts', 'run_attempts.run', 'runs.seq')
        .select('runs.id')
        .selectAll('run_attempts')
        .where('runs.id', 'in', runs)
        .orderBy('run_attempts.run')
        .orderBy('run_attempts.number')
        .execute();
      const found = new Map<RunId, RunAttempt[]>();
      for (const row of rows) {
        const id = row.id as RunId;
        found.set(id, [...(found.get(id) ?? []), RUN_ATTEMPTS.fromRow(row)]);
      }
      return found;
    },
    queuePositions: async ({ factory, runs }) => {
      const asked = await db.selectFrom('runs').select(['id', 'seq']).where('id', 'in', runs).execute();
      if (asked.length === 0) return new Map();
      const ids = new Map(asked.map(({ id, seq }) => [seq, id as RunId]));
      const queues = [selectRanked(db, factory), selectGated(db, factory)].map((queue) =>
        queue
          .select(['ranked.seq', 'ranked.position'])
          .where('ranked.seq', 'in', [...ids.keys()])
          .execute(),
      );
      const rows = (await Promise.all(queues)).flat();
      return new Map(rows.map(({ seq, position }) => [ids.get(seq)!, position]));
    },
    oldestQueued: async (factory) => {
      const rows = await db
        .selectFrom('runs')
        .select(['automation', 'created_at'])
        .where('state', '=', 'queued')
        .where('factory', '=', factory)
        .orderBy('seq')
        .limit(MAX_EXAMINED_QUEUE)
        .execute();
      const oldest = new Map<string, number>();
      for (const { automation, created_at } of rows) {
        if (!oldest.has(automation)) oldest.set(automation, created_at);
      }
      return [...oldest].map(([automation, createdAt]) => ({ automation, createdAt }));
    },
  };
}

/**
 * The first runs of a queue that only wait for a slot, with their positions. Reads a limited part of one index, regardless of the queue's length.
 */
function selectRanked(db: Kysely<Schema>, factory: string) {
  const first = db
    .selectFrom('runs')
    .select('seq')
    .where(isClaimable())
    .where('factory', '=', factory)
    .orderBy('seq')
    .limit(MAX_QUEUE_POSITION);
  const ranked = db.selectFrom(first.as('first')).select(({ fn }) => [
    'first.seq',
    fn
      .agg<number>('row_number')
      .over((by) => by.orderBy('first.seq'))
      .as('position'),
  ]);
  return db.selectFrom(ranked.as('ranked'));
}

/** The first gated runs of a factory, with their positions among those that wait for the same key, budget or pause. */
function selectGated(db: Kysely<Schema>, factory: string) {
  const first = db
    .selectFrom('runs')
    .select(['seq', 'gate', 'automation'])
    .select(sql<string | null>`CASE WHEN gate = 'concurrency' THEN concurrency_key END`.as('key'))
    .where('factory', '=', factory)
    .where('gate', 'in', ['concurrency', 'budget', 'paused'])
    .orderBy('seq')
    .limit(MAX_QUEUE_POSITION);
  const ranked = db.selectFrom(first.as('first')).select(({ fn }) => [
    'first.seq',
    fn
      .agg<number>('row_number')
      .over((by) => by.partitionBy(['first.gate', 'first.automation', 'first.key']).orderBy('first.seq'))
      .as('position'),
  ]);
  return db.selectFrom(ranked.as('ranked'));
}
