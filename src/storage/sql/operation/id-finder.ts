import { type Kysely, sql } from 'kysely';
import type { FindableId, FoundId, IdFinder } from '../../../domain/ports/inventory.ts';
import type { Schema } from '../schema/schema.ts';

/** A range of the index on the IDs of one table. */
interface Range {
  from: string;
  before: string;
  factories: readonly string[] | null;
  limit: number;
}

type Find = (db: Kysely<Schema>, range: Range) => Promise<FoundId[]>;

/** Each function reads one range of the unique index on IDs. */
const FINDERS: { readonly [Type in TypeOf<FindableId>]: Find } = {
  dlv: (db, { from, before, factories, limit }) =>
    db
      .selectFrom('deliveries')
      .innerJoin('webhooks', 'webhooks.ref', 'deliveries.webhook')
      .select(['deliveries.id', 'webhooks.factory'])
      .where('deliveries.id', '>=', from)
      .where('deliveries.id', '<', before)
      // As an expression, the factory keeps SQLite from using its index, which would read every webhook of the factory.
      .$if(factories !== null, (query) => query.where(sql`webhooks.factory || ''`, 'in', factories))
      .orderBy('deliveries.id', 'desc')
      .limit(limit)
      .execute(),
  run: (db, range) => findIn(db, 'runs', range),
  rec: (db, range) => findIn(db, 'reconciliations', range),
  rpl: (db, range) => findIn(db, 'replays', range),
  wh: (db, { from, before, factories, limit }) =>
    db
      .selectFrom('webhooks')
      .select(['uid as id', 'factory'])
      .where('uid', '>=', from)
      .where('uid', '<', before)
      .$if(factories !== null, (query) => query.where(sql`factory || ''`, 'in', factories))
      .orderBy('uid', 'desc')
      .limit(limit)
      .execute(),
};

type TypeOf<Id extends string> = Id extends `${infer Type}_${string}` ? Type : never;

function findIn(
  db: Kysely<Schema>,
  table: 'runs' | 'reconciliations' | 'replays',
  { from, before, factories, limit }: Range,
) {
  return db
    .selectFrom(table)
    .select(['id', 'factory'])
    .where('id', '>=', from)
    .where('id', '<', before)
    .$if(factories !== null, (query) => query.where(sql`factory || ''`, 'in', factories))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Finds complete IDs by their prefix. */
export function createIdFinder(db: Kysely<Schema>): IdFinder {
  return {
    find: ({ prefix, factories, limit }) => {
      const type = prefix.slice(0, prefix.indexOf('_')) as TypeOf<FindableId>;
      // IDs hold digits, lowercase letters and one underscore, and `~` comes after all of them.
      return FINDERS[type](db, { from: prefix, before: `${prefix}~`, factories, limit });
    },
  };
}
