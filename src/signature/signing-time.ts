import type { Entry, Refusal } from './presented-signatures.ts';
import type { TimestampRule } from './schemes.ts';

/** Seconds have ten digits until the year 2286; thirteen are milliseconds, which are refused rather than guessed. */
const WHOLE_SECONDS = /^[0-9]{1,12}$/;

/**
 * The one moment that a request says it was signed at, as the text that is signed. Two are refused even when they are
 * equal: else the one that is checked might not be the one that is signed.
 */
export function readTimestamp(
  rule: TimestampRule,
  header: string | undefined,
  entries: Entry[],
): { ok: true; text: string } | Refusal {
  const text = rule.from.place === 'header' ? header : joinUnder(entries, rule.from.label);
  if (text === undefined || text === '') return { ok: false, reason: 'missing_timestamp', detail: null };
  // A header that was sent twice arrives as one with a comma.
  return text.includes(',') ? { ok: false, reason: 'ambiguous_timestamp', detail: null } : { ok: true, text };
}

function joinUnder(entries: Entry[], label: string): string | undefined {
  let joined: string | undefined;
  for (const entry of entries) {
    if (entry.label === label) joined = joined === undefined ? entry.value : `${joined},${entry.value}`;
  }
  return joined;
}

/** Is the moment within the tolerance of now, in both directions? Whole seconds; exactly the tolerance passes. */
export function checkTimestamp(text: string, nowMs: number, toleranceSeconds: number): { ok: true } | Refusal {
  if (!WHOLE_SECONDS.test(text)) return { ok: false, reason: 'malformed_timestamp', detail: null };
  const ageSeconds = Math.floor(nowMs / 1000) - Number(text);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return { ok: true };
  const reason = ageSeconds > 0 ? 'stale_timestamp' : 'future_timestamp';
  return { ok: false, reason, detail: `by ${Math.abs(ageSeconds)} seconds; ${toleranceSeconds} are allowed` };
}
