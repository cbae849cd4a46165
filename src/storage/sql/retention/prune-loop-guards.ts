import { LOOP_GUARD } from '../../../domain/words/runs.ts';
import type { Piece } from './pass.ts';

/** Alerts look no further back. The next delivery that is held back begins a new count. */
export async function pruneLoopGuards({ db, nowMs, limit }: Piece): Promise<{ rows: number }> {
  const expired = await db
    .selectFrom('loop_guards')
    .select(['factory', 'automation', 'subject'])
    .where('last_at', '<', nowMs - LOOP_GUARD.windowMs)
    .orderBy('last_at')
    .limit(limit)
    .execute();
  for (const key of expired) {
    await db
      .deleteFrom('loop_guards')
      .where((where) => where.and(key))
      .execute();
  }
  return { rows: expired.length };
}
