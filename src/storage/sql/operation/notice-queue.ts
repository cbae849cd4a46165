import { type Kysely, sql } from 'kysely';
import type { NoticeId } from '../../../domain/ids.ts';
import type { NoticeTarget } from '../../../domain/messages/notice.ts';
import type { NoticeQueue } from '../../../domain/ports/messages.ts';
import type { Schema } from '../schema/schema.ts';
import { NOTICES } from '../schema/tables.ts';

/** The queue of notifications about commits. */
export function createNoticeQueue(db: Kysely<Schema>): NoticeQueue {
  const select = ({ factory, target }: NoticeTarget) =>
    db.selectFrom('notices').selectAll().where('factory', '=', factory).where('target', '=', target).limit(1);
  return {
    put: (notice) => db.transaction().execute((trx) => putNotice(trx, notice)),
    skip: async (notice, problem) => {
      const row = NOTICES.toRow({ ...notice, dueAt: notice.createdAt, problem, failingSince: null });
      await db
        .insertInto('notices')
        .values({ ...row, state: 'skipped' })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    find: async (target, revision) => {
      const row = await select(target).where('revision', '=', revision).executeTakeFirst();
      return row ? NOTICES.fromRow(row) : null;
    },
    renew: async ({ factory, target }, revision, report) => {
      await db
        .updateTable('notices')
        .set({ report: JSON.stringify(report) })
        .where((where) => where.and({ factory, target, revision }))
        .execute();
    },
    ofRun: async (factory, run) => {
      const rows = await db
        .selectFrom('notices')
        .selectAll()
        .where('factory', '=', factory)
        // All attempts: `0` follows `/`.
        .where('revision', '>', `${run}/`)
        .where('revision', '<', `${run}0`)
        .orderBy('seq')
        .execute();
      return rows.map((row) => NOTICES.fromRow(row));
    },
    next: async (target) => {
      const row = await select(target)
        .where('state', '=', 'waiting')
        .orderBy('due_at')
        .orderBy('seq')
        .executeTakeFirst();
      return row ? NOTICES.fromRow(row) : null;
    },
    newest: async (target) => {
      const row = await select(target).where('state', '!=', 'skipped').orderBy('seq', 'desc').executeTakeFirst();
      return row ? NOTICES.fromRow(row) : null;
    },
    postpone: async (id, { problem, at, dueAt }) => {
      await update(db, id)
        .set((row) => ({
          problem,
          due_at: dueAt,
          attempts: sql<number>`${row.ref('attempts')} + 1`,
          failing_since: since(at),
        }))
        .execute();
    },
    settle: async (id, { problem, at }) => {
      const isPosted = problem === null;
      await update(db, id)
        .set({ state: isPosted ? 'posted' : 'given_up', problem, failing_since: isPosted ? null : since(at) })
        .execute();
    },
    retryNow: (target, at) => db.transaction().execute((trx) => retryNow(trx, target, at)),
  };
}

function since(at: number) {
  return sql<number>`coalesce(failing_since, ${at})`;
}

function update(db: Kysely<Schema>, id: NoticeId) {
  return db.updateTable('notices').where('id', '=', id);
}

async function putNotice(db: Kysely<Schema>, notice: Parameters<NoticeQueue['put']>[0]): Promise<boolean> {
  const { factory, target, revision, outcome, createdAt } = notice;
  const earlier = await db
    .selectFrom('notices')
    .select(['seq', 'outcome'])
    .where((where) => where.and({ factory, target, revision }))
    .executeTakeFirst();
  if (earlier?.outcome === outcome) return false;
  if (earlier !== undefined) await db.deleteFrom('notices').where('seq', '=', earlier.seq).execute();
  const row = NOTICES.toRow({ ...notice, dueAt: createdAt, problem: null, failingSince: null });
  await db.insertInto('notices').values(row).execute();
  return true;
}

async function retryNow(db: Kysely<Schema>, { factory, target }: NoticeTarget, at: number): Promise<void> {
  await db
    .updateTable('notices')
    .set({ due_at: at })
    .where((where) => where.and({ factory, target, state: 'waiting' }))
    .execute();
  const newest = await db
    .selectFrom('notices')
    .select(['seq', 'state'])
    .where((where) => where.and({ factory, target }))
    .where('state', '!=', 'skipped')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest?.state !== 'given_up') return;
  // The time limit for retries counts from `created_at`, so it starts again.
  const restarted = { state: 'waiting', due_at: at, created_at: at, attempts: 0 };
  await db.updateTable('notices').set(restarted).where('seq', '=', newest.seq).execute();
}
