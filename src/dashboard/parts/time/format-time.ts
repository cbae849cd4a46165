const UNITS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** For example "5 minutes ago"; "just now" within a minute. Future times, caused by a slow clock, count as now. */
export function formatTimeAgo(at: string, nowMs: number): string {
  const agoMs = Math.max(0, nowMs - Date.parse(at));
  const unit = UNITS.find(([, ms]) => agoMs >= ms);
  return unit === undefined ? 'just now' : relative.format(-Math.floor(agoMs / unit[1]), unit[0]);
}

/** A shorter time until then has days, because "next month" does not say when a token expires. */
const COUNTED_DAYS_MS = 100 * 86_400_000;

/** For example "in 10 minutes". */
export function formatTimeUntil(at: string, nowMs: number): string {
  const leftMs = Date.parse(at) - nowMs;
  if (leftMs <= 0) return 'now';
  if (leftMs <= 60_000) return 'in less than a minute';
  const [name, ms] = UNITS.find(([unit, unitMs]) => leftMs >= (unit === 'month' ? COUNTED_DAYS_MS : unitMs))!;
  return relative.format(Math.round(leftMs / ms), name);
}

/** Date and time in the local time zone, then in UTC. */
export function formatExactTime(at: string): string {
  return `${formatLocalTime(at)} · ${new Date(at).toISOString()}`;
}

/** Date and time to the second, in the local time zone. */
export function formatLocalTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** The date in the local time zone, for example "Nov 23, 2026". */
export function formatDay(at: string): string {
  return day.format(new Date(at));
}

/** Hours, minutes and seconds in the local time zone, for example "14:03:27". */
export function formatTimeOfDay(at: string): string {
  return timeOfDay.format(new Date(at));
}
