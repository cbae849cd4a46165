import { formatInstant } from '../../core/time/clock.ts';

/** An instant that may not have come yet. */
export function presentInstant(wallMs: number | null): string | null {
  return wallMs === null ? null : formatInstant(wallMs);
}
