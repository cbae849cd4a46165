import { describe, expect, it } from 'vitest';
import { MAX_PART_BYTES } from '../../../domain/ports/run-files.ts';
import { chooseJoined, type WeighedPart } from './append-part.ts';

/** Appends to a log this number of times. */
function append(times: number, weight: number): { parts: WeighedPart[]; written: number } {
  let parts: WeighedPart[] = [];
  let written = 0;
  for (let index = 0; index < times; index += 1) {
    const joined = chooseJoined(parts.toReversed(), weight);
    const rest = parts.filter(({ offset }) => !joined.includes(offset));
    const total = weight + (parts.length === rest.length ? 0 : sum(parts.slice(rest.length)));
    parts = [...rest, { offset: joined.at(-1) ?? index * weight, weight: total }];
    written += total;
  }
  return { parts, written };
}

function sum(parts: readonly WeighedPart[]): number {
  return parts.reduce((total, { weight }) => total + weight, 0);
}

describe('parts that are joined', () => {
  it.each([
    { times: 1_024, weight: 10, most: 11 },
    { times: 1_023, weight: 10, most: 10 },
    { times: 100_000, weight: 100, most: 10 * 8 + 12 },
    { times: 40, weight: MAX_PART_BYTES, most: 40 },
  ])(
    'stay few and bounded after $times times $weight bytes, and each byte is seldom written',
    ({ times, weight, most }) => {
      const { parts, written } = append(times, weight);
      expect(sum(parts)).toBe(times * weight);
      expect(parts.length).toBeLessThanOrEqual(most);
      expect(Math.max(...parts.map((part) => part.weight))).toBeLessThanOrEqual(MAX_PART_BYTES);
      expect(written / (times * weight)).toBeLessThanOrEqual(1 + Math.log2(Math.min(times, MAX_PART_BYTES / weight)));
    },
  );
});
