import { type Kysely, sql } from 'kysely';
import { DELIVERY_LABELS } from '../../../core/resources/delivery.ts';
import type { DepartedClaim } from '../deliveries/claim-finder.ts';
import { selectNewest } from '../deliveries/select-newest.ts';
import type { Schema } from '../schema/schema.ts';
import { DELIVERIES, IDENTITIES } from '../schema/tables.ts';
import { type Pass, type Piece, takeExpired } from './pass.ts';

export async function pruneDeliveries(piece: Piece): Promise<{ rows: number }> {
  const { db, policy, nowMs, limit, pass } = piece;
  const rows = await db
    .selectFrom('deliveries')
    .select(['seq', 'webhook', 'received_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const taken = takeExpired(rows, nowMs - policy.deliveriesMs, nowMs, pass);
  const old: number[] = [];
  for (const { seq, webhook } of taken.expired) {
    if (seq < (await findFloor(db, webhook, policy.minDeliveries, pass))) old.push(seq);
  }
  const kept = await findOpenDeliveries(db, old);
  // Without the newest entry, its number would be reused. Runs outlive deliveries and refer to them by number.
  kept.add(await findNewest(db, 'deliveries'));
  await deleteDeliveries(
    piece,
    old.filter((seq) => !kept.has(seq)),
  );
  return { rows: taken.rows };
}

async function findNewest(db: Kysely<Schema>, table: 'deliveries' | 'identities'): Promise<number> {
  const { seq } = await db
    .selectFrom(table)
    .select((select) => select.fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

/** Deliveries with unfinished runs, which still need the payload. */
async function findOpenDeliveries(db: Kysely<Schema>, deliveries: number[]): Promise<Set<number>> {
  if (deliveries.length === 0) return new Set();
  const runs = await db
    .selectFrom('runs')
    .select('delivery')
    .where('delivery', 'in', deliveries)
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return new Set(runs.map((run) => run.delivery));
}

async function deleteDeliveries({ db, claims, policy, nowMs }: Piece, deliveries: number[]): Promise<void> {
  if (deliveries.length === 0) return;
  const departed = await db.transaction().execute(async (trx) => {
    const claimed = await keepClaims(trx, deliveries, nowMs - policy.identitiesMs);
    await sql`delete from delivery_listing where (webhook, label, seq) in (
      select webhook, label, seq from deliveries where seq in (${sql.join(deliveries)}))`.execute(trx);
    await trx.deleteFrom('limited_delivery_ids').where('delivery', 'in', deliveries).execute();
    await trx.deleteFrom('delivery_contents').where('delivery', 'in', deliveries).execute();
    await trx.deleteFrom('deliveries').where('seq', 'in', deliveries).execute();
    return claimed;
  });
  claims.depart(departed);
}

/** Copies the claims that last longer than their deliveries. Returns all claims of the deliveries. */
async function keepClaims(db: Kysely<Schema>, deliveries: number[], since: number): Promise<DepartedClaim[]> {
  const claims = await db
    .selectFrom('deliveries')
    .select(['seq as logged', 'id', 'webhook', 'identity_source', 'identity', 'identity_key', 'received_at'])
    .where('seq', 'in', deliveries)
    .where('label', '=', DELIVERIES.encode('label', 'Accepted'))
    .where('replay_of', 'is', null)
    .where(sql<boolean>`coalesce(identity_key, identity) <> ''`)
    .execute();
  let newest = await findNewest(db, 'identities');
  const departed: DepartedClaim[] = [];
  const rows = [];
  for (const { logged, id, webhook, identity_source, identity, identity_key, received_at } of claims) {
    const source = identity_source!;
    const key = identity_key ?? identity!;
    const kept = received_at < since ? null : ++newest;
    departed.push({ webhook, source: IDENTITIES.decode('source', source), key, logged, kept });
    if (kept === null) continue;
    // Hashed by the database, one body after another: together, they could take more than 100 MiB.
    const body_hash = sql<Uint8Array>`(select sha256(body) from delivery_contents where delivery = ${logged})`;
    rows.push({ seq: kept, webhook, source, key, delivery: id, body_hash, accepted_at: received_at });
  }
  if (rows.length > 0) await db.insertInto('identities').values(rows).execute();
  return departed;
}

/** Only entries below this number can be removed. It is 0 if the webhook has at most `minDeliveries` entries. */
async function findFloor(db: Kysely<Schema>, webhook: number, minDeliveries: number, pass: Pass): Promise<number> {
  if (minDeliveries === 0) return Number.POSITIVE_INFINITY;
  const known = pass.floors.get(webhook);
  if (known !== undefined) return known;
  const oldestKept = await selectNewest(db, webhook, DELIVERY_LABELS)
    .offset(minDeliveries - 1)
    .limit(1)
    .executeTakeFirst();
  const floor = oldestKept?.seq ?? 0;
  pass.floors.set(webhook, floor);
  return floor;
}

export async function pruneIdentities({ db, claims, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('identities')
    .select(['seq', 'webhook', 'source', 'key', 'accepted_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const { expired, rows: read } = takeExpired(rows, nowMs - policy.identitiesMs, nowMs, pass);
  const seqs = expired.map((identity) => identity.seq);
  if (seqs.length > 0) await db.deleteFrom('identities').where('seq', 'in', seqs).execute();
  claims.forget(expired.map((row) => ({ ...row, source: IDENTITIES.decode('source', row.source) })));
  return { rows: read };
}

export async function pruneRuns({ db, policy, nowMs, limit, pass, removedRuns }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('runs')
    .select(['seq', 'id', 'created_at as at', 'finished_at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const oldestKept = nowMs - policy.runsMs;
  const taken = takeExpired(rows, oldestKept, nowMs, pass);
  const removed = taken.expired.filter((run) => run.finished_at !== null && run.finished_at < oldestKept);
  const seqs = removed.map((run) => run.seq);
  await deleteRuns(db, seqs);
  removedRuns.push(...removed.map((run) => run.id));
  return { rows: taken.rows };
}

async function deleteRuns(db: Kysely<Schema>, seqs: number[]): Promise<void> {
  if (seqs.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('run_attempts').where('run', 'in', seqs).execute();
    await trx.deleteFrom('run_tokens').where('run', 'in', seqs).execute();
    await trx.deleteFrom('runs').where('seq', 'in', seqs).execute();
  });
}
