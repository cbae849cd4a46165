import { describe, expect, it } from 'vitest';
import { parseCron } from './parse-cron.ts';
import { checkTimeZone } from './time-zone.ts';

function parse(expression: string) {
  const parsed = parseCron(expression);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.pattern;
}

function problemOf(expression: string): string {
  const parsed = parseCron(expression);
  return parsed.ok ? 'valid' : `${parsed.problem.message} ${parsed.problem.hint}`;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour * 60);

describe('an expression', () => {
  it.each([
    ['0 9 * * 1', { kind: 'days', times: [540], isEveryHour: false, days: '0 0 * * 1' }],
    ['  5   0\t1 1 ?  ', { kind: 'days', times: [5], isEveryHour: false, days: '0 0 1 1 *' }],
    ['0 0 ? * mon-Fri', { kind: 'days', times: [0], isEveryHour: false, days: '0 0 * * 1,2,3,4,5' }],
    ['0 0 1-10/3,15 jan,DEC *', { kind: 'days', times: [0], isEveryHour: false, days: '0 0 1,4,7,10,15 1,12 *' }],
    ['50/5 23 * * *', { kind: 'days', times: [1430, 1435], isEveryHour: false, days: null }],
    ['*/30 8-9 * * *', { kind: 'days', times: [480, 510, 540, 570], isEveryHour: false, days: null }],
    ['0 0 */10 * *', { kind: 'days', times: [0], isEveryHour: false, days: '0 0 1,11,21,31 * *' }],
    ['0 */1 * * *', { kind: 'days', times: HOURS, isEveryHour: true, days: null }],
    ['0 */2 * * *', { kind: 'days', times: HOURS.filter((_, hour) => hour % 2 === 0), isEveryHour: false, days: null }],
    ['0 0-23 * * *', { kind: 'days', times: HOURS, isEveryHour: false, days: null }],
    ['0 0 */1 * 5', { kind: 'days', times: [0], isEveryHour: false, days: '0 0 * * 5' }],
    ['@hourly', { kind: 'days', times: HOURS, isEveryHour: true, days: null }],
    ['@yearly', { kind: 'days', times: [0], isEveryHour: false, days: '0 0 1 1 *' }],
    ['@weekly', { kind: 'days', times: [0], isEveryHour: false, days: '0 0 * * 0' }],
    ['@every 1h', { kind: 'every', everyMs: 3_600_000 }],
    ['@every 1h30m', { kind: 'every', everyMs: 5_400_000 }],
    ['@every 0.1h', { kind: 'every', everyMs: 360_000 }],
    ['@every 90s', { kind: 'every', everyMs: 90_000 }],
  ])('is parsed: %s', (expression, pattern) => {
    expect(parse(expression)).toEqual(pattern);
  });

  it.each([
    ['@annually', '@yearly'],
    ['@monthly', '0 0 1 * *'],
    ['@midnight', '@daily'],
    ['0 0 * * SUN-SAT', '0 0 * * 0-6'],
  ])('%s means %s', (one, other) => {
    expect(parse(one)).toEqual(parse(other));
  });

  it.each([
    ['0 0 9 * * 1', /five fields, but has 6.*Remove the field of the seconds/],
    ['0 9 * *', /five fields, but has 4/],
    ['', /five fields, but has 0/],
    ['CRON_TZ=Europe/Berlin 0 9 * * 1', /time zone.*"timezone:"/],
    ['TZ=UTC 0 9 * * 1', /time zone/],
    ['0 0 * * 7', /"7" is not a valid day of the week.*Write 0 or SUN for Sunday/],
    ['0 0 * * 5-7', /"7" is not a valid day.*Sunday is 0\. Write "5-6,0"/],
    ['0 0 * 13 *', /"13" is not a valid month.*from 1 to 12/],
    ['60 * * * *', /"60" is not a valid minute/],
    ['0 0 0 * *', /"0" is not a valid day of the month/],
    ['*/0 * * * *', /step of "\*\/0" is zero/],
    ['0 22-2 * * *', /"22-2" of the hour is reversed.*"22-23,0-2"/],
    ['0 0 * * FRI-MON', /reversed.*"5-6,0-1"/],
    ['1,,2 * * * *', /An empty text is not a valid minute/],
    ['1-2-3 * * * *', /"1-2-3" is not a valid minute/],
    ['1/2/3 * * * *', /is not a valid minute/],
    ['*-5 * * * *', /is not a valid minute/],
    ['-1 * * * *', /An empty text is not a valid minute/],
    ['+1 * * * *', /is not a valid minute/],
    ['0 0 L * *', /"L" is not a valid day of the month/],
    ['0 0 * * 5#2', /is not a valid day of the week/],
    ['0 0 * * MONDAY', /is not a valid day of the week/],
    ['0 0 31 2 *', /never fires/],
    ['0 0 31 4,6,9,11 *', /never fires/],
    ['@evry 1h', /not a descriptor.*mean "@every"/],
    ['@reboot', /not a descriptor.*Descriptors: @yearly/],
    ['@daily 5', /not a descriptor/],
    ['@every', /needs a duration/],
    ['@every 1d', /needs a duration/],
    ['@every 1h 30m', /needs a duration/],
    ['@every 59s', /below one minute/],
    ['@every 0s', /below one minute/],
    ['@every 1m0.5s', /fraction of a second/],
    ['@every 60000.1ms', /fraction of a second/],
    ['@every 900000h', /longer than 100 years/],
    [`${'1,'.repeat(600)}1 * * * *`, /longer than 1000 characters/],
  ])('is rejected: %s', (expression, problem) => {
    expect(problemOf(expression)).toMatch(problem);
  });

  it.each([
    ['1-7', '0-6'],
    ['0-7', '0-6'],
    ['5-7', '5-6,0'],
    ['6-7', '6,0'],
    ['FRI-7', '5-6,0'],
    ['1-7/2', '1,3,5,0'],
    ['2-7/5', '2,0'],
  ])('with the days %s leads to %s, which is valid', (days, right) => {
    expect(problemOf(`0 0 * * ${days}`)).toContain(`Sunday is 0. Write "${right}".`);
    expect(problemOf(`0 0 * * ${right}`)).toBe('valid');
  });

  it.each([
    ['*/90 * * * *', /"\*\/90" of the minute is not an interval of 90: it fires only at 0/],
    ['0 */13 * * *', /fires at 0 and 13.*"@every 13h"/],
    ['0 0 */40 * *', /fires only at 1/],
    ['*/40,5 * * * *', /fires at 0 and 40/],
  ])('is doubtful: %s', (expression, doubt) => {
    const parsed = parseCron(expression);
    const doubts = parsed.ok ? parsed.doubts : [];
    expect(doubts.map(({ message, hint }) => `${message} ${hint}`)).toEqual([expect.stringMatching(doubt)]);
  });

  it.each(['*/30 * * * *', '*/7 * * * *', '0 */12 * * *', '0 0 */16 * *', '50/40 * * * *', '@hourly', '@every 90m'])(
    'is not doubtful: %s',
    (expression) => expect(parseCron(expression)).toMatchObject({ ok: true, doubts: [] }),
  );

  it.each(['0 0 29 2 *', '0 0 31 2 1', '0 0 30 1,2 *'])('that fires rarely is valid: %s', (expression) => {
    expect(problemOf(expression)).toBe('valid');
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'europe/berlin'])('is valid: %s', (name) => {
    expect(checkTimeZone(name)).toEqual({ ok: true });
  });

  it.each([
    ['Europe/Berln', /mean "Europe\/Berlin"/],
    ['+02:00', /Write a name such as UTC/],
    ['', /is not a time zone/],
    ['Local', /is not a time zone/],
  ])('is rejected: %s', (name, problem) => {
    const checked = checkTimeZone(name);
    expect(checked.ok ? 'valid' : `${checked.problem.message} ${checked.problem.hint}`).toMatch(problem);
  });
});
