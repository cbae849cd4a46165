import { resolve } from 'node:path';
import { parseDuration } from '../words/duration.ts';
import type { OptionType } from './options.ts';
import type { TextFormat } from './text-formats.ts';
import { readTextFormat, TEXT_FORMATS } from './text-formats.ts';

export type OptionValue = string | number | boolean | readonly string[];

/** `expected` completes the sentence "expected ...". */
export type ParsedValue = { ok: true; value: OptionValue } | { ok: false; expected: string };

/** Reads a value as the option holds it in the daemon. `folder` is what relative paths start from. */
export function parseValue(type: OptionType, value: unknown, folder: string): ParsedValue {
  switch (type.kind) {
    case 'text':
      return typeof value === 'string' ? parseText(type.format, value) : expect(TEXT_FORMATS[type.format].expected);
    case 'list':
      return parseList(type.format, value);
    case 'path':
      return isPath(value) ? accept(resolve(folder, value)) : expect('a path; "~" is not expanded');
    case 'repository':
      return parseRepository(value, folder);
    case 'command':
      return parseCommand(value, folder);
    case 'boolean':
      return typeof value === 'boolean' ? accept(value) : expect('true or false');
    case 'integer':
      return isWithin(value, type) ? accept(value) : expect(`a whole number from ${type.min} to ${type.max}`);
    case 'duration':
      return parseDurationWithin(type, value);
    case 'choice':
      return parseChoice(type, value);
  }
}

/** The value that a text stands for, where it came whole from an environment variable. */
export function readFromText(type: OptionType, text: string): unknown {
  if (type.kind === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (type.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type.kind === 'list') return text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
  return text;
}

function accept(value: OptionValue): ParsedValue {
  return { ok: true, value };
}

function expect(expected: string): ParsedValue {
  return { ok: false, expected };
}

function parseText(format: TextFormat, text: string): ParsedValue {
  const value = readTextFormat(format, text);
  return value === null ? expect(TEXT_FORMATS[format].expected) : accept(value);
}

function parseList(format: TextFormat, value: unknown): ParsedValue {
  const items = isTextList(value) ? value.map((item) => readTextFormat(format, item)) : [null];
  return items.every((item) => item !== null)
    ? accept(items)
    : expect(`a list, each item ${TEXT_FORMATS[format].expected}`);
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/^~|\0/.test(value);
}

/** As git tells them apart: an address has `://`, or a `:` before the first `/`; everything else is a local path. */
function parseRepository(value: unknown, folder: string): ParsedValue {
  if (typeof value !== 'string' || !isPath(value) || value.startsWith('-')) {
    return expect('the URL or the local path of a git repository');
  }
  return accept(/^[^/]*:/.test(value) ? value : resolve(folder, value));
}

/** Paths become absolute here because a run starts in a folder of its own. */
function parseCommand(value: unknown, folder: string): ParsedValue {
  const isUsable =
    isTextList(value) && value.length > 0 && value[0] !== '' && !value.some((item) => item.includes('\0'));
  if (!isUsable) return expect('a list of texts: the program, then its arguments, such as ["./agent.sh", "--fast"]');
  const [program = '', ...rest] = value;
  const isRelative = (argument: string) => /^\.{1,2}\//.test(argument);
  return accept([
    program.includes('/') ? resolve(folder, program) : program,
    ...rest.map((argument) => (isRelative(argument) ? resolve(folder, argument) : argument)),
  ]);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isWithin(value: unknown, { min, max }: { min: number; max: number }): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}

function parseDurationWithin({ min, max }: { min: string; max: string }, value: unknown): ParsedValue {
  const durationMs = typeof value === 'string' ? parseDuration(value) : null;
  const limits = { min: parseDuration(min)!, max: parseDuration(max)! };
  return isWithin(durationMs, limits)
    ? accept(durationMs)
    : expect(`a duration from ${min} to ${max}, such as 500ms, 30s, 15m, 2h or 7d`);
}

function parseChoice(
  { values, later }: { values: readonly string[]; later: readonly string[] },
  value: unknown,
): ParsedValue {
  if (typeof value === 'string' && values.includes(value)) return accept(value);
  const expected = values.join(' or ');
  return expect(
    typeof value === 'string' && later.includes(value) ? `${expected}; "${value}" comes in a later version` : expected,
  );
}
