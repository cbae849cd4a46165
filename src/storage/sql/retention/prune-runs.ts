import { type Piece, walkOld } from './pass.ts';

export async function pruneRuns({ db, policy, nowMs, limit, pass, removedRuns }: Piece): Promise<{ rows: number }> {
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
