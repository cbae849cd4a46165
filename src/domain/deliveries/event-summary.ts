import { readPath } from '../json.ts';

/** A part of a summary: the first value that is present, after a text. */
export interface SummaryPart {
  before: string;
  /** Names of object keys from the root of the body. */
  paths: readonly (readonly string[])[];
}

const SEPARATOR = ' · ';

/** Longer values are cut. */
const MAX_PART_LENGTH = 100;

/**
 * Reads a template such as `{repository.full_name} · #{issue.number|number}`: parts with a separator, each with one value
 * and the paths at which it can be.
 */
export function parseSummaryTemplate(template: string): SummaryPart[] {
  return template.split(SEPARATOR).map((part) => {
    const [, before, paths] = /^([^{]*)\{([^}]+)\}$/.exec(part)!;
    return { before: before!, paths: paths!.split('|').map((path) => path.split('.')) };
  });
}

/** One line about a delivery. A part without a value is omitted. `null` if no part has one. */
export function composeSummary(parts: readonly SummaryPart[], payload: unknown): string | null {
  let summary = '';
  for (const { before, paths } of parts) {
    const value = readFirst(paths, payload);
    if (value !== null) summary += `${summary === '' ? '' : SEPARATOR}${before}${value}`;
  }
  return summary === '' ? null : summary;
}

function readFirst(paths: SummaryPart['paths'], payload: unknown): string | null {
  for (const path of paths) {
    const value = readLine(readPath(payload, path));
    if (value !== null) return value;
  }
  return null;
}

/** Control characters, invisible characters and line breaks. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The first line of a text, or a number. */
function readLine(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const line = value
    .slice(0, MAX_PART_LENGTH + 1)
    .trimStart()
    .split(/[\r\n]/, 1)[0]!;
  const isLong = line.length > MAX_PART_LENGTH;
  // A cut may leave one half of a character, which is not printable.
  const text = (isLong ? line.slice(0, MAX_PART_LENGTH - 1) : line).replace(UNPRINTABLE, '').trimEnd();
  if (text === '') return null;
  return isLong ? `${text}…` : text;
}
