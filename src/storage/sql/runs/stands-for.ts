import { type Kysely, sql } from 'kysely';
import type { DeliveryId, RunId } from '../../../domain/ids.ts';
import type { StandsFor } from '../../../domain/resources/run.ts';
import type { Schema } from '../schema/schema.ts';

/** Maximum number of deliveries that are listed. All are counted. */
const MAX_LISTED = 1_000;

/**
 * The deliveries of the runs that a run replaced, also through others, newest first. Each step is found by the index
 * `runs_by_successor`.
 */
export async function listStandsFor(db: Kysely<Schema>, run: string): Promise<StandsFor> {
  const { rows } = await sql<{ id: string; delivery_id: string; delivery_identity: string; count: number }>`
    WITH RECURSIVE replaced (seq, id) AS (
      SELECT seq, id FROM runs WHERE superseded_by = ${run}
      UNION SELECT runs.seq, runs.id
        FROM replaced JOIN runs ON runs.superseded_by = replaced.id
    )

    SELECT runs.id, runs.delivery_id, runs.delivery_identity, count(*) OVER () AS count
      FROM replaced JOIN runs ON runs.seq = replaced.seq
      ORDER BY runs.seq DESC LIMIT ${MAX_LISTED}
  `.execute(db);
  const deliveries = rows.map((row) => ({
    delivery: row.delivery_id as DeliveryId,
    deliveryIdentity: row.delivery_identity,
    run: row.id as RunId,
  }));
  return { count: rows[0]?.count ?? 0, deliveries };
}
