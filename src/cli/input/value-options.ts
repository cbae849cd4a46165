import { InvalidArgumentError, Option } from 'commander';
import { CUSTOM } from '../../definitions/signature/schemes/custom-scheme.ts';
import { SCHEME_NAMES } from '../../definitions/signature/schemes/schemes.ts';
import { suggest } from '../../domain/suggest.ts';
import { parseDuration } from '../../domain/words/quantities.ts';

/** An option whose value is a duration, parsed to milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const durationMs = parseDuration(text);
    if (durationMs === null) throw new InvalidArgumentError('Use a whole number and a unit, such as 30s, 2m or 1h.');
    return durationMs;
  });
}

/** An option whose value is a whole number from 1 to `max`. */
export function countOption(flags: string, description: string, max = 100_000): Option {
  return new Option(flags, description).argParser((text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (count < 1 || count > max) throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
    return count;
  });
}

/** A time in an option: fixed, or a duration before now. */
export type InstantOption = { at: string } | { agoMs: number };

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** An option whose value is an RFC 3339 time, or a duration before now, such as 2h. */
export function instantOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (RFC 3339, or a duration before now, such as 2h)`).argParser(
    (text): InstantOption => {
      const agoMs = parseDuration(text);
      if (agoMs !== null) return { agoMs };
      if (RFC_3339.test(text) && !Number.isNaN(Date.parse(text))) return { at: text };
      throw new InvalidArgumentError('Use a time such as 2026-01-31T08:00:00Z, or a duration such as 30m or 2h.');
    },
  );
}

/** The time in the format of the management API. */
export function toInstant(option: InstantOption | undefined, nowMs: number): string | undefined {
  if (option === undefined) return undefined;
  return 'at' in option ? option.at : new Date(nowMs - option.agoMs).toISOString();
}

/** An option whose value is the name of a signature scheme. */
export function schemeOption(flags: string, description: string, others: readonly string[] = []): Option {
  const names = [...others, ...SCHEME_NAMES, CUSTOM];
  const option = new Option(flags, description).choices(names);
  // The list is long, so only the most similar name is printed if there is one.
  return option.argParser((text) => {
    if (names.includes(text)) return text;
    const similar = suggest(text, names);
    if (similar !== null) throw new InvalidArgumentError(`Did you mean ${similar}?`);
    throw new InvalidArgumentError(`Allowed choices are ${names.join(', ')}.`);
  });
}

/** An option whose value is JSON. */
export function jsonOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidArgumentError('Use JSON, in single quotes.');
    }
  });
}
