import type { Kysely } from 'kysely';
import { DELIVERY_LABELS } from '../../../domain/resources/delivery.ts';
import { selectNewest } from '../deliveries/select-newest.ts';
import type { Schema } from '../schema/schema.ts';
import { IDENTITIES } from '../schema/tables.ts';
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
  kept.add(await findNewest(db));
  await deleteDeliveries(
    piece,
    old.filter((seq) => !kept.has(seq)),
  );
  return { rows: taken.rows };
}

async function findNewest(db: Kysely<Schema>): Promise<number> {
  const { seq } = await db
    .selectFrom('deliveries')
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
  const finish = await db.transaction().execute(async (trx) => {
    const departed = await claims.depart(trx, deliveries, nowMs - policy.identitiesMs);
    await trx.deleteFrom('limited_delivery_ids').where('delivery', 'in', deliveries).execute();
    await trx.deleteFrom('delivery_contents').where('delivery', 'in', deliveries).execute();
    await trx.deleteFrom('deliveries').where('seq', 'in', deliveries).execute();
    return departed;
  });
  finish();
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
    .select(['seq', 'webhook', 'source', 'key', 'delivery', 'accepted_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const { expired, rows: read } = takeExpired(rows, nowMs - policy.identitiesMs, nowMs, pass);
  const ended = await claims.selectEnded(
    db,
    expired.map((row) => ({ ...row, source: IDENTITIES.decode('source', row.source) })),
  );
  const seqs = ended.map((identity) => identity.seq);
  if (seqs.length > 0) await db.deleteFrom('identities').where('seq', 'in', seqs).execute();
  claims.forget(ended);
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
