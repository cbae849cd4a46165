import type Database from 'better-sqlite3';
import type { ScheduleStep, ScheduleStore } from '../../domain/ports/schedules.ts';
import type { ScheduleState } from '../../domain/resources/schedule.ts';
import { applyStep, isAhead } from '../sql/schedules/schedule-step.ts';
import { SCHEDULES } from '../sql/schema/tables.ts';
import type { RecordBatch } from './delivery-log.ts';
import { prepareNamed } from './statement.ts';

type ScheduleRow = Parameters<typeof SCHEDULES.fromRow>[0];

const KEY = 'factory = @factory AND automation = @automation AND name = @name';

/** Prepares the step of a schedule: the tick with its run, and that the schedule has passed it, in one transaction. */
export function prepareTick(
  db: Database.Database,
  record: RecordBatch,
): (step: ScheduleStep) => Awaited<ReturnType<ScheduleStore['advance']>> {
  type Key = Pick<ScheduleState, 'factory' | 'automation' | 'name'>;
  const find = prepareNamed<Key, ScheduleRow>(db, `SELECT * FROM schedules WHERE ${KEY}`);
  const update = prepareNamed<ScheduleRow>(
    db,
    `UPDATE schedules SET passed_at = @passed_at, fired_at = @fired_at, delivery = @delivery, missed = @missed,
      missed_at = @missed_at WHERE ${KEY}`,
  );
  return (step) => {
    const { factory, automation, name, entry } = step;
    const row = find.get({ factory, automation, name });
    const schedule = row === undefined ? null : SCHEDULES.fromRow(row);
    if (schedule === null || !isAhead(schedule, step)) return null;
    const [outcome = null] = record(entry === null ? [] : [entry], ([recorded = null]) => {
      update.run(SCHEDULES.toRow(applyStep(schedule, step, recorded)));
    });
    return { outcome };
  };
}
