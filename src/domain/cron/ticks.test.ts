import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTicks, listNextTicks } from './ticks.ts';

const CASES: { cron: string; timezone: string; after: string; expected: string[] }[] = JSON.parse(
  readFileSync('test/vectors/cases/intervals-and-clock-changes.json', 'utf8'),
);

const at = (text: string) => Date.parse(text);

function next(cron: string, after: string, count = 1, timezone = 'UTC'): string[] {
  const ticks = createTicks({ cron, timezone }, at('2026-01-01T00:00:30Z'));
  return listNextTicks(ticks, at(after), count).map((ms) => new Date(ms).toISOString().replace(':00.000Z', ''));
}

describe('ticks', () => {
  it('are strictly after the given moment', () => {
    expect(next('0 9 * * *', '2026-03-01T09:00:00Z')).toEqual(['2026-03-02T09:00']);
    expect(next('0 9 * * *', '2026-03-01T08:59:59.999Z')).toEqual(['2026-03-01T09:00']);
  });

  it('are on days that match either restricted day field', () => {
    expect(next('0 0 13 * 5', '2026-02-01T00:00:00Z', 4)).toEqual([
      '2026-02-06T00:00',
      '2026-02-13T00:00',
      '2026-02-20T00:00',
      '2026-02-27T00:00',
    ]);
    expect(next('0 0 13 * *', '2026-02-14T00:00:00Z')).toEqual(['2026-03-13T00:00']);
  });

  it('skip years without a leap day', () => {
    expect(next('0 0 29 2 *', '2096-02-29T00:00:00Z')).toEqual(['2104-02-29T00:00']);
  });

  it('of @every are a multiple of the duration after the start', () => {
    expect(next('@every 90m', '2026-01-01T00:00:30Z', 2)).toEqual([
      '2026-01-01T01:30:30.000Z',
      '2026-01-01T03:00:30.000Z',
    ]);
    // Also if the clock is behind the start.
    expect(next('@every 90m', '2025-01-01T00:00:00Z')).toEqual(['2026-01-01T01:30:30.000Z']);
  });

  it('at a local time that does not exist fire at the first valid moment after it', () => {
    const day = '2026-03-28T12:00:00Z';
    expect(next('30 2 * * *', day, 2, 'Europe/Berlin')).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
    // All of them are one tick, also with the time that follows.
    expect(next('0,15,30 2,3 29 3 *', day, 3, 'Europe/Berlin')).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T01:15',
      '2026-03-29T01:30',
    ]);
  });

  it('at a local time that occurs twice fire the first time', () => {
    const day = '2026-10-24T12:00:00Z';
    expect(next('30 2 * * *', day, 2, 'Europe/Berlin')).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(next('0 */2 * * *', '2026-10-24T22:30:00Z', 2, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T03:00',
    ]);
  });

  it.each(CASES)('of $cron in $timezone are those of the case', ({ cron, timezone, after, expected }) => {
    expect(next(cron, after, expected.length, timezone)).toEqual(expected.map((time) => time.replace(':00Z', '')));
  });

  it('without a named hour go on in elapsed time when clocks change by half an hour, or forward', () => {
    expect(next('*/10 * * * *', '2026-04-04T14:45:00Z', 5, 'Australia/Lord_Howe')).toEqual([
      '2026-04-04T14:50',
      '2026-04-04T15:00',
      '2026-04-04T15:10',
      '2026-04-04T15:20',
      '2026-04-04T15:30',
    ]);
    expect(next('30 * * * *', '2026-03-29T00:00:00Z', 3, 'Europe/Berlin')).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:30',
      '2026-03-29T02:30',
    ]);
  });

  it('on a day that a zone omitted fire at its end', () => {
    expect(next('0 12 30 12 *', '2011-12-01T00:00:00Z', 1, 'Pacific/Apia')).toEqual(['2011-12-30T10:00']);
  });

  it('are counted by day, not one by one', () => {
    const ticks = createTicks({ cron: '* * * * *', timezone: 'UTC' }, 0);
    const [after, until] = [at('2000-01-01T00:00:00Z'), at('2026-01-01T00:00:10Z')];
    expect(ticks.between(after, until)).toEqual({ count: (until - after - 10_000) / 60_000, latest: until - 10_000 });
  });
});
