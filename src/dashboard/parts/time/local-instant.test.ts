import { describe, expect, it } from 'vitest';
import { formatLocalInstant, parseLocalInstant } from './local-instant.ts';

describe('the value of a datetime-local field', () => {
  it.each(['2026-11-21T13:04:05.000Z', '2026-01-01T00:00:00.000Z', '2024-02-29T23:59:59.000Z'])(
    'round-trips %s',
    (at) => {
      expect(parseLocalInstant(formatLocalInstant(at))).toBe(at);
    },
  );

  it('is formatted as the field expects', () => {
    expect(formatLocalInstant(new Date(2026, 0, 2, 3, 4, 5).toISOString())).toBe('2026-01-02T03:04:05');
  });

  it('is null for an empty field', () => {
    expect(parseLocalInstant('')).toBeNull();
  });
});
