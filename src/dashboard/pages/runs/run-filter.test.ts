import { describe, expect, it } from 'vitest';
import type { Run } from '../../../client/api-types.ts';
import { isRetryable, NO_RUN_FILTER, readRunFilter, takesRun, writeRunFilter } from './run-filter.ts';

const FILTER = {
  state: 'failed',
  deadLetter: null,
  automation: 'build',
  webhook: 'wh_a',
  revision: '4f2a91c',
  delivery: 'dlv_a',
  search: 'Flaky',
  last: '24h',
} as const;
const RESULT: Run['result'] = {
  summary: null,
  links: [{ title: 'A flaky test', url: 'https://x.example/' }],
  artifacts: [],
  problem: null,
};
const RUN = {
  state: 'failed',
  automation: 'build',
  webhook_uid: 'wh_a',
  revision: '4f2a91cdd0',
  delivery: 'dlv_a',
  result: RESULT,
} as const;

describe('the filter of runs', () => {
  it('is the same after it was written to the URL and read', () => {
    expect(readRunFilter(new URLSearchParams(writeRunFilter(FILTER)))).toEqual(FILTER);
    const deadLetters = { ...FILTER, state: null, deadLetter: true } as const;
    expect(readRunFilter(new URLSearchParams(writeRunFilter(deadLetters)))).toEqual(deadLetters);
    expect(readRunFilter(new URLSearchParams('deadLetter=true&state=running'))).toEqual(
      Object.assign({}, NO_RUN_FILTER, { deadLetter: true }),
    );
    expect(readRunFilter(new URLSearchParams('state=odd&last=2y'))).toEqual(NO_RUN_FILTER);
  });

  it.each([
    {},
    { state: 'queued' },
    { automation: 'other' },
    { webhook_uid: 'wh_b' },
    { revision: '4f2a91' },
    { delivery: 'dlv_b' },
    { result: null },
  ] as const)('compares every value: %j', (changed) => {
    expect(takesRun(FILTER, { ...RUN, ...changed })).toBe(Object.keys(changed).length === 0);
    expect(takesRun(NO_RUN_FILTER, { ...RUN, ...changed })).toBe(true);
  });

  it('of dead letters takes runs that failed', () => {
    const filter = { ...NO_RUN_FILTER, deadLetter: true } as const;
    const states = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
    expect(states.filter((state) => takesRun(filter, { ...RUN, state }))).toEqual(['failed']);
  });

  it('can be retried if it selects only runs that have ended', () => {
    const states = [null, 'queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
    expect(states.filter((state) => isRetryable({ ...NO_RUN_FILTER, state }))).toEqual([
      'succeeded',
      'failed',
      'cancelled',
    ]);
    expect(isRetryable({ ...NO_RUN_FILTER, deadLetter: true })).toBe(true);
  });
});
