import type { ScheduleState } from '../../domain/resources/schedule.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeMissed, describeSchedule } from '../../domain/words/automations.ts';
import { createStep, type StoryStep } from './story.ts';

function nameSchedule({ name, cron, timezone }: ScheduleState): string {
  return describeSchedule({ name: name === '' ? null : name, cron, timezone });
}

/** When a schedule fired last, and what was missed, for the answer of a story. */
export function saySchedule(schedule: ScheduleState): string {
  const { firedAt, missed, missedAt } = schedule;
  const last = firedAt === null ? 'has not fired yet' : `last fired at ${formatInstant(firedAt)}`;
  const lost = describeMissed(missed, missedAt === null ? null : formatInstant(missedAt));
  return ` Its schedule ${nameSchedule(schedule)} ${last}${lost === null ? '' : `; ${lost}, because no daemon ran`}.`;
}

/** The last tick of a schedule, and the last one that was missed. */
export function listScheduleSteps(factory: string, schedule: ScheduleState): StoryStep[] {
  const { firedAt, delivery, missed, missedAt } = schedule;
  const steps: StoryStep[] = [];
  if (firedAt !== null && delivery !== null) {
    const links = [{ kind: 'delivery' as const, factory, id: delivery, name: delivery }];
    const text = `The schedule ${nameSchedule(schedule)} fired.`;
    steps.push(createStep({ at: firedAt, text, links, command: `dockbell why ${delivery}` }));
  }
  if (missedAt !== null) {
    const text = `No daemon ran at this time of the schedule ${nameSchedule(schedule)}. Missed in total: ${missed}.`;
    steps.push(createStep({ at: missedAt, outcome: 'warning', text }));
  }
  return steps;
}
