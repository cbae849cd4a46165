import { type Kysely, sql, type Transaction } from 'kysely';
import type { RunReader } from '../../../domain/ports/run-queue.ts';
import { type BudgetTerms, readBudgetTerms } from '../../../domain/runs/run-policy.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS } from '../schema/tables.ts';
import { isHeldBack, NOW } from './start.ts';

/** What a budget limits: the runs of one automation, or all runs of a factory if `automation` is empty. */
interface BudgetScope {
  factory: string;
  automation: string;
}

/** `budget` with its defaults, from its column; `null` without a budget. */
export function readBudget(budget: string | null): BudgetTerms | null {
  const policy = budget === null ? null : AUTOMATION_VERSIONS.decode('budget', budget);
  return policy === null ? null : readBudgetTerms(policy);
}

/** Reads what is spent of budgets, for metrics. */
export function createBudgetReader(db: Kysely<Schema>): Pick<RunReader, 'automationBudgets' | 'factoryStarts'> {
  return {
    automationBudgets: async ({ at, limit }) => {
      const rows = await selectDeclared(db).limit(limit).execute();
      return Promise.all(
        rows.map(async ({ factory, automation, budget }) => {
          const { runs, perMs } = readBudget(budget)!;
          return { factory, automation, limit: runs, used: await countStarts(db, { factory, automation }, at - perMs) };
        }),
      );
    },
    factoryStarts: ({ factory, at, perMs }) => countStarts(db, { factory, automation: '' }, at - perMs),
  };
}

/** The budgets of live automations, from the index of the versions that have one. */
function selectDeclared(db: Kysely<Schema>) {
  return db
    .selectFrom('automation_versions')
    .innerJoin('automations', (join) =>
      join
        .onRef('automations.factory', '=', 'automation_versions.factory')
        .onRef('automations.name', '=', 'automation_versions.name')
        .onRef('automations.version', '=', 'automation_versions.version'),
    )
    .select(['automations.factory', 'automations.name as automation', 'automation_versions.budget'])
    .where(sql<boolean>`automation_versions.budget is not null`)
    .orderBy('automation_versions.factory')
    .orderBy('automation_versions.name');
}

async function countStarts(db: Kysely<Schema>, { factory, automation }: BudgetScope, after: number): Promise<number> {
  const { used } = await db
    .selectFrom('budget_starts')
    .select((select) => select.fn.countAll<number>().as('used'))
    .where('factory', '=', factory)
    .where('automation', '=', automation)
    .where('started_at', '>', after)
    .executeTakeFirstOrThrow();
  return used;
}

/** When the budget allows the next start, as wall time in milliseconds; `null` if it allows one now. */
export async function findBudgetOpening(
  trx: Transaction<Schema>,
  { factory, automation }: BudgetScope,
  { runs, perMs }: BudgetTerms,
  at: number,
): Promise<number | null> {
  const filling = await trx
    .selectFrom('budget_starts')
    .select('started_at')
    .where('factory', '=', factory)
    .where('automation', '=', automation)
    .where('started_at', '>', at - perMs)
    .orderBy('started_at', 'desc')
    .limit(1)
    .offset(runs - 1)
    .executeTakeFirst();
  return filling === undefined ? null : filling.started_at + perMs;
}

/** Counts a start, and forgets those that no longer count. */
export async function spendBudget(
  trx: Transaction<Schema>,
  { factory, automation }: BudgetScope,
  { perMs }: BudgetTerms,
  start: { run: number; at: number },
): Promise<void> {
  await trx
    .deleteFrom('budget_starts')
    .where('factory', '=', factory)
    .where('automation', '=', automation)
    .where('started_at', '<=', start.at - perMs)
    .execute();
  await trx
    .insertInto('budget_starts')
    .values({ factory, automation, started_at: start.at, run: start.run })
    .onConflict((counted) => counted.doNothing())
    .execute();
}

/** A claimed attempt that has not started does not count. */
export async function refundStart(trx: Transaction<Schema>, id: string, attempt: number): Promise<void> {
  const run = await trx
    .selectFrom('runs')
    .select(['seq', 'factory', 'automation', 'started_at'])
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (run?.started_at == null) return;
  await trx
    .deleteFrom('budget_starts')
    .where('factory', '=', run.factory)
    .where('automation', 'in', [run.automation, ''])
    .where('started_at', '=', run.started_at)
    .where('run', '=', run.seq)
    .execute();
}

/** Lets a run wait for the budget of its automation. */
export async function waitForBudget(
  trx: Transaction<Schema>,
  { seq, factory, automation }: BudgetScope & { seq: number },
  opensAt: number,
): Promise<void> {
  await trx.updateTable('runs').set({ gate: 'budget', not_before: opensAt }).where('seq', '=', seq).execute();
  await trx
    .insertInto('budget_waits')
    .values({ factory, automation, opens_at: opensAt })
    .onConflict((waits) => waits.columns(['factory', 'automation']).doUpdateSet({ opens_at: opensAt }))
    .execute();
}

/** The oldest run that waits for the budget of its automation. */
export async function findOldestHeldBack(
  trx: Transaction<Schema>,
  { factory, automation }: BudgetScope,
): Promise<number | null> {
  const oldest = await trx
    .selectFrom('runs')
    .select('seq')
    .where('factory', '=', factory)
    .where('automation', '=', automation)
    .where(isHeldBack('budget'))
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return oldest?.seq ?? null;
}

/**
 * Lets the oldest waiting run of each automation be claimed whose budget may allow a start. The claim examines it, and
 * repeats this while it starts runs.
 */
export async function openDueBudgets(trx: Transaction<Schema>, factory: string, at: number): Promise<void> {
  const due = await trx
    .selectFrom('budget_waits')
    .select(['factory', 'automation'])
    .where('factory', '=', factory)
    .where('opens_at', '<=', at)
    .execute();
  for (const scope of due) {
    const oldest = await findOldestHeldBack(trx, scope);
    if (oldest === null) await forgetWait(trx, scope);
    else await trx.updateTable('runs').set(NOW).where('seq', '=', oldest).execute();
  }
}

/** When the next budget of an automation allows a start, as wall time in milliseconds; `null` if no run waits for one. */
export async function findNextBudgetOpening(trx: Transaction<Schema>, factory: string): Promise<number | null> {
  const { next } = await trx
    .selectFrom('budget_waits')
    .select((select) => select.fn.min('opens_at').as('next'))
    .where('factory', '=', factory)
    .executeTakeFirstOrThrow();
  return next;
}

async function forgetWait(trx: Transaction<Schema>, { factory, automation }: BudgetScope): Promise<void> {
  await trx.deleteFrom('budget_waits').where('factory', '=', factory).where('automation', '=', automation).execute();
}
