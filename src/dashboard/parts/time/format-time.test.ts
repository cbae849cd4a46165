import { expect, it } from 'vitest';
import { formatTimeAgo, formatTimeOfDay, formatTimeUntil } from './format-time.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const DAY = 86_400_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();

it('formats future times in words', () => {
  const texts = [
    609_000,
    590_000,
    60_001,
    60_000,
    1,
    0,
    -5_000,
    3_600_000,
    90_000_000,
    30 * DAY,
    90 * DAY,
    120 * DAY,
  ].map((ms) => formatTimeUntil(at(ms), NOW));
  expect(texts).toEqual([
    'in 10 minutes',
    'in 10 minutes',
    'in 1 minute',
    'in less than a minute',
    'in less than a minute',
    'now',
    'now',
    'in 1 hour',
    'tomorrow',
    'in 30 days',
    'in 90 days',
    'in 4 months',
  ]);
});

it('formats a time in the future as "just now", because the clock may be slow', () => {
  expect([formatTimeAgo(at(5_000), NOW), formatTimeAgo(at(-300_000), NOW)]).toEqual(['just now', '5 minutes ago']);
});

it('formats a time of day with 24 hours', () => {
  const midnight = new Date(2026, 0, 2).getTime();
  const texts = [0, 5_000, 86_399_000].map((ms) => formatTimeOfDay(new Date(midnight + ms).toISOString()));
  expect(texts).toEqual(['00:00:00', '00:00:05', '23:59:59']);
});
