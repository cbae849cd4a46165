import { createDayFinder, type DayPattern, parseCron } from './parse-cron.ts';
import { openTimeZone, type TimeZone } from './time-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The ticks of a schedule. All times are milliseconds since the epoch. */
export interface Ticks {
  /** The first tick strictly after a moment; `null` if there is none. */
  next(afterMs: number): number | null;
  /** The ticks after a moment, up to and including another one. The cost follows the number of days, not of ticks. */
  between(afterMs: number, untilMs: number): { count: number; latest: number | null };
}

/** What determines the ticks of a schedule. */
interface ScheduledTimes {
  cron: string;
  timezone: string;
}

/**
 * The ticks of a valid schedule (specification, "Provider triggers and schedules", section 4).
 *
 * @param startedAt of an `@every` schedule: its ticks are at this time + n × duration
 */
export function createTicks({ cron, timezone }: ScheduledTimes, startedAt: number): Ticks {
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error(`invalid schedule: ${parsed.problem.message}`);
  const { pattern } = parsed;
  return pattern.kind === 'every' ? tickEvery(pattern.everyMs, startedAt) : tickOnDays(pattern, openTimeZone(timezone));
}

/** The next ticks after a moment, at most `count`. */
export function listNextTicks(ticks: Pick<Ticks, 'next'>, afterMs: number, count: number): number[] {
  const next: number[] = [];
  for (let at = ticks.next(afterMs); at !== null && next.length < count; at = ticks.next(at)) next.push(at);
  return next;
}

function tickEvery(everyMs: number, startedAt: number): Ticks {
  const numberAt = (atMs: number) => Math.max(0, Math.floor((atMs - startedAt) / everyMs));
  return {
    next: (afterMs) => startedAt + (numberAt(afterMs) + 1) * everyMs,
    between: (afterMs, untilMs) => {
      const count = Math.max(0, numberAt(untilMs) - numberAt(afterMs));
      return { count, latest: count === 0 ? null : startedAt + numberAt(untilMs) * everyMs };
    },
  };
}

function tickOnDays(pattern: DayPattern, zone: TimeZone): Ticks {
  const findDay = createDayFinder(pattern.days);
  const readDay = createDayReader(pattern, zone);
  return {
    next: (afterMs) => {
      for (let day = findDay(startOfDay(zone, afterMs)); day !== null; day = findDay(day + DAY_MS)) {
        const { ticks, origin } = readDay(day);
        const tick = ticks[countUntil(ticks, (afterMs - origin) / MINUTE_MS)];
        if (tick !== undefined) return origin + tick * MINUTE_MS;
      }
      return null;
    },
    between: (afterMs, untilMs) => {
      let [count, latest] = [0, afterMs];
      const last = startOfDay(zone, untilMs);
      for (let day = findDay(startOfDay(zone, afterMs)); day !== null && day <= last; day = findDay(day + DAY_MS)) {
        const { ticks, origin } = readDay(day);
        const [from, to] = [latest, untilMs].map((at) => countUntil(ticks, (at - origin) / MINUTE_MS)) as [
          number,
          number,
        ];
        if (to <= from) continue;
        count += to - from;
        latest = origin + ticks[to - 1]! * MINUTE_MS;
      }
      return { count, latest: count === 0 ? null : latest };
    },
  };
}

function startOfDay(zone: TimeZone, instantMs: number): number {
  return Math.floor(zone.toLocal(instantMs) / DAY_MS) * DAY_MS;
}

/** The ticks of a local day as minutes after `origin`, ascending. */
interface Day {
  origin: number;
  ticks: readonly number[];
}

/** The latest day is kept: the next question is often about it. */
function createDayReader(pattern: DayPattern, zone: TimeZone): (day: number) => Day {
  const read = (day: number): Day => {
    const [origin, end] = [zone.toInstant(day), zone.toInstant(day + DAY_MS)];
    if (end - origin === DAY_MS) return { origin, ticks: pattern.times };
    const instants = pattern.isEveryHour
      ? listShownTimes(pattern, zone, origin, end)
      : listNamedTimes(pattern, zone, day);
    return { origin, ticks: instants.map((at) => (at - origin) / MINUTE_MS) };
  };
  let latest: (Day & { day: number }) | null = null;
  return (day) => {
    if (latest?.day !== day) latest = { day, ...read(day) };
    return latest;
  };
}

/** Each time fires once. Local times that do not exist share the moment after them. */
function listNamedTimes({ times }: DayPattern, zone: TimeZone, day: number): number[] {
  return [...new Set(times.map((minutes) => zone.toInstant(day + minutes * MINUTE_MS)))];
}

/** Every moment at which the clock shows one of the minutes, so also those of an hour that occurs twice. */
function listShownTimes({ times }: DayPattern, zone: TimeZone, fromMs: number, untilMs: number): number[] {
  const minutes = times.filter((time) => time < 60);
  const changeMs = zone.findChange(fromMs, untilMs) ?? untilMs;
  return [...listMinutes(minutes, zone, fromMs, changeMs), ...listMinutes(minutes, zone, changeMs, untilMs)];
}

/** As `listShownTimes`, between two changes of the clock. */
function listMinutes(minutes: readonly number[], zone: TimeZone, fromMs: number, untilMs: number): number[] {
  const offset = zone.toLocal(fromMs) - fromMs;
  const first = Math.floor((fromMs + offset) / HOUR_MS) * HOUR_MS - offset;
  const found: number[] = [];
  for (let hour = first; hour < untilMs; hour += HOUR_MS) {
    found.push(...minutes.map((minute) => hour + minute * MINUTE_MS).filter((at) => at >= fromMs && at < untilMs));
  }
  return found;
}

/** The number of entries that are at most `limit`. */
function countUntil(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
