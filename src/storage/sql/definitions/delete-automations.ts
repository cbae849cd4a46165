import type { Transaction } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { recordListeners } from './listener-history.ts';

/** Deletes the automations of a factory. Their versions stay while runs refer to them. */
export async function deleteAllAutomations(trx: Transaction<Schema>, factory: string, at: number): Promise<void> {
  const rows = await trx.selectFrom('automations').select('name').where('factory', '=', factory).execute();
  const names = rows.map(({ name }) => name);
  await recordListeners(trx, { factory, at, automations: [], deleteAutomations: names });
  await trx.deleteFrom('automations').where('factory', '=', factory).execute();
}
