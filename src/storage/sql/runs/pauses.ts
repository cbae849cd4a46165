import type { Kysely, Transaction } from 'kysely';
import type { PauseTable } from '../../../domain/ports/pauses.ts';
import type { Schema } from '../schema/schema.ts';
import { PAUSES } from '../schema/tables.ts';
import { isHeldBack, NOW } from './start.ts';

/** The factories and automations whose runs do not start. The automation of a paused factory is the empty name. */
export function createPauseTable(db: Kysely<Schema>): PauseTable {
  return {
    list: async () => {
      const rows = await db.selectFrom('pauses').selectAll().orderBy('factory').orderBy('automation').execute();
      return rows.map((row) => PAUSES.fromRow(row));
    },
    pause: async (pause) => {
      const { factory, automation, ...how } = PAUSES.toRow(pause);
      await db
        .insertInto('pauses')
        .values({ factory, automation, ...how })
        .onConflict((paused) => paused.columns(['factory', 'automation']).doUpdateSet(how))
        .execute();
    },
    resume: ({ factory, automation }) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom('pauses').where('factory', '=', factory).where('automation', '=', automation).execute();
        await trx
          .updateTable('runs')
          .set(NOW)
          .where('factory', '=', factory)
          .where('automation', '=', automation)
          .where(isHeldBack('paused'))
          .execute();
      }),
  };
}

/** The paused automations of a factory, with the empty name if the factory is paused. */
export async function listPaused(trx: Transaction<Schema>, factory: string): Promise<Set<string>> {
  const rows = await trx.selectFrom('pauses').select('automation').where('factory', '=', factory).execute();
  return new Set(rows.map(({ automation }) => automation));
}
