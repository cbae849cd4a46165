import { type Piece, takeExpired } from './pass.ts';

/** Limits the audit log to a few hundred megabytes. */
const MAX_AUDIT_ENTRIES = 1_000_000;

/** Removes expired sessions. Sessions that were idle for too long are rejected, but remain until they expire. */
export async function pruneSessions({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const due = db.selectFrom('sessions').select('sessions.id').where('expires_at', '<=', nowMs).limit(limit);
  const { numDeletedRows } = await db.deleteFrom('sessions').where('id', 'in', due).executeTakeFirstOrThrow();
  return { rows: Number(numDeletedRows) };
}

export async function pruneLoginLinks({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const due = db.selectFrom('login_links').select('login_links.id').where('expires_at', '<=', nowMs).limit(limit);
  const { numDeletedRows } = await db.deleteFrom('login_links').where('id', 'in', due).executeTakeFirstOrThrow();
  return { rows: Number(numDeletedRows) };
}

/** Removes by age and by number, so that a user with many changes cannot fill the disk. */
export async function pruneAudit({ db, policy, nowMs, limit, pass }: Piece): Promise<{ rows: number }> {
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
  const taken = takeExpired(rows.slice(beyond.length), nowMs - policy.auditMs, nowMs, pass);
  if (taken.rows === 0) pass.afterSeq = beyond.at(-1)?.seq ?? pass.afterSeq;
  const removed = [...beyond, ...taken.expired].map((row) => row.seq);
  if (removed.length > 0) await db.deleteFrom('audit_log').where('seq', 'in', removed).execute();
  return { rows: beyond.length + taken.rows };
}
