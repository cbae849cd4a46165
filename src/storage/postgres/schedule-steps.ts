import type { ClientBase, Pool } from 'pg';
import type { ScheduleStep, ScheduleStore } from '../../domain/ports/schedules.ts';
import { applyStep, isAhead } from '../sql/schedules/schedule-step.ts';
import { SCHEDULES } from '../sql/schema/tables.ts';
import { recordEntries } from './delivery-log.ts';
import { commitOnce } from './transactions.ts';

type ScheduleRow = Parameters<typeof SCHEDULES.fromRow>[0];
type Advanced = Awaited<ReturnType<ScheduleStore['advance']>>;

const FIND = 'SELECT * FROM schedules WHERE factory = $1 AND automation = $2 AND name = $3 FOR UPDATE';

const UPDATE = `UPDATE schedules SET passed_at = $4, fired_at = $5, delivery = $6, missed = $7, missed_at = $8
  WHERE factory = $1 AND automation = $2 AND name = $3`;

/**
 * The step of a schedule: the tick with its run, and that the schedule has passed it, in one transaction. The lock of the row lets
 * one daemon at a time take a step.
 */
export function advanceSchedule(pool: Pool, step: ScheduleStep): Promise<Advanced> {
  return commitOnce(pool, 'READ COMMITTED', (client) => takeStep(client, step));
}

async function takeStep(client: ClientBase, step: ScheduleStep): Promise<Advanced> {
  const { factory, automation, name, entry } = step;
  const found = await client.query<ScheduleRow>(FIND, [factory, automation, name]);
  const schedule = found.rows[0] === undefined ? null : SCHEDULES.fromRow(found.rows[0]);
  if (schedule === null || !isAhead(schedule, step)) return null;
  const [outcome = null] = entry === null ? [] : await recordEntries(client, [entry]);
  const { passed_at, fired_at, delivery, missed, missed_at } = SCHEDULES.toRow(applyStep(schedule, step, outcome));
  await client.query(UPDATE, [factory, automation, name, passed_at, fired_at, delivery, missed, missed_at]);
  return { outcome };
}
