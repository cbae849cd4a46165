import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTicks, listNextTicks } from './ticks.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** A field: its text, and the values that it stands for. `null` for all of them, without restriction. */
interface Field {
  text: string;
  values: readonly number[] | null;
}

const upTo = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

function fieldOf(min: number, max: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 2, max: 40 });
  const item: fc.Arbitrary<{ text: string; values: number[] }> = fc.oneof(
    value.map((one) => ({ text: String(one), values: [one] })),
    fc.tuple(value, value).map(([one, other]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      return { text: `${from}-${to}`, values: upTo(from, to) };
    }),
    fc.tuple(value, step).map(([from, by]) => ({ text: `${from}/${by}`, values: upTo(from, max, by) })),
    step.map((by) => ({ text: `*/${by}`, values: upTo(min, max, by) })),
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom({ text: '*', values: null }, { text: '?', values: null }) },
    {
      weight: 3,
      arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
        text: items.map(({ text }) => text).join(','),
        values: items.flatMap(({ values }) => values),
      })),
    },
  );
}

const expression = fc.tuple(fieldOf(0, 59), fieldOf(0, 23), fieldOf(1, 31), fieldOf(1, 12), fieldOf(0, 6));

/** Whether a local minute matches, field by field. */
function matches([minute, hour, dayOfMonth, month, weekday]: readonly Field[], localMs: number): boolean {
  const date = new Date(localMs);
  const has = ({ values }: Field, value: number) => values === null || values.includes(value);
  const isDay = has(dayOfMonth!, date.getUTCDate());
  const isWeekday = has(weekday!, date.getUTCDay());
  const isEither = dayOfMonth!.values !== null && weekday!.values !== null;
  return (
    has(minute!, date.getUTCMinutes()) &&
    has(hour!, date.getUTCHours()) &&
    has(month!, date.getUTCMonth() + 1) &&
    (isEither ? isDay || isWeekday : isDay && isWeekday)
  );
}

/**
 * Goes through a time minute by minute, and compares what a clock in the zone shows. Without a named hour, each minute that
 * the clock shows counts; else each local time counts once.
 */
function listSlowly(fields: readonly Field[], timezone: string, fromMs: number, untilMs: number): number[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  const showAt = (instantMs: number) => Date.parse(`${clock.format(instantMs).replace(' ', 'T')}Z`);
  const found: number[] = [];
  const isEveryHour = fields[1]!.values === null;
  let latestLocal = showAt(fromMs);
  for (let instant = fromMs + MINUTE_MS; instant <= untilMs; instant += MINUTE_MS) {
    const local = showAt(instant);
    // The local minutes since the latest one: none while the clock repeats an hour, several after an omitted hour.
    let fires = isEveryHour && matches(fields, local);
    for (let minute = latestLocal + MINUTE_MS; !isEveryHour && minute <= local; minute += MINUTE_MS) {
      fires ||= matches(fields, minute);
    }
    if (fires) found.push(instant);
    latestLocal = Math.max(latestLocal, local);
  }
  return found;
}

/** Zones and days of changes, half an hour and a whole day included, and of leap years. */
const windows = fc.constantFrom(
  ['UTC', '2028-02-27T22:00Z'],
  ['UTC', '2026-12-30T12:00Z'],
  ['Europe/Berlin', '2026-03-28T10:00Z'],
  ['Europe/Berlin', '2026-10-24T10:00Z'],
  ['America/New_York', '2027-03-13T10:00Z'],
  ['America/New_York', '2027-11-06T10:00Z'],
  ['America/Sao_Paulo', '2018-11-03T10:00Z'],
  ['America/Sao_Paulo', '2019-02-16T10:00Z'],
  ['America/Havana', '2026-03-07T10:00Z'],
  ['America/Havana', '2026-10-31T10:00Z'],
  ['Australia/Lord_Howe', '2026-04-03T20:00Z'],
  ['Australia/Lord_Howe', '2026-10-02T20:00Z'],
  ['Asia/Kathmandu', '2028-02-28T00:00Z'],
  ['Africa/Casablanca', '2026-02-14T00:00Z'],
  ['Pacific/Apia', '2011-12-29T00:00Z'],
  ['Pacific/Chatham', '2026-09-26T00:00Z'],
);

test('ticks are those of a clock that is read minute by minute', { tags: 'full' }, () => {
  fc.assert(
    fc.property(expression, windows, fc.integer({ min: 0, max: 1440 }), (fields, [timezone, day], minutes) => {
      const fromMs = Date.parse(day!) + minutes * MINUTE_MS;
      const untilMs = fromMs + 1.5 * DAY_MS;
      // The slow reading begins earlier, so that it knows the local times that occur a second time.
      const slow = listSlowly(fields, timezone!, fromMs - DAY_MS / 2, untilMs).filter((tick) => tick > fromMs);
      const text = fields.map((field) => field.text).join(' ');
      let ticks: ReturnType<typeof createTicks>;
      try {
        ticks = createTicks({ cron: text, timezone: timezone! }, 0);
      } catch {
        expect(slow, `${text} never fires`).toEqual([]);
        return;
      }
      const fast = listNextTicks(ticks, fromMs, slow.length + 1).filter((tick) => tick <= untilMs);
      expect(fast).toEqual(slow);
      expect(ticks.between(fromMs, untilMs)).toEqual({ count: slow.length, latest: slow.at(-1) ?? null });
    }),
    { numRuns: 60 },
  );
});
