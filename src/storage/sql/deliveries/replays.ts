import type { Kysely } from 'kysely';
import type { ReplaySearch, Replays } from '../../../domain/ports/replays.ts';
import { OPEN_REPLAY_STATES, type Replay } from '../../../domain/resources/replay.ts';
import { cutPage, parseCursor } from '../cursor.ts';
import type { Schema } from '../schema/schema.ts';
import { REPLAYS } from '../schema/tables.ts';
import type { ClaimFinder } from './claim-finder.ts';
import { findRange } from './find-deliveries.ts';
import { countReplayable, readReplaySlice } from './read-replay-slice.ts';

/** Replays, without the step that stores new deliveries. */
export function createReplays(db: Kysely<Schema>, claims: ClaimFinder): Omit<Replays, 'advance'> {
  const log = { db, claims };
  return {
    span: (search) => findSpan(db, search),
    count: (span, limit) => countReplayable(log, span, limit),
    read: (span, bounds) => readReplaySlice(log, span, bounds),
    insert: (replay, maxOpen) => db.transaction().execute((trx) => insertReplay(trx, replay, maxOpen)),
    get: async (id) => {
      const row = await db.selectFrom('replays').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : REPLAYS.fromRow(row);
    },
    list: async ({ factory, state, limit, cursor }) => {
      const before = parseCursor(cursor) ?? Number.MAX_SAFE_INTEGER;
      const found = await db
        .selectFrom('replays')
        .selectAll()
        .where('factory', '=', factory)
        .where('seq', '<', before)
        .$if(state !== undefined, (query) => query.where('state', '=', state!))
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute();
      const { rows, nextCursor } = cutPage(found, limit);
      return { data: rows.map((row) => REPLAYS.fromRow(row)), nextCursor };
    },
    open: async () => {
      const rows = await selectOpen(db).selectAll().orderBy('seq').execute();
      return rows.map((row) => REPLAYS.fromRow(row));
    },
    end: async (id, { state, error, at }) => {
      const change = { state, error, finished_at: at };
      const result = await db
        .updateTable('replays')
        .set(change)
        .where('id', '=', id)
        .where('state', 'in', OPEN_REPLAY_STATES)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

async function findSpan(db: Kysely<Schema>, search: ReplaySearch): Promise<{ after: number; last: number }> {
  if (search.delivery !== null) {
    const only = await db.selectFrom('deliveries').select('seq').where('id', '=', search.delivery).executeTakeFirst();
    return only === undefined ? { after: 0, last: 0 } : { after: only.seq - 1, last: only.seq };
  }
  const { from, before } = await findRange(db, search, []);
  const { newest } = await db
    .selectFrom('deliveries')
    .select((select) => select.fn.max('seq').as('newest'))
    .executeTakeFirstOrThrow();
  return { after: from - 1, last: Math.min(newest ?? 0, before - 1) };
}

async function insertReplay(db: Kysely<Schema>, replay: Replay, maxOpen: number): Promise<'inserted' | 'too_many'> {
  const { open } = await selectOpen(db)
    .select((select) => select.fn.countAll<number>().as('open'))
    .where('factory', '=', replay.factory)
    .executeTakeFirstOrThrow();
  if (open >= maxOpen) return 'too_many';
  await db.insertInto('replays').values(REPLAYS.toRow(replay)).execute();
  return 'inserted';
}

function selectOpen(db: Kysely<Schema>) {
  return db.selectFrom('replays').where('state', 'in', OPEN_REPLAY_STATES);
}
