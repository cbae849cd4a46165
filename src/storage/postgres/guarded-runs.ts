import type { ClientBase, QueryConfig } from 'pg';
import type { AcceptableEntry } from '../sql/deliveries/delivery-rows.ts';
import {
  findGuardKey,
  type GuardedRow,
  type GuardKey,
  LoopGuard,
  nameGuardKey,
  SUM_OF_GUARDED,
} from '../sql/deliveries/loop-guard.ts';
import { escapeNul } from './text-without-nul.ts';

/** The condition is that of the index `runs_by_subject`. */
const COUNT = `
  SELECT given.place, counted.count
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
    WITH ORDINALITY AS given (factory, automation, subject, since, most, place)
  CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM (
      SELECT 1 FROM runs
      WHERE runs.factory = given.factory AND runs.automation = given.automation AND runs.subject = given.subject
        AND runs.created_at > given.since AND (state <> 'cancelled' OR started_at IS NOT NULL)
      LIMIT given.most
    ) AS recent
  ) AS counted`;

/**
 * The loop guard of a batch, with what is stored. Send it after the lock of the log was requested: then it counts the runs of all
 * batches before, also those of other daemons. Sends nothing if no run has a subject.
 */
export async function openLoopGuard(
  client: ClientBase,
  starting: readonly AcceptableEntry[],
  factories: ReadonlyMap<number, string>,
): Promise<LoopGuard> {
  const keys = listKeys(starting, factories);
  if (keys.length === 0) return new LoopGuard(() => 0);
  const columns = (['factory', 'automation', 'subject'] as const).map((name) =>
    keys.map((key) => escapeNul(key[name])),
  );
  const { rows } = await client.query<{ place: number; count: number }>({
    name: 'count_recent_runs',
    text: COUNT,
    values: [...columns, keys.map(({ since }) => since), keys.map(({ limit }) => limit)],
  });
  const counts = new Map(rows.map(({ place, count }) => [nameGuardKey(keys[place - 1]!), count]));
  return new LoopGuard((key) => counts.get(nameGuardKey(key))!);
}

/** Each key once, with the time of its first delivery. */
function listKeys(starting: readonly AcceptableEntry[], factories: ReadonlyMap<number, string>): GuardKey[] {
  const keys = new Map<string, GuardKey>();
  for (const entry of starting) {
    for (const run of entry.runs) {
      const key = findGuardKey(entry, factories.get(entry.webhook)!, run);
      if (key !== null && !keys.has(nameGuardKey(key))) keys.set(nameGuardKey(key), key);
    }
  }
  return [...keys.values()];
}

const NOTE = `
  INSERT INTO loop_guards (factory, automation, subject, deliveries, last_at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
  ON CONFLICT (factory, automation, subject) DO UPDATE
    SET deliveries = ${SUM_OF_GUARDED}, last_at = excluded.last_at`;

/** Composes the statement that notes what the guard did; `null` if it started everything. */
export function noteGuarded(rows: readonly GuardedRow[]): QueryConfig | null {
  if (rows.length === 0) return null;
  const columns = ['factory', 'automation', 'subject', 'deliveries', 'last_at'] as const;
  return { name: 'note_guarded', text: NOTE, values: columns.map((name) => rows.map((row) => escapeNul(row[name]))) };
}
