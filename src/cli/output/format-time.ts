const AGE_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A length of time in its largest whole unit: `12s`, `3m`, `2h`, `5d`. */
export function formatSpan(spanMs: number): string {
  for (const [unit, unitMs] of AGE_UNITS) {
    if (spanMs >= unitMs) return `${Math.floor(spanMs / unitMs)}${unit}`;
  }
  return '0s';
}

/** How long ago an RFC 3339 instant was, for lists: `3m ago`; `-` for none. */
export function formatAge(instant: string | null, nowMs: number): string {
  if (instant === null) return '-';
  const ageMs = nowMs - Date.parse(instant);
  return Number.isNaN(ageMs) ? '-' : ageMs < 1000 ? 'just now' : `${formatSpan(ageMs)} ago`;
}

/** The exact instant and how long ago it was, for `show`: `2026-11-21T07:18:37.000Z (3m ago)`; `-` for none. */
export function formatInstantWithAge(instant: string | null, nowMs: number): string {
  return instant === null ? '-' : `${instant} (${formatAge(instant, nowMs)})`;
}

/** How long something took: `840ms`, `12.3s`, `4m 10s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.max(0, Math.round(durationMs))}ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)}s`;
  const minutes = Math.floor(durationMs / 60_000);
  return minutes < 60
    ? `${minutes}m ${Math.floor((durationMs % 60_000) / 1000)}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
