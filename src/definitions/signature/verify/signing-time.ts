import { readPath } from '../../../domain/json.ts';
import type { TimestampRule, TimestampUnit } from '../scheme.ts';
import { reject, type SignatureRejection, type SignedRequest } from '../verification.ts';
import type { SignatureEntry } from './presented-signatures.ts';
import { toWireText } from './request-parts.ts';

/**
 * The timestamp of a request, as the text that is signed. Two timestamps are rejected even if they are equal: otherwise
 * the checked one might not be the signed one.
 *
 * @param headerName lowercase name of the family's header, if the timestamp is in a header
 */
export function readTimestamp(
  rule: TimestampRule,
  headerName: string | null,
  request: SignedRequest,
  entries: SignatureEntry[],
): { ok: true; text: string } | SignatureRejection {
  const text = findText(rule, headerName, request, entries);
  if (text === undefined || text === '') return reject('missing_timestamp');
  // A repeated header arrives as one value with a comma.
  return text.includes(',') ? reject('ambiguous_timestamp') : { ok: true, text };
}

function findText(
  { from }: TimestampRule,
  headerName: string | null,
  request: SignedRequest,
  entries: SignatureEntry[],
): string | undefined {
  if (from.place === 'header') return headerName === null ? undefined : request.headers.get(headerName);
  if (from.place === 'entry') return joinUnder(entries, from.label);
  const value = readPath(request.json([from.path]), from.path);
  return typeof value === from.type ? toWireText(String(value)) : undefined;
}

function joinUnder(entries: SignatureEntry[], label: string): string | undefined {
  let joined: string | undefined;
  for (const entry of entries) {
    if (entry.label === label) joined = joined === undefined ? entry.value : `${joined},${entry.value}`;
  }
  return joined;
}

/** Is the timestamp within the tolerance, in both directions? Whole seconds; exactly the tolerance is accepted. */
export function checkTimestamp(
  rule: TimestampRule & { signed: true },
  text: string,
  nowMs: number,
): { ok: true } | SignatureRejection {
  const seconds = parseSeconds(rule.unit, text);
  if (seconds === null) return reject('malformed_timestamp');
  const ageSeconds = Math.floor(nowMs / 1000) - seconds;
  const allowed = ageSeconds > 0 ? rule.toleranceSeconds : (rule.futureToleranceSeconds ?? rule.toleranceSeconds);
  if (Math.abs(ageSeconds) <= allowed) return { ok: true };
  const reason = ageSeconds > 0 ? 'stale_timestamp' : 'future_timestamp';
  return reject(reason, `by ${Math.abs(ageSeconds)} seconds; ${allowed} are allowed`);
}

/** Seconds have ten digits until the year 2286. Thirteen digits are milliseconds and are rejected, not guessed. */
const MAX_DIGITS = { seconds: 12, milliseconds: 15 } as const;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Whole seconds since 1970; `null` if the text does not have the form of the unit. */
function parseSeconds(unit: TimestampUnit, text: string): number | null {
  if (unit === 'seconds') return parseDigits(text, MAX_DIGITS.seconds);
  if (unit === 'milliseconds') {
    const ms = parseDigits(text, MAX_DIGITS.milliseconds);
    return ms === null ? null : Math.floor(ms / 1000);
  }
  const ms = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}

/** The number that a text of only decimal digits stands for, in a third of the time of a regular expression. */
function parseDigits(text: string, maxDigits: number): number | null {
  if (text.length === 0 || text.length > maxDigits) return null;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}

/** A timestamp as a sender writes it. */
export function formatTimestamp(unit: TimestampUnit, nowMs: number): string {
  if (unit === 'milliseconds') return String(Math.floor(nowMs));
  if (unit === 'seconds') return String(Math.floor(nowMs / 1000));
  return new Date(Math.floor(nowMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
