import type { CronProblem } from '../../domain/cron/cron-problem.ts';
import { parseCron } from '../../domain/cron/parse-cron.ts';
import { checkTimeZone } from '../../domain/cron/time-zone.ts';
import { isOfSchedule } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { type KeyPath, quote } from '../yaml/key-path.ts';
import type { TriggerProblem } from './check-trigger-filter.ts';

/**
 * Checks the schedules of an automation, as far as the schema does not (specification, "Provider triggers and schedules",
 * section 4).
 *
 * @param triggers of a front matter of any form
 */
export function checkSchedules(triggers: readonly Json[]): TriggerProblem[] {
  const schedules = triggers.flatMap((trigger, index) =>
    isJsonObject(trigger) && isOfSchedule(trigger) ? [{ trigger, path: ['triggers', index] }] : [],
  );
  return [...schedules.flatMap(({ trigger, path }) => checkTrigger(trigger, path)), ...checkNames(schedules)];
}

function checkTrigger({ schedule, filter }: JsonObject, path: KeyPath): TriggerProblem[] {
  const watched = isJsonObject(filter) ? filter.schedule_ids : undefined;
  const hasIds = watched !== undefined && watched !== null;
  if (schedule === undefined && !hasIds) return [describeMissing(path)];
  if (schedule !== undefined && hasIds) return [describeBoth(path)];
  if (hasIds) return [describeUnserved(path)];
  return isJsonObject(schedule) ? checkTimes(schedule, [...path, 'schedule']) : [];
}

function describeMissing(path: KeyPath): TriggerProblem {
  const message = 'The trigger has no schedule.';
  const hint = 'Add "schedule:" with "cron:", for example "schedule: {cron: \'0 9 * * 1\'}".';
  return { rule: 'automation/missing-key', path, on: 'value', message, hint };
}

function describeBoth(path: KeyPath): TriggerProblem {
  const message = 'The trigger has both "schedule" and "filter.schedule_ids".';
  const hint = 'Remove one of them: a trigger defines a schedule, or watches existing ones.';
  return { rule: 'automation/invalid-schedule', path: [...path, 'filter'], on: 'key', message, hint };
}

function describeUnserved(path: KeyPath): TriggerProblem {
  const message =
    'The filter key "schedule_ids" of schedule cron_fired cannot be evaluated: the IDs are those of another system. The trigger never starts here.';
  const hint = 'Define the schedule in the trigger, with "schedule:".';
  return { rule: 'automation/key-not-served', path: [...path, 'filter', 'schedule_ids'], on: 'key', message, hint };
}

function checkTimes({ cron, timezone }: JsonObject, path: KeyPath): TriggerProblem[] {
  const parsed = typeof cron === 'string' ? parseCron(cron) : { ok: true as const, doubts: [] };
  const zone = typeof timezone === 'string' ? checkTimeZone(timezone) : { ok: true as const };
  return [
    ...(parsed.ok ? parsed.doubts.map((doubt) => describeDoubt(doubt, [...path, 'cron'])) : []),
    ...(parsed.ok ? [] : [describeTimes(parsed.problem, [...path, 'cron'])]),
    ...(zone.ok ? [] : [describeTimes(zone.problem, [...path, 'timezone'])]),
  ];
}

function describeTimes({ message, hint }: CronProblem, path: KeyPath): TriggerProblem {
  return { rule: 'automation/invalid-schedule', path, on: 'value', message, hint };
}

function describeDoubt({ message, hint }: CronProblem, path: KeyPath): TriggerProblem {
  return { rule: 'automation/uneven-step', path, on: 'value', message, hint };
}

/** The name of a schedule is part of the identity of its ticks. */
function checkNames(schedules: readonly { trigger: JsonObject; path: KeyPath }[]): TriggerProblem[] {
  const seen = new Set<string | null>();
  return schedules.flatMap(({ trigger: { schedule }, path }): TriggerProblem[] => {
    if (!isJsonObject(schedule)) return [];
    const name = typeof schedule.name === 'string' ? schedule.name.trim() : null;
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const rule = 'automation/invalid-schedule';
    if (name === null) {
      const message = 'An earlier schedule of this automation has no name, either.';
      return [
        { rule, path: [...path, 'schedule'], on: 'key', message, hint: 'Add a different "name:" to each schedule.' },
      ];
    }
    const message = `An earlier schedule of this automation is also called ${quote(name)}.`;
    return [
      { rule, path: [...path, 'schedule', 'name'], on: 'value', message, hint: 'Give each schedule another name.' },
    ];
  });
}
