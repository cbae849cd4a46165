import { expect, it } from 'vitest';
import { RequestTally } from './request-tally.ts';

const WEBHOOK = { factory: 'payments', uid: 'wh_a', name: 'ci' };

it('RequestTally counts the requests of the last 5 minutes, by kind', () => {
  let nowMs = 0;
  const tally = new RequestTally(() => nowMs);
  tally.note('rejected', WEBHOOK, 4);
  nowMs = 4 * 60_000;
  tally.note('rejected', WEBHOOK, 6);
  tally.note('limited', WEBHOOK, 1);
  expect(tally.list('rejected', 10)).toEqual([{ webhook: WEBHOOK, count: 10 }]);
  expect(tally.list('rejected', 11)).toEqual([]);
  expect(tally.list('limited', 1)).toEqual([{ webhook: WEBHOOK, count: 1 }]);
  nowMs = 5 * 60_000;
  expect(tally.list('rejected', 1)).toEqual([{ webhook: WEBHOOK, count: 6 }]);
  nowMs = 9 * 60_000;
  expect(tally.list('rejected', 1)).toEqual([]);
});

it('RequestTally counts requests that an earlier daemon received, until they are 5 minutes old', () => {
  let nowMs = 0;
  const tally = new RequestTally(() => nowMs);
  tally.note('rejected', WEBHOOK, 2, 4 * 60_000);
  tally.note('rejected', WEBHOOK, 3);
  expect(tally.list('rejected', 1)).toEqual([{ webhook: WEBHOOK, count: 5 }]);
  nowMs = 60_000;
  expect(tally.list('rejected', 1)).toEqual([{ webhook: WEBHOOK, count: 3 }]);
});

it('RequestTally forgets all requests before a later term notes those of the log', () => {
  const tally = new RequestTally(() => 0);
  tally.note('rejected', WEBHOOK, 2);
  tally.note('limited', WEBHOOK, 2);
  tally.clear();
  expect([tally.list('rejected', 1), tally.list('limited', 1)]).toEqual([[], []]);
});

it('RequestTally counts a limited number of webhooks', () => {
  const tally = new RequestTally(() => 0);
  for (let i = 0; i < 10_010; i++) tally.note('rejected', { ...WEBHOOK, uid: `wh_${i}` }, 1);
  expect(tally.list('rejected', 1).length).toBe(10_000);
});
