import { Cron } from 'croner';
import { suggest } from '../suggest.ts';
import { type CronProblem, describeProblem } from './cron-problem.ts';
import { parseEvery } from './parse-every.ts';
import { FIELDS, parseField } from './parse-field.ts';

/** When a schedule fires: at times of the day on some days, or at a fixed interval. */
type CronPattern = DayPattern | { kind: 'every'; everyMs: number };

/** At times of the day on some days, both local. */
export interface DayPattern {
  kind: 'days';
  /** Minutes since midnight, ascending. Not empty. */
  times: readonly number[];
  /** Names the expression no hours? Then it means an interval, which changes of the clock do not interrupt. */
  isEveryHour: boolean;
  /** The days as a pattern for midnight, such as `0 0 * * 1`; `null` for every day. */
  days: string | null;
}

/** `doubts`: parts of a valid expression that probably mean something else. */
type ParsedCron =
  | { ok: true; pattern: CronPattern; doubts: readonly CronProblem[] }
  | { ok: false; problem: CronProblem };

/** What descriptors stand for. */
const DESCRIPTORS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MAX_LENGTH = 1000;

/**
 * Parses the expression of a schedule: five fields, a descriptor or `@every` (specification, "Provider triggers and schedules",
 * section 4). Two restricted day fields select the days that match either of them.
 */
export function parseCron(expression: string): ParsedCron {
  const text = expression.trim();
  if (text.length > MAX_LENGTH) {
    return describeProblem(
      `The expression is longer than ${MAX_LENGTH} characters.`,
      'Write a schedule for each part.',
    );
  }
  if (/^(CRON_)?TZ=/.test(text)) {
    return describeProblem(
      'The expression must not contain a time zone.',
      'Write the zone as "timezone:" of the schedule.',
    );
  }
  if (text.startsWith('@')) return parseDescriptor(text);
  return parseFields(text.split(/\s+/).filter((field) => field !== ''));
}

function parseDescriptor(text: string): ParsedCron {
  const [name = '', ...rest] = text.split(/\s+/);
  if (name === '@every') return parseEvery(rest);
  if (Object.hasOwn(DESCRIPTORS, text)) return parseFields(DESCRIPTORS[text]!.split(' '));
  const known = [...Object.keys(DESCRIPTORS), '@every'];
  const meant = suggest(name, known);
  const hint = meant === null ? `Descriptors: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  return describeProblem(`${JSON.stringify(text.slice(0, 60))} is not a descriptor.`, hint);
}

function parseFields(fields: readonly string[]): ParsedCron {
  if (fields.length !== FIELDS.length) return describeCount(fields.length);
  const sets = [];
  for (const [index, field] of FIELDS.entries()) {
    const parsed = parseField(field, fields[index]!);
    if (!parsed.ok) return parsed;
    sets.push(parsed);
  }
  const [minutes, hours, ...days] = sets;
  const times = hours!.values.flatMap((hour) => minutes!.values.map((minute) => hour * 60 + minute));
  const pattern: DayPattern = { kind: 'days', times, isEveryHour: hours!.isAny, days: describeDays(days) };
  const doubts = sets.flatMap((set) => set.doubts);
  if (pattern.days === null || createDayFinder(pattern.days)(0) !== null) return { ok: true, pattern, doubts };
  return describeProblem(
    'The expression never fires: no month has such a day.',
    'Change the day of the month or the month.',
  );
}

function describeCount(count: number): ParsedCron {
  const message = `The expression must have five fields, but has ${count}.`;
  const order = 'minute, hour, day of the month, month, day of the week';
  if (count === 6) return describeProblem(message, `Remove the field of the seconds. The five fields are: ${order}.`);
  return describeProblem(message, `Write ${order}, for example "0 9 * * 1".`);
}

/** A field without restriction stays `*`, because it does not take part in "either day field matches". */
function describeDays(fields: readonly { isAny: boolean; values: readonly number[] }[]): string | null {
  if (fields.every(({ isAny }) => isAny)) return null;
  return `0 0 ${fields.map(({ isAny, values }) => (isAny ? '*' : values.join(','))).join(' ')}`;
}

const DAY_MS = 86_400_000;

/**
 * Finds the days of a pattern.
 *
 * @param days of `DayPattern`
 * @returns a function from midnight of a day, as milliseconds of a calendar without time zones, to the same of the first matching
 * day that is not before it; `null` if there is none
 */
export function createDayFinder(days: string | null): (day: number) => number | null {
  if (days === null) return (day) => day;
  const cron = new Cron(days, { timezone: 'UTC', mode: '5-part', paused: true });
  let known = { from: 0, found: null as number | null };
  return (day) => {
    // Most questions have the answer of the one before, and a search takes much longer.
    if (known.found === null || day < known.from || day > known.found) {
      known = { from: day, found: cron.nextRun(new Date(day - DAY_MS / 2))?.getTime() ?? null };
    }
    return known.found;
  };
}
