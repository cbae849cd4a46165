import type { Kysely } from 'kysely';
import type { Retention, RetentionPolicy } from '../../core/ports/retention.ts';
import type { Schema } from './schema.ts';

/** Rows that one piece looks at: a few milliseconds of the storage thread, also on a slow disk. */
const MAX_PIECE_ROWS = 500;
/** History of reconciliations of a factory: so many rows, and none older than this but the newest. */
const MAX_RECONCILIATIONS = 1000;
const RECONCILIATIONS_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Removes what is too old. One pass walks each table from its front in pieces and remembers where it stands between
 * the calls, so that rows which have to stay at the front are looked at once a pass and not once a piece.
 */
export function createRetention(db: Kysely<Schema>): Retention {
  let pass = beginPass(new Set());
  return {
    prune: async (policy, nowMs) => {
      const removedRuns: string[] = [];
      let room = MAX_PIECE_ROWS;
      while (pass.step < STEPS.length) {
        const done = await STEPS[pass.step]!({ db, policy, nowMs, limit: room, pass, removedRuns });
        room -= done.rows;
        if (room === 0) return { more: true, removedRuns };
        pass.step += 1;
        pass.afterSeq = 0;
      }
      pass = beginPass(pass.seenUnused);
      return { more: false, removedRuns };
    },
  };
}

interface Pass {
  /** Index into `STEPS`. */
  step: number;
  /** Number of the row after which the step goes on. */
  afterSeq: number;
  /** Per webhook the number of the oldest entry that stays for the sake of `minDeliveries`; it can only rise. */
  readonly floors: Map<number, number>;
  /** What the pass before found unused. */
  readonly unusedBefore: ReadonlySet<string>;
  readonly seenUnused: Set<string>;
}

function beginPass(unusedBefore: ReadonlySet<string>): Pass {
  return { step: 0, afterSeq: 0, floors: new Map(), unusedBefore, seenUnused: new Set() };
}

interface Piece {
  db: Kysely<Schema>;
  policy: RetentionPolicy;
  nowMs: number;
  limit: number;
  pass: Pass;
  /** Filled with the runs that a step removed. */
  removedRuns: string[];
}

/** Works through up to `limit` rows and answers how many they were: fewer where the step has come to its end. */
type Step = (piece: Piece) => Promise<{ rows: number }>;

const STEPS: readonly Step[] = [
  pruneDeliveries,
  pruneIdentities,
  pruneRuns,
  pruneReconciliations,
  pruneAutomationVersions,
  pruneSecretVersions,
];

async function pruneDeliveries({ db, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['seq', 'webhook', 'received_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const walked = walkOld(rows, nowMs - policy.deliveriesMs, nowMs, pass);
  const old: number[] = [];
  for (const { seq, webhook } of walked.old) {
    if (seq < (await findFloor(db, webhook, policy.minDeliveries, pass))) old.push(seq);
  }
  const open = await findOpenDeliveries(db, old);
  await deleteDeliveries(
    db,
    old.filter((seq) => !open.has(seq)),
  );
  return { rows: walked.rows };
}

/** The entries that wait for their runs to end: these still need the payload. */
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

async function deleteDeliveries(db: Kysely<Schema>, deliveries: number[]): Promise<void> {
  if (deliveries.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('delivery_contents').where('delivery', 'in', deliveries).execute();
    await trx.deleteFrom('deliveries').where('seq', 'in', deliveries).execute();
  });
}

/** Entries of the webhook below this number may go; all stay where there are not more than `minDeliveries`. */
async function findFloor(db: Kysely<Schema>, webhook: number, minDeliveries: number, pass: Pass): Promise<number> {
  if (minDeliveries === 0) return Number.POSITIVE_INFINITY;
  const known = pass.floors.get(webhook);
  if (known !== undefined) return known;
  const oldestKept = await db
    .selectFrom('deliveries')
    .select('seq')
    .where('webhook', '=', webhook)
    .orderBy('seq', 'desc')
    .offset(minDeliveries - 1)
    .limit(1)
    .executeTakeFirst();
  const floor = oldestKept?.seq ?? 0;
  pass.floors.set(webhook, floor);
  return floor;
}

/** An identity is remembered for as long as its delivery is in the log, however short it is configured to live. */
async function pruneIdentities({ db, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('identities')
    .select(['seq', 'delivery', 'accepted_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const keptMs = Math.max(policy.identitiesMs, policy.deliveriesMs);
  const walked = walkOld(rows, nowMs - keptMs, nowMs, pass);
  const logged = await findLogged(
    db,
    walked.old.map((identity) => identity.delivery),
  );
  const gone = walked.old.filter((identity) => !logged.has(identity.delivery)).map((identity) => identity.seq);
  if (gone.length > 0) await db.deleteFrom('identities').where('seq', 'in', gone).execute();
  return { rows: walked.rows };
}

async function findLogged(db: Kysely<Schema>, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const deliveries = await db.selectFrom('deliveries').select('id').where('id', 'in', ids).execute();
  return new Set(deliveries.map((delivery) => delivery.id));
}

async function pruneRuns({ db, policy, nowMs, limit, pass, removedRuns }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('runs')
    .select(['seq', 'id', 'created_at as at', 'finished_at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const oldestKept = nowMs - policy.runsMs;
  const walked = walkOld(rows, oldestKept, nowMs, pass);
  const gone = walked.old.filter((run) => run.finished_at !== null && run.finished_at < oldestKept);
  const seqs = gone.map((run) => run.seq);
  if (seqs.length > 0) await db.deleteFrom('runs').where('seq', 'in', seqs).execute();
  removedRuns.push(...gone.map((run) => run.id));
  return { rows: walked.rows };
}

/**
 * Of the next rows of a table that grows at its end, those before the first young one, and of these the old ones.
 * A row from the future (a clock was set back since) is neither: it stays, and hides no old row behind it.
 */
function walkOld<Row extends { seq: number; at: number }>(
  rows: readonly Row[],
  oldestKept: number,
  nowMs: number,
  pass: Pass,
): { rows: number; old: Row[] } {
  const young = rows.findIndex((row) => row.at >= oldestKept && row.at <= nowMs);
  const walked = young === -1 ? rows : rows.slice(0, young);
  pass.afterSeq = walked[walked.length - 1]?.seq ?? pass.afterSeq;
  return { rows: walked.length, old: walked.filter((row) => row.at < oldestKept) };
}

async function pruneReconciliations({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const factories = await db.selectFrom('factories').select('name').orderBy('name').execute();
  let rows = 0;
  for (const { name } of factories) rows += await pruneHistory(db, name, nowMs - RECONCILIATIONS_MS, limit - rows);
  return { rows };
}

/** Removes up to `limit` rows of one factory's history; the newest always stays. */
async function pruneHistory(db: Kysely<Schema>, factory: string, oldestKept: number, limit: number): Promise<number> {
  const selectKept = (count: number) =>
    db
      .selectFrom('reconciliations as kept')
      .select('kept.seq')
      .where('kept.factory', '=', factory)
      .orderBy('kept.seq', 'desc')
      .offset(count - 1)
      .limit(1);
  const due = await db
    .selectFrom('reconciliations')
    .select('seq')
    .where('factory', '=', factory)
    .where((where) =>
      where.or([
        where('seq', '<', selectKept(MAX_RECONCILIATIONS)),
        where.and([where('attempted_at', '<', oldestKept), where('seq', '<', selectKept(1))]),
      ]),
    )
    .orderBy('seq')
    .limit(limit)
    .execute();
  const seqs = due.map((row) => row.seq);
  if (seqs.length > 0) await db.deleteFrom('reconciliations').where('seq', 'in', seqs).execute();
  return seqs.length;
}

/** Versions that no automation has any more and no run refers to. */
async function pruneAutomationVersions({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  const unused = await db
    .selectFrom('automation_versions')
    .select('version')
    .where('version', 'not in', db.selectFrom('automations').select('automations.version'))
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('runs').select('runs.seq').whereRef('runs.version', '=', 'automation_versions.version'),
        ),
      ),
    )
    .execute();
  const due = takeDue(unused, ({ version }) => `automation ${version}`, pass, limit).map((row) => row.version);
  if (due.length > 0) await db.deleteFrom('automation_versions').where('version', 'in', due).execute();
  return { rows: due.length };
}

/** Versions of secrets that are neither the newest of their name nor pinned by a webhook. */
async function pruneSecretVersions({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  const unused = await db
    .selectFrom('secret_versions')
    .innerJoin('secret_names', 'secret_names.name', 'secret_versions.name')
    .select(['secret_versions.name', 'secret_versions.version'])
    .where((where) =>
      where.or([
        where('secret_names.newest_version', 'is', null),
        where('secret_names.newest_version', '<>', where.ref('secret_versions.version')),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('webhooks')
            .select('webhooks.ref')
            .whereRef('webhooks.secret_name', '=', 'secret_versions.name')
            .whereRef('webhooks.secret_version', '=', 'secret_versions.version')
            .where('webhooks.deleted_at', 'is', null),
        ),
      ),
    )
    .execute();
  const due = takeDue(unused, ({ name, version }) => `secret ${name} ${version}`, pass, limit);
  for (const { name, version } of due) {
    await db.deleteFrom('secret_versions').where('name', '=', name).where('version', '=', version).execute();
  }
  return { rows: due.length };
}

/**
 * Only what the pass before found unused too may go: a request may still hold the definition that was live a moment
 * ago, and an apply the secret that was newest when it began.
 */
function takeDue<Row>(unused: readonly Row[], describe: (row: Row) => string, pass: Pass, limit: number): Row[] {
  for (const row of unused) pass.seenUnused.add(describe(row));
  return unused.filter((row) => pass.unusedBefore.has(describe(row))).slice(0, limit);
}
