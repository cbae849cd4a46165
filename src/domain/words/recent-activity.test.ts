import { expect, it } from 'vitest';
import { describeAcceptance, describeResults, formatRate } from './recent-activity.ts';

it('the acceptance of requests counts duplicates as accepted', () => {
  const traffic = { last_24_hours: { accepted: 6, duplicate: 1, rejected: 1 }, acceptance_rate: 7 / 8 };
  expect(describeAcceptance(traffic)).toBe('7 of 8 requests accepted in the last 24 hours (87.5 %)');
  const none = { last_24_hours: { accepted: 0, duplicate: 0, rejected: 0 }, acceptance_rate: null };
  expect(describeAcceptance(none)).toBe('no requests in the last 24 hours');
  const one = { last_24_hours: { accepted: 0, duplicate: 0, rejected: 1 }, acceptance_rate: 0 };
  expect(describeAcceptance(one)).toBe('0 of 1 request accepted in the last 24 hours (0 %)');
});

it.each([
  [1, '100 %'],
  [0.99999, '99.9 %'],
  [0.5, '50 %'],
  [0.00001, '0.1 %'],
  [0, '0 %'],
])('the share %d is never rounded to all or nothing', (rate, text) => {
  expect(formatRate(rate)).toBe(text);
});

it.each([
  [0, 0, 0, null],
  [1, 1, 1, 'the only run failed'],
  [1, 0, 0, 'the only run succeeded'],
  [20, 3, 1, '3 of the last 20 runs failed'],
  [20, 3, 2, '3 of the last 20 runs failed, the last 2 in a row'],
  [5, 5, 5, 'all of the last 5 runs failed'],
])('describes %d runs of which %d failed, %d of them in a row', (recent_runs, recent_failed, failed_in_a_row, text) => {
  expect(describeResults({ recent_runs, recent_failed, failed_in_a_row })).toBe(text);
});
