import { createTicks, listNextTicks } from '../../domain/cron/ticks.ts';
import type { ScheduleState } from '../../domain/resources/schedule.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import type { DeclaredSchedule } from '../../domain/trigger.ts';
import { presentInstant } from '../server/instants.ts';

/** Number of next ticks that answers show. */
const NEXT_TICKS = 5;

/** The ticks of a schedule: when it fires, when it last fired, and what was missed. */
export function presentTicks(schedule: DeclaredSchedule, states: readonly ScheduleState[], nowMs: number) {
  const state = states.find(({ name }) => name === (schedule.name ?? '')) ?? null;
  const { name, cron, timezone, catchUp } = schedule;
  return {
    id: state?.id ?? null,
    name,
    cron,
    timezone,
    catch_up: catchUp,
    next_at: listNext(schedule, state, nowMs),
    started_at: presentInstant(state?.startedAt ?? null),
    last_at: presentInstant(state?.firedAt ?? null),
    last_delivery: state?.delivery ?? null,
    missed: state?.missed ?? 0,
    last_missed_at: presentInstant(state?.missedAt ?? null),
  };
}

/** A daemon of an earlier version may have applied a schedule that is not valid. */
function listNext(schedule: DeclaredSchedule, state: ScheduleState | null, nowMs: number): string[] {
  const startedAt = state?.startedAt ?? nowMs;
  try {
    const after = Math.max(nowMs, startedAt, state?.passedAt ?? 0);
    return listNextTicks(createTicks(schedule, startedAt), after, NEXT_TICKS).map(formatInstant);
  } catch {
    return [];
  }
}
