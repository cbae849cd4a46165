import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../config/duration.ts';

/** A point in time as the command line takes it: fixed, or a duration before now. */
export type InstantOption = { at: string } | { agoMs: number };

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** An option whose value is an RFC 3339 time, or a duration such as 2h for that long ago. */
export function instantOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (RFC 3339, or a duration such as 2h for that long ago)`).argParser(
    (text): InstantOption => {
      const agoMs = parseDuration(text);
      if (agoMs !== null) return { agoMs };
      if (RFC_3339.test(text) && !Number.isNaN(Date.parse(text))) return { at: text };
      throw new InvalidArgumentError('Write a time such as 2026-01-31T08:00:00Z, or a duration such as 30m or 2h.');
    },
  );
}

/** The time as the management API takes it. */
export function toInstant(option: InstantOption | undefined, nowMs: number): string | undefined {
  if (option === undefined) return undefined;
  return 'at' in option ? option.at : new Date(nowMs - option.agoMs).toISOString();
}
