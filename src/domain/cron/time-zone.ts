import { suggest } from '../suggest.ts';
import { type CronProblem, describeProblem } from './cron-problem.ts';

const HOUR_MS = 3_600_000;

/**
 * A time zone. Local times are milliseconds of a calendar without time zones: what `Date.UTC` returns for the date and the time
 * that a clock in the zone shows.
 */
export interface TimeZone {
  toLocal(instantMs: number): number;
  /**
   * The moment of a local time. If it does not exist, this is the first valid moment after it. If it occurs twice, this is the
   * first occurrence (specification, "Provider triggers and schedules", section 4). So a later local time is
   * never an earlier moment.
   */
  toInstant(localMs: number): number;
  /** The moment between two moments at which the clock is changed; `null` if it is not. */
  findChange(fromMs: number, untilMs: number): number | null;
}

const UTC: TimeZone = {
  toLocal: (instantMs) => instantMs,
  toInstant: (localMs) => localMs,
  findChange: () => null,
};

/** The name of a zone as the definition may write it, for example `Europe/Berlin`. */
export function checkTimeZone(name: string): { ok: true } | { ok: false; problem: CronProblem } {
  // Node also accepts offsets such as +02:00.
  if (/^[A-Za-z]/.test(name) && isKnown(name)) return { ok: true };
  const meant = suggest(name, Intl.supportedValuesOf('timeZone'));
  const hint = meant === null ? 'Write a name such as UTC or Europe/Berlin.' : `Did you mean "${meant}"?`;
  return describeProblem(`${JSON.stringify(name.slice(0, 60))} is not a time zone.`, hint);
}

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const zones = new Map<string, TimeZone>();

/** @param name of `checkTimeZone` */
export function openTimeZone(name: string): TimeZone {
  if (name.toUpperCase() === 'UTC') return UTC;
  const zone = zones.get(name) ?? createZone(createOffsets(name));
  zones.set(name, zone);
  return zone;
}

/** The difference between the clock in the zone and UTC at an instant, in milliseconds. */
type OffsetAt = (instantMs: number) => number;

function createOffsets(name: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instantMs) => {
    const at: { [part: string]: number } = {};
    for (const { type, value } of format.formatToParts(instantMs)) at[type] = Number(value);
    const local = Date.UTC(at.year!, at.month! - 1, at.day!, at.hour!, at.minute!, at.second!);
    return local - Math.floor(instantMs / 1000) * 1000;
  };
}

/** Offsets are between -12 and +14 hours, and a zone never has two changes within this time. */
const MARGIN_MS = 15 * HOUR_MS;

function createZone(offsetAt: OffsetAt): TimeZone {
  return {
    toLocal: (instantMs) => instantMs + offsetAt(instantMs),
    toInstant: (localMs) => {
      const before = offsetAt(localMs - MARGIN_MS);
      const after = offsetAt(localMs + MARGIN_MS);
      if (before === after) return localMs - before;
      // The offset before the change gives the first occurrence of a local time that occurs twice.
      for (const offset of [before, after]) if (offsetAt(localMs - offset) === offset) return localMs - offset;
      return findChange(offsetAt, localMs - MARGIN_MS, localMs + MARGIN_MS);
    },
    findChange: (fromMs, untilMs) =>
      offsetAt(fromMs) === offsetAt(untilMs) ? null : findChange(offsetAt, fromMs, untilMs),
  };
}

/** The first moment after a change of the offset, to the second. */
function findChange(offsetAt: OffsetAt, fromMs: number, untilMs: number): number {
  const before = offsetAt(fromMs);
  let [low, high] = [Math.floor(fromMs / 1000), Math.ceil(untilMs / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}
