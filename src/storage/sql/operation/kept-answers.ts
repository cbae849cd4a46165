import type { Kysely } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { KeptAnswerTable, ReservedKey } from '../../../domain/ports/idempotency.ts';
import type { Schema } from '../schema/schema.ts';
import { KEPT_ANSWERS } from '../schema/tables.ts';

/** Maximum number of stored responses (threat model D10). */
const MAX_KEPT_ANSWERS = 10_000;

/** Responses to requests with an idempotency key. */
export function createKeptAnswers(db: Kysely<Schema>): KeptAnswerTable {
  return {
    find: async (key, since) => {
      const query = db.selectFrom('kept_answers').selectAll().where('key', '=', key).where('kept_at', '>=', since);
      const row = await query.executeTakeFirst();
      return row ? KEPT_ANSWERS.fromRow(row) : null;
    },
    keep: (answer, since) => db.transaction().execute((trx) => keep(trx, answer, since)),
    forget: async (key) => {
      await db.deleteFrom('kept_answers').where('key', '=', key).execute();
    },
  };
}

/**
 * Stores a key in the transaction of the change that is made under it. Throws `idempotency_key_in_use` if another request did that
 * after this one looked, for example at a daemon that leads since then.
 */
export async function reserveKey(trx: Kysely<Schema>, { answer, since }: ReservedKey): Promise<void> {
  const row = KEPT_ANSWERS.toRow(answer);
  const stored = await trx
    .insertInto('kept_answers')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(row)
        .where((is) => is.or([is('kept_answers.kept_at', '<', since), is('kept_answers.sealed', '=', answer.sealed)])),
    )
    .returning('kept_at')
    .executeTakeFirst();
  if (stored !== undefined) return;
  throw new AppError('idempotency_key_in_use', 'Another request with this Idempotency-Key made its change just now.');
}

async function keep(db: Kysely<Schema>, answer: Parameters<KeptAnswerTable['keep']>[0], since: number): Promise<void> {
  const row = KEPT_ANSWERS.toRow(answer);
  await db.deleteFrom('kept_answers').where('kept_at', '<', since).execute();
  await db
    .insertInto('kept_answers')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
  const newest = db.selectFrom('kept_answers').select('key').orderBy('kept_at', 'desc').limit(MAX_KEPT_ANSWERS);
  await db.deleteFrom('kept_answers').where('key', 'not in', newest).execute();
}
