import { describe, expect, it } from 'vitest';
import { NO_RUN_FILTER, readRunFilter, takesRun, writeRunFilter } from './run-filter.ts';

const FILTER = {
  state: 'failed',
  automation: 'build',
  webhook: 'wh_a',
  revision: '4f2a91c',
  delivery: 'dlv_a',
  last: '24h',
} as const;
const RUN = {
  state: 'failed',
  automation: 'build',
  webhook_uid: 'wh_a',
  revision: '4f2a91cdd0',
  delivery: 'dlv_a',
} as const;

describe('the filter of runs', () => {
  it('is the same after it was written to the URL and read', () => {
    expect(readRunFilter(new URLSearchParams(writeRunFilter(FILTER)))).toEqual(FILTER);
    expect(readRunFilter(new URLSearchParams('state=odd&last=2y'))).toEqual(NO_RUN_FILTER);
  });

  it.each([
    {},
    { state: 'queued' },
    { automation: 'other' },
    { webhook_uid: 'wh_b' },
    { revision: '4f2a91' },
    { delivery: 'dlv_b' },
  ] as const)('compares every value: %j', (changed) => {
    expect(takesRun(FILTER, { ...RUN, ...changed })).toBe(Object.keys(changed).length === 0);
    expect(takesRun(NO_RUN_FILTER, { ...RUN, ...changed })).toBe(true);
  });
});
