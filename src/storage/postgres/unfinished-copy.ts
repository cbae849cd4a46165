import type { Pool } from 'pg';
import { AppError } from '../../domain/errors.ts';

/** The table that a database has until a copy to it is verified. */
export const COPY_MARKER = 'dockbell_copy';

/** Throws `storage_broken`: a daemon would work with a part of its deliveries and runs. */
export async function rejectUnfinishedCopy(pool: Pool): Promise<void> {
  const { rows } = await pool.query('SELECT to_regclass($1) IS NOT NULL AS unfinished', [COPY_MARKER]);
  if ((rows[0] as { unfinished: number }).unfinished === 0) return;
  throw new AppError(
    'storage_broken',
    "the database has a copy that is not finished and verified. Finish it with 'dockbell storage copy'. To discard it, drop " +
      'the database and create it again',
  );
}
