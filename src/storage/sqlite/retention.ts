import type { Kysely } from 'kysely';
import { HOUR_MS, MAX_ACTIVITY_MS } from '../../core/ports/activity-reader.ts';
import type { Retention, RetentionPolicy } from '../../core/ports/retention.ts';
import type { Schema } from './schema.ts';

/** Rows that one piece looks at: a few milliseconds of the storage thread, also on a slow disk. */
const MAX_PIECE_ROWS = 500;
/** History of reconciliations of a factory: so many rows, and none older than this but the newest. */
const MAX_RECONCILIATIONS = 1000;
/** Some hundreds of megabytes at the most. */
const MAX_AUDIT_ENTRIES = 1_000_000;
const RECONCILIATIONS_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Removes what is too old. One pass walks each table from its front in pieces and remembers where it stands between
 * the calls, so that rows which have to stay at the front are looked at once a pass and not once a piece.
 */
export function createRetention(db: Kysely<Schema>): Retention {
  let pass = beginPass(null);
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
      pass = beginPass(pass);
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
  /**
   * Versions of automations and of secrets that nothing names any more: the pass after this one may remove them. Not
   * this one, since a request may still hold the definition that was live a moment ago, and an apply the secret that
   * was the newest when it began.
   */
  readonly retired: Set<number>;
  readonly unpinned: Set<string>;
  readonly retiredBefore: Set<number>;
  readonly unpinnedBefore: Set<string>;
}

function beginPass(before: Pass | null): Pass {
  return {
    step: 0,
    afterSeq: 0,
    floors: new Map(),
    retired: new Set(),
    unpinned: new Set(),
    retiredBefore: before?.retired ?? new Set(),
    unpinnedBefore: before?.unpinned ?? new Set(),
  };
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
  pruneCounts,
  pruneHandshakes,
  pruneRuns,
  pruneReconciliations,
  pruneNotices,
  pruneSessions,
  pruneLoginLinks,
  pruneAudit,
  spareVersionsInUse,
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
  const kept = await findOpenDeliveries(db, old);
  // The number of the newest entry must not be given again: runs, which outlive deliveries, refer to theirs by it.
  kept.add(await findNewest(db));
  await deleteDeliveries(
    db,
    old.filter((seq) => !kept.has(seq)),
  );
  return { rows: walked.rows };
}

async function findNewest(db: Kysely<Schema>): Promise<number> {
  const { seq } = await db
    .selectFrom('deliveries')
    .select((select) => select.fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
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
  const walked = walkOld(rows, nowMs - policy.identitiesMs, nowMs, pass);
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

/** Counts are small and kept for as long as anybody can ask for them, whatever the log keeps. */
async function pruneCounts({ db, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const oldest = Math.floor((nowMs - MAX_ACTIVITY_MS) / HOUR_MS) - 1;
  const webhooks = await db
    .selectFrom('webhooks')
    .select('ref')
    .where('ref', '>', pass.afterSeq)
    .orderBy('ref')
    .limit(limit)
    .execute();
  for (const { ref } of webhooks) {
    await db.deleteFrom('delivery_counts').where('webhook', '=', ref).where('hour', '<', oldest).execute();
    pass.afterSeq = ref;
  }
  return { rows: webhooks.length };
}

/** Kept for as long as deliveries are. The newest row stays, so that no number is given twice. */
async function pruneHandshakes({ db, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('handshakes')
    .select(['seq', 'received_at as at'])
    .where('seq', '>', pass.afterSeq)
    .where('seq', '<', (select) => select.selectFrom('handshakes').select((of) => of.fn.max('seq').as('newest')))
    .orderBy('seq')
    .limit(limit)
    .execute();
  const walked = walkOld(rows, nowMs - policy.deliveriesMs, nowMs, pass);
  const gone = walked.old.map((row) => row.seq);
  if (gone.length > 0) await db.deleteFrom('handshakes').where('seq', 'in', gone).execute();
  return { rows: walked.rows };
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

/** Kept for as long as the history is; the newest of each target stays, so that nobody is told the same once more. */
async function pruneNotices({ db, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const rows = await db
    .selectFrom('notices')
    .select(['seq', 'created_at as at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const walked = walkOld(rows, nowMs - RECONCILIATIONS_MS, nowMs, pass);
  const old = walked.old.map((row) => row.seq);
  if (old.length > 0) await deleteReplacedNotices(db, old);
  return { rows: walked.rows };
}

/** Those that have come to their end; those that were idle too long before it are refused until then. */
async function pruneSessions({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const due = db.selectFrom('sessions').select('sessions.id').where('expires_at', '<=', nowMs).limit(limit);
  const { numDeletedRows } = await db.deleteFrom('sessions').where('id', 'in', due).executeTakeFirstOrThrow();
  return { rows: Number(numDeletedRows) };
}

async function pruneLoginLinks({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const due = db.selectFrom('login_links').select('login_links.id').where('expires_at', '<=', nowMs).limit(limit);
  const { numDeletedRows } = await db.deleteFrom('login_links').where('id', 'in', due).executeTakeFirstOrThrow();
  return { rows: Number(numDeletedRows) };
}

/** By age, and by number however young: whoever may change things must not fill the disk with it. */
async function pruneAudit({ db, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
  const newest = await db
    .selectFrom('audit_log')
    .select((select) => select.fn.max('seq').as('seq'))
    .executeTakeFirst();
  const rows = await db
    .selectFrom('audit_log')
    .select(['seq', 'at'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const firstKept = (newest?.seq ?? 0) - MAX_AUDIT_ENTRIES;
  const beyond = rows.filter((row) => row.seq <= firstKept);
  const walked = walkOld(rows.slice(beyond.length), nowMs - policy.auditMs, nowMs, pass);
  if (walked.rows === 0) pass.afterSeq = beyond.at(-1)?.seq ?? pass.afterSeq;
  const gone = [...beyond, ...walked.old].map((row) => row.seq);
  if (gone.length > 0) await db.deleteFrom('audit_log').where('seq', 'in', gone).execute();
  return { rows: beyond.length + walked.rows };
}

async function deleteReplacedNotices(db: Kysely<Schema>, seqs: number[]): Promise<void> {
  await db
    .deleteFrom('notices')
    .where('seq', 'in', seqs)
    .where((where) =>
      where.exists(
        where
          .selectFrom('notices as later')
          .select('later.seq')
          .whereRef('later.factory', '=', 'notices.factory')
          .whereRef('later.target', '=', 'notices.target')
          .whereRef('later.seq', '>', 'notices.seq'),
      ),
    )
    .execute();
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

/**
 * Walks all runs for the versions that they refer to, where an automation has left some behind. An index would spare
 * the walk, and cost every birth of a run.
 */
async function spareVersionsInUse({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  if (pass.retiredBefore.size === 0) return { rows: 0 };
  const runs = await db
    .selectFrom('runs')
    .select(['seq', 'version'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  for (const run of runs) pass.retiredBefore.delete(run.version);
  pass.afterSeq = runs[runs.length - 1]?.seq ?? pass.afterSeq;
  return { rows: runs.length };
}

/** Versions that no automation has any more and no run refers to. */
async function pruneAutomationVersions({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  const retired = await db
    .selectFrom('automation_versions')
    .select('version')
    .where('version', 'not in', db.selectFrom('automations').select('automations.version'))
    .execute();
  const versions = retired.map((row) => row.version);
  const due = versions.filter((version) => pass.retiredBefore.has(version)).slice(0, limit);
  if (due.length > 0) await db.deleteFrom('automation_versions').where('version', 'in', due).execute();
  for (const version of versions) pass.retired.add(version);
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
            .where((pinned) =>
              pinned.or([
                pinned.and([
                  pinned('webhooks.secret_name', '=', pinned.ref('secret_versions.name')),
                  pinned('webhooks.secret_version', '=', pinned.ref('secret_versions.version')),
                ]),
                pinned.and([
                  pinned('webhooks.verify_token_secret_name', '=', pinned.ref('secret_versions.name')),
                  pinned('webhooks.verify_token_secret_version', '=', pinned.ref('secret_versions.version')),
                ]),
              ]),
            )
            .where('webhooks.deleted_at', 'is', null),
        ),
      ),
    )
    .execute();
  const describe = (secret: (typeof unused)[number]) => `${secret.name} ${secret.version}`;
  const due = unused.filter((secret) => pass.unpinnedBefore.has(describe(secret))).slice(0, limit);
  for (const { name, version } of due) {
    await db.deleteFrom('secret_versions').where('name', '=', name).where('version', '=', version).execute();
  }
  for (const secret of unused) pass.unpinned.add(describe(secret));
  return { rows: due.length };
}
