/** A number with its noun, such as `1 run` or `2 deliveries`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** For example "812 B", "1.5 KiB". */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How durations are written: a whole number and its unit. Source of a regular expression. */
export const DURATION_PATTERN = '^[0-9]{1,9}(ms|s|m|h|d)$';

/** Durations of at most 7 days. Source of a regular expression. */
export const ROTATION_OVERLAP_PATTERN = '^([0-9]{1,5}s|[0-9]{1,4}m|([0-9]{1,2}|1[0-5][0-9]|16[0-8])h|[0-7]d)$';

/** Durations from 1 s to 7 days. Source of a regular expression. */
export const DELAY_PATTERN = '^(?!0+[smhd]$)([0-9]{1,5}s|[0-9]{1,4}m|([0-9]{1,2}|1[0-5][0-9]|16[0-8])h|[0-7]d)$';

/** Durations from 1 s to 31 days. Source of a regular expression. */
export const PERIOD_PATTERN =
  '^(?!0+[smhd]$)([0-9]{1,5}s|[0-9]{1,4}m|([0-9]{1,2}|[1-6][0-9]{2}|7[0-3][0-9]|74[0-4])h|([0-9]|[12][0-9]|3[01])d)$';

const DURATION = new RegExp(DURATION_PATTERN);

/** Milliseconds of `500ms`, `30s`, `15m`, `2h` or `7d`; `null` for anything else. */
export function parseDuration(text: string): number | null {
  const unit = DURATION.exec(text)?.[1];
  return unit === undefined ? null : Number.parseInt(text, 10) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** An elapsed time for people: `840ms`, `12.3s`, `4m 10s`, `2h 5m`. Negative values count as 0. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.max(0, Math.round(durationMs))}ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)}s`;
  const minutes = Math.floor(durationMs / 60_000);
  return minutes < 60
    ? `${minutes}m ${Math.floor((durationMs % 60_000) / 1000)}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** A duration as files contain it, in the largest unit that divides it: `15m`, `2h`, `14d`. */
export function writeDuration(durationMs: number): string {
  const units = Object.entries(UNITS_MS).reverse();
  const [unit, ms] = units.find(([, length]) => durationMs % length === 0) ?? ['ms', 1];
  return `${durationMs / ms}${unit}`;
}
