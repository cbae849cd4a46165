import type { ScheduleStep } from '../../../domain/ports/schedules.ts';
import type { RecordOutcome } from '../../../domain/resources/delivery.ts';
import type { ScheduleState } from '../../../domain/resources/schedule.ts';

/** Whether the step is of the stored schedule, and after what it has passed. */
export function isAhead({ startedAt, passedAt }: ScheduleState, step: ScheduleStep): boolean {
  return startedAt === step.startedAt && step.passedAt > startedAt && (passedAt === null || passedAt < step.passedAt);
}

/**
 * The schedule after its step. Throws if the tick could not be stored, so that the transaction has no effect: otherwise the
 * schedule would pass a tick without its run.
 */
export function applyStep(schedule: ScheduleState, step: ScheduleStep, outcome: RecordOutcome | null): ScheduleState {
  if (outcome !== null && 'message' in outcome) throw new Error(outcome.message);
  const { passedAt, missed, missedAt, entry } = step;
  return {
    ...schedule,
    passedAt,
    firedAt: entry === null ? schedule.firedAt : passedAt,
    delivery: entry?.id ?? schedule.delivery,
    missed: schedule.missed + missed,
    missedAt: missedAt ?? schedule.missedAt,
  };
}
