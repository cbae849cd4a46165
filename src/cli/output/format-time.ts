const AGE_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A duration in its largest whole unit: `12s`, `3m`, `2h`, `5d`. */
export function formatSpan(spanMs: number): string {
  for (const [unit, unitMs] of AGE_UNITS) {
    if (spanMs >= unitMs) return `${Math.floor(spanMs / unitMs)}${unit}`;
  }
  return '0s';
}

/** The age of an RFC 3339 time, for lists: `3m ago`. `-` for none. */
export function formatAge(instant: string | null, nowMs: number): string {
  if (instant === null) return '-';
  const ageMs = nowMs - Date.parse(instant);
  return Number.isNaN(ageMs) ? '-' : ageMs < 1000 ? 'just now' : `${formatSpan(ageMs)} ago`;
}

/** The exact time and its age, for `show`: `2026-11-21T07:18:37.000Z (3m ago)`; `-` for none. */
export function formatInstantWithAge(instant: string | null, nowMs: number): string {
  return instant === null ? '-' : `${instant} (${formatAge(instant, nowMs)})`;
}
