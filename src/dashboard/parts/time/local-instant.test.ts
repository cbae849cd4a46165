import { describe, expect, it } from 'vitest';
import { formatLocalInstant, parseLocalInstant } from './local-instant.ts';

describe('an instant in a field of the reader’s zone', () => {
  it.each(['2026-11-21T13:04:05.000Z', '2026-01-01T00:00:00.000Z', '2024-02-29T23:59:59.000Z'])('stays %s', (at) => {
    expect(parseLocalInstant(formatLocalInstant(at))).toBe(at);
  });

  it('is written as the field wants it', () => {
    expect(formatLocalInstant(new Date(2026, 0, 2, 3, 4, 5).toISOString())).toBe('2026-01-02T03:04:05');
  });

  it('may be left open', () => {
    expect(parseLocalInstant('')).toBeNull();
  });
});
