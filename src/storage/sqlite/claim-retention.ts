import { type Kysely, sql } from 'kysely';
import type { ClaimRetention } from '../sql/deliveries/claim-finder.ts';
import type { Schema } from '../sql/schema/schema.ts';
import { DELIVERIES, IDENTITIES } from '../sql/schema/tables.ts';
import type { DepartedClaim, IdentityClaims } from './identities/identity-claims.ts';

/** The row of a delivery is its claim. When it leaves the log, its claim moves to `identities`. */
export function createClaimRetention(claims: IdentityClaims): ClaimRetention {
  return {
    depart: async (trx, deliveries, since) => {
      const departed = await keepClaims(trx, deliveries, since);
      await sql`delete from delivery_listing where (webhook, label, seq) in (
        select webhook, label, seq from deliveries where seq in (${sql.join(deliveries)}))`.execute(trx);
      return () => claims.depart(departed);
    },
    selectEnded: async (_db, expired) => expired,
    forget: (rows) => claims.forget(rows),
  };
}

/** Copies the claims that last longer than their deliveries. Returns all claims of the deliveries. */
async function keepClaims(db: Kysely<Schema>, deliveries: readonly number[], since: number): Promise<DepartedClaim[]> {
  const claims = await db
    .selectFrom('deliveries')
    .select([
      'seq as logged',
      'id',
      'webhook',
      'identity_source',
      'identity',
      'identity_key',
      'body_key',
      'received_at',
    ])
    .where('seq', 'in', deliveries)
    .where('label', '=', DELIVERIES.encode('label', 'Accepted'))
    .where('replay_of', 'is', null)
    .where(sql<boolean>`coalesce(identity_key, identity) <> ''`)
    .execute();
  let newest = await findNewest(db);
  const departed: DepartedClaim[] = [];
  const rows = [];
  for (const { logged, id, webhook, identity_source, identity, identity_key, body_key, received_at } of claims) {
    const keys = [{ source: identity_source!, key: identity_key ?? identity! }];
    if (body_key !== null) keys.push({ source: IDENTITIES.encode('source', 'body_hash'), key: body_key });
    for (const { source, key } of keys) {
      const kept = received_at < since ? null : ++newest;
      departed.push({ webhook, source: IDENTITIES.decode('source', source), key, logged, kept });
      if (kept === null) continue;
      // Hashed by the database, one body after another: together, they could take more than 100 MiB.
      const body_hash = sql<Uint8Array>`(select sha256(body) from delivery_contents where delivery = ${logged})`;
      rows.push({ seq: kept, webhook, source, key, delivery: id, body_hash, accepted_at: received_at });
    }
  }
  if (rows.length > 0) await db.insertInto('identities').values(rows).execute();
  return departed;
}

async function findNewest(db: Kysely<Schema>): Promise<number> {
  const { seq } = await db
    .selectFrom('identities')
    .select((select) => select.fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}
