import { resolve } from 'node:path';
import { listAlternatives } from '../definitions/yaml/key-path.ts';
import type { Json } from '../domain/json.ts';
import { parseDuration, writeDuration } from '../domain/words/quantities.ts';
import type { OptionType } from './options/option.ts';
import { TEXT_FORMATS } from './text-formats.ts';

const SWITCH: ReadonlyMap<Json, boolean> = new Map<Json, boolean>([
  ['on', true],
  [true, true],
  ['off', false],
  [false, false],
]);

type OptionValue = string | number | boolean | readonly string[];

/** What values of this type are, as the rest of the sentence "... must be". */
export function describeType(type: OptionType): string {
  switch (type.kind) {
    case 'text':
      return TEXT_FORMATS[type.format].expected;
    case 'list':
      return `a list, each item ${TEXT_FORMATS[type.format].expected}`;
    case 'path':
      return 'a path; "~" is not expanded';
    case 'repository':
      return 'the URL or the local path of a git repository';
    case 'command':
      return 'a list of strings: the program, then its arguments, such as ["./agent.sh", "--fast"]';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${type.min} to ${type.max}`;
    case 'duration':
      return `a duration from ${type.min} to ${type.max}, such as 500ms, 30s, 15m, 2h or 7d`;
    case 'choice':
      return listAlternatives(type.values);
    case 'toggle':
      return 'on or off';
    case 'threshold':
      return `on, off or ${describeThreshold(type)}`;
  }
}

type Threshold = Extract<OptionType, { kind: 'threshold' }>;

function describeThreshold({ of, min, max }: Threshold): string {
  if (of === 'duration')
    return `a duration from ${writeDuration(min)} to ${writeDuration(max)}, such as 30s, 15m or 2h`;
  return `a whole number from ${min} to ${max}${of === 'percent' ? ' in percent' : ''}`;
}

/** The value that the text of an environment variable stands for. */
export function readFromText(type: OptionType, text: string): Json {
  if (type.kind === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (type.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type.kind === 'list') return text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
  return text;
}

/**
 * The value as the daemon uses it: durations in milliseconds, paths absolute, texts in one spelling. `null` for a value
 * that the JSON Schema accepts and that is wrong nevertheless, such as a duration that is too long.
 *
 * @param value has passed the schema
 * @param folder what relative paths start from
 */
export function convertValue(type: OptionType, value: Json, folder: string): OptionValue | null {
  switch (type.kind) {
    case 'text':
      return TEXT_FORMATS[type.format].normalise(value as string);
    case 'list':
      return convertList((value as string[]).map(TEXT_FORMATS[type.format].normalise));
    case 'path':
      return resolve(folder, value as string);
    case 'repository':
      return resolveRepository(value as string, folder);
    case 'command':
      return resolveCommand(value as string[], folder);
    case 'duration':
      return convertDuration(type, value as string);
    case 'toggle':
      return SWITCH.get(value) ?? null;
    case 'threshold':
      return convertThreshold(type, value);
    default:
      return value as OptionValue;
  }
}

function convertList(items: (string | null)[]): readonly string[] | null {
  return items.every((item) => item !== null) ? items : null;
}

/** Like git: an address has `://`, or a `:` before the first `/`; everything else is a local path. */
function resolveRepository(url: string, folder: string): string {
  return /^[^/]*:/.test(url) ? url : resolve(folder, url);
}

/** Paths become absolute because a run starts in a separate folder. */
function resolveCommand([program = '', ...rest]: string[], folder: string): readonly string[] {
  const isRelative = (argument: string) => /^\.{1,2}\//.test(argument);
  return [
    program.includes('/') ? resolve(folder, program) : program,
    ...rest.map((argument) => (isRelative(argument) ? resolve(folder, argument) : argument)),
  ];
}

/** `false` for `off`. */
function convertThreshold({ of, min, max, on }: Threshold, value: Json): number | false | null {
  const isOn = SWITCH.get(value);
  if (isOn !== undefined) return isOn && on;
  const threshold = of === 'duration' && typeof value === 'string' ? parseDuration(value) : value;
  return typeof threshold === 'number' && threshold >= min && threshold <= max ? threshold : null;
}

function convertDuration({ min, max }: { min: string; max: string }, text: string): number | null {
  const durationMs = parseDuration(text);
  const isWithin = durationMs !== null && durationMs >= parseDuration(min)! && durationMs <= parseDuration(max)!;
  return isWithin ? durationMs : null;
}
