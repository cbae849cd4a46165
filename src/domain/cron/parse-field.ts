import { type CronProblem, describeProblem } from './cron-problem.ts';

/** A field of an expression. */
interface Field {
  name: string;
  min: number;
  max: number;
  /** Names of the values from `min` on, in uppercase. */
  names?: readonly string[];
  /** Its unit in `@every`, if a step of the field means an interval. */
  interval?: 'm' | 'h';
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

export const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, interval: 'm' },
  { name: 'hour', min: 0, max: 23, interval: 'h' },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 0, max: 6, names: DAYS },
];

type Failure = { ok: false; problem: CronProblem };
/** `isAny`: the field restricts nothing. `values` are ascending. `doubts`: parts that probably mean something else. */
type ParsedField = { ok: true; isAny: boolean; values: number[]; doubts: readonly CronProblem[] } | Failure;

/** Parses a field: `*`, `?`, values, ranges, steps, and lists of these. */
export function parseField(field: Field, text: string): ParsedField {
  const values = new Set<number>();
  const doubts: CronProblem[] = [];
  let isAny = false;
  for (const item of text.split(',')) {
    const parsed = parseItem(field, item);
    if (!parsed.ok) return parsed;
    isAny ||= parsed.isAny;
    doubts.push(...parsed.doubts);
    for (const value of parsed.values) values.add(value);
  }
  return { ok: true, isAny, values: [...values].sort((a, b) => a - b), doubts };
}

function parseItem(field: Field, item: string): ParsedField {
  const parts = /^([^/]*)(?:\/([^/]*))?$/.exec(item);
  if (item === '' || parts === null) return describeItem(field, item);
  const range = parseRange(field, parts[1]!, parts[2] !== undefined);
  if (!range.ok) return isUpToSunday(field, parts[1]!) ? describeSunday(field, item) : range;
  const step = parts[2] === undefined ? 1 : readNumber(parts[2]);
  if (step === null) return describeItem(field, item);
  if (step === 0) {
    return describeProblem(`The step of ${quoteItem(item)} is zero.`, 'Write a step of at least 1, for example "*/5".');
  }
  const { from, to } = range;
  const values = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
  return { ok: true, isAny: range.isAny && step === 1, values, doubts: doubtStep(field, range, step) };
}

/** A step of `*` that is larger than half of the field is no interval: `*` with the step 13 in the hour fires after 13 and after 11 hours. */
function doubtStep({ name, min, max, interval }: Field, { isAny }: { isAny: boolean }, step: number): CronProblem[] {
  const size = max - min + 1;
  if (!isAny || step <= (interval === undefined ? size - 1 : size / 2)) return [];
  const fires = step < size ? `at ${min} and ${min + step}` : `only at ${min}`;
  const message = `"*/${step}" of the ${name} is not an interval of ${step}: it fires ${fires}, because each count starts again at ${min}.`;
  const every = interval === undefined ? '' : `, or an interval such as "@every ${step}${interval}"`;
  return [{ message, hint: `Write the values${every}.` }];
}

/** Is it a range of days of the week that ends with 7 for Sunday? */
function isUpToSunday({ names }: Field, text: string): boolean {
  return names === DAYS && /^[^-]+-7$/.test(text);
}

/** Writes a range up to 7 as a valid item. */
function describeSunday(field: Field, item: string): Failure {
  const [range = '', step = '1'] = item.split('/');
  const from = readValue(field, range.slice(0, -'-7'.length));
  const by = readNumber(step);
  if (!from.ok || by === null || by === 0) return describeItem(field, item);
  const days = Array.from(
    { length: Math.floor((7 - from.value) / by) + 1 },
    (_, index) => (from.value + index * by) % 7,
  );
  const isEvery = new Set(days).size === 7;
  const right = isEvery ? '0-6' : by === 1 ? `${writeRange(from.value, 6)},0` : days.join(',');
  return describeProblem('"7" is not a valid day of the week.', `Sunday is 0. Write "${right}".`);
}

type Range = { ok: true; from: number; to: number; isAny: boolean } | Failure;

/** @param hasStep a single value with a step begins a range that ends at the maximum */
function parseRange(field: Field, text: string, hasStep: boolean): Range {
  const { min, max } = field;
  if (text === '*' || text === '?') return { ok: true, from: min, to: max, isAny: true };
  const ends = text.split('-');
  if (ends.length > 2) return describeItem(field, text);
  const [from, to] = ends.map((end) => readValue(field, end));
  if (from === undefined || !from.ok) return from ?? describeItem(field, text);
  if (to === undefined) return { ok: true, from: from.value, to: hasStep ? max : from.value, isAny: false };
  if (!to.ok) return to;
  if (from.value > to.value) {
    const hint = `Write it as two ranges: "${writeRange(from.value, max)},${writeRange(min, to.value)}".`;
    return describeProblem(`The range ${quoteItem(text)} of the ${field.name} is reversed.`, hint);
  }
  return { ok: true, from: from.value, to: to.value, isAny: false };
}

function writeRange(from: number, to: number): string {
  return from === to ? String(from) : `${from}-${to}`;
}

function readValue(field: Field, text: string): { ok: true; value: number } | Failure {
  const { name, min, max, names = [] } = field;
  const named = names.indexOf(text.toUpperCase());
  const value = named === -1 ? readNumber(text) : named + min;
  if (value === null) return describeItem(field, text);
  if (value >= min && value <= max) return { ok: true, value };
  const isSunday = names === DAYS && value === 7;
  const hint = isSunday ? 'Write 0 or SUN for Sunday.' : `Write a value from ${min} to ${max}.`;
  return describeProblem(`${quoteItem(text)} is not a valid ${name}.`, hint);
}

function readNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function describeItem({ name, min, max, names }: Field, item: string): Failure {
  const named = names === undefined ? '' : `, a name from ${names[0]} to ${names.at(-1)}`;
  const hint = `Write "*", a number from ${min} to ${max}${named}, a range such as ${min}-${min + 4}, a step such as */2, or a list of these.`;
  const what = item === '' ? 'An empty text' : quoteItem(item);
  return describeProblem(`${what} is not a valid ${name}.`, hint);
}

function quoteItem(item: string): string {
  return JSON.stringify(item.length > 40 ? `${item.slice(0, 40)}…` : item);
}
