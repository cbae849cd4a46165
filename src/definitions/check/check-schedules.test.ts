import { describe, expect, it } from 'vitest';
import { validateFiles } from '../../../test/helpers/definition-tree.ts';
import { scheduleOf } from '../../domain/definitions/trigger.ts';

function validate(...triggers: string[]) {
  const text = ['---', 'triggers:', ...triggers.map((trigger) => `  - ${trigger}`), '---', 'Do it.', ''].join('\n');
  return validateFiles({ 'automations/a/automation.md': text });
}

const schedule = (keys: string, rest = '') => `{provider: schedule, event: cron_fired, schedule: {${keys}}${rest}}`;

describe('a schedule', () => {
  it('is read with its defaults', () => {
    const { definition, diagnostics } = validate(
      schedule('name: " weekly ", cron: " 0 9 * * 1 "'),
      schedule('cron: "@every 1h30m", timezone: Europe/Berlin, catchUp: latest', ', filter: null'),
      '{provider: schedule, event: cron_fired, schedule: {name: other, cron: "@daily"}, filter: {}}',
    );
    expect(diagnostics).toEqual([]);
    const triggers = definition!.automations[0]!.triggers.map(scheduleOf);
    expect(triggers).toEqual([
      { name: 'weekly', cron: '0 9 * * 1', timezone: 'UTC', catchUp: 'none' },
      { name: null, cron: '@every 1h30m', timezone: 'Europe/Berlin', catchUp: 'latest' },
      { name: 'other', cron: '@daily', timezone: 'UTC', catchUp: 'none' },
    ]);
  });

  it.each([
    [schedule('»cron: "0 9 * * 7"'), 'error invalid-schedule', '.schedule.cron', /Write 0 or SUN/],
    [schedule('»cron: "*/90 * * * *"'), 'warning uneven-step', '.schedule.cron', /fires only at 0/],
    [schedule('»cron: "0 0 9 * * 1"'), 'error invalid-schedule', '.schedule.cron', /Remove the field of the seconds/],
    [schedule('cron: "@daily", timezone: »Europe/Berln'), 'error invalid-schedule', '.schedule.timezone', /Berlin/],
    [schedule('»cron: 5'), 'error wrong-type', '.schedule.cron', /string/],
    [schedule('»name: a'), 'error missing-key', '.schedule.cron', /Add "cron:"/],
    [schedule('cron: "@daily", »catch_up: none'), 'error unknown-key', '.schedule.catch_up', /mean "catchUp"/],
    [schedule('cron: "@daily", »catchUp: all'), 'error invalid-value', '.schedule.catchUp', /none or latest|"none"/],
    [schedule('cron: "@daily", »name: " "'), 'error invalid-value', '.schedule.name', /1 to 100 characters/],
    ['{provider: schedule, event: cron_fired}', 'error missing-key', '', /Add "schedule:"/],
    [
      '{provider: schedule, event: cron_fired, filter: {schedule_ids: null}}',
      'error missing-key',
      '',
      /Add "schedule:"/,
    ],
    [
      schedule('cron: "@daily"', ', filter: {schedule_ids: [a]}'),
      'error invalid-schedule',
      '.filter',
      /Remove one of them/,
    ],
    [
      '{provider: schedule, event: cron_fired, filter: {schedule_ids: {not_in: [a]}}}',
      'error unknown-key',
      '.filter.schedule_ids.not_in',
      /no other operator/,
    ],
    [
      '{provider: schedule, event: cron_fired, filter: {schedule_ids: [a]}}',
      'warning key-not-served',
      '.filter.schedule_ids',
      /never starts here.*Define the schedule/,
    ],
    [
      '{provider: schedule, event: cron}',
      'warning unknown-event',
      '.event',
      /Known events: cron_fired|mean "cron_fired"/,
    ],
    ['{provider: schedule}', 'warning unknown-event', '', /Add "event:" with cron_fired/],
  ])('is reported: %s', (trigger, expected, path, says) => {
    const found = validate(trigger.replace('»', '')).diagnostics;
    const named = found.map(({ severity, rule, path: at }) => `${severity} ${rule} ${at}`);
    expect(named).toContain(`${expected.replace(' ', ' automation/')} triggers[0]${path}`);
    expect(found.map(({ message, hint }) => `${message} ${hint}`).join('\n')).toMatch(says);
  });

  it.each([
    ['two without a name', 'cron: "@daily"', 'cron: "@hourly"', /no name, either/],
    [
      'two with the same name after trimming',
      'name: a, cron: "@daily"',
      'name: "a ", cron: "@hourly"',
      /also called "a"/,
    ],
  ])('needs another name than the others: %s', (_, one, other, says) => {
    const found = validate(schedule(one), schedule(other)).diagnostics;
    expect(found.map(({ rule, message }) => `${rule} ${message}`)).toEqual([expect.stringMatching(says)]);
  });

  it('that watches others can be applied, and starts nothing', () => {
    const watching = '{provider: schedule, event: cron_fired, filter: {schedule_ids: {in: [a]}}}';
    expect(validate(watching).definition!.automations[0]!.triggers.map(scheduleOf)).toEqual([null]);
  });
});
