import { countOf } from './count-of.ts';

/** A schedule, as the management API returns it. */
interface ScheduleFacts {
  name: string | null;
  cron: string;
  timezone: string;
}

/** For example `weekly: 0 9 * * 1, Europe/Berlin`. */
export function describeSchedule({ name, cron, timezone }: ScheduleFacts): string {
  const times = `${cron}, ${timezone}`;
  return name === null ? times : `${name}: ${times}`;
}

/** What happens to times at which no daemon ran. */
export function describeCatchUp({ catch_up: catchUp }: { catch_up: 'none' | 'latest' }): string {
  return catchUp === 'latest'
    ? 'After a time without a daemon, one run starts for the latest missed time.'
    : 'Times at which no daemon runs are counted, and start nothing.';
}

/** The times that were missed; `null` if none was. */
export function describeMissed(missed: number, lastMissedAt: string | null): string | null {
  if (missed === 0) return null;
  return `${countOf(missed, 'time')} missed, the last at ${lastMissedAt ?? 'an unknown time'}`;
}
