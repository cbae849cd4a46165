import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findLogTime, LogPieces } from './log-times.ts';

it('findLogTime returns the time of the last entry at or before the offset', () => {
  const times = [10, 20, 30].map((offset) => ({ offset, at: `at ${offset}` }));
  expect([0, 9, 10, 19, 20, 30, 99].map((offset) => findLogTime(times, offset))).toEqual([
    null,
    null,
    'at 10',
    'at 10',
    'at 20',
    'at 30',
    'at 30',
  ]);
  expect(findLogTime([], 0)).toBeNull();
});

it('LogPieces splits any bytes into lines with their offsets, however they are cut', () => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x61, 0xe2, 0x82, 0xac, 0xff, 0xf0), fc.integer({ min: 0, max: 255 }));
  const bytes = fc
    .uint8Array({ maxLength: 60 })
    .chain((any) => fc.array(byte, { maxLength: 60 }).map((some) => [...any, ...some]));
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(120)), (all, cuts) => {
      const log = new LogPieces();
      const ends = [...cuts.map((cut) => Math.min(cut, all.length)), all.length].sort((a, b) => a - b);
      const pieces = ends.flatMap((end, i) => log.split(Uint8Array.from(all.slice(ends[i - 1] ?? 0, end))));
      const starts = [0, ...all.flatMap((value, i) => (value === 0x0a ? [i + 1] : []))];
      const lines = new Map<number, string>();
      for (const { text, lineOffset } of pieces) lines.set(lineOffset, (lines.get(lineOffset) ?? '') + text);
      for (const [offset, text] of lines) {
        expect(starts).toContain(offset);
        expect(text.indexOf('\n')).toBeOneOf([-1, text.length - 1]);
      }
      expect([...lines.values()].join('')).toBe(new TextDecoder().decode(Uint8Array.from(all), { stream: true }));
    }),
  );
});
