import { describe, expect, it } from 'vitest';
import { describeCondition, updateConditions } from './conditions.ts';

const AT = 1_000;

describe('updateConditions', () => {
  const state = { type: 'Ready', status: 'True', reason: 'DefinitionLive', message: 'serving a' } as const;
  const [before] = updateConditions([], [state], AT);

  it('dates a condition that is new', () => {
    expect(before).toEqual({ ...state, since: AT });
  });

  it.each([
    ['another message keeps the time', { message: 'serving b' }, AT],
    ['another reason is a change', { reason: 'Other' }, 2_000],
    ['another status is a change', { status: 'False' as const }, 2_000],
  ])('%s', (_title, change, since) => {
    expect(updateConditions([before!], [{ ...state, ...change }], 2_000)).toEqual([{ ...state, ...change, since }]);
  });

  it('removes a condition that is no longer reported', () => {
    expect(updateConditions([before!], [], 2_000)).toEqual([]);
  });
});

it('says whether one automation cannot start, or none of several', () => {
  expect(describeCondition('NotServed', 1).message).toContain('its automation cannot start');
  expect(describeCondition('NotServed', 5).message).toContain('none of its 5 automations can start');
});

it('names at most ten objects', () => {
  const missing = Array.from({ length: 12 }, (_, index) => ({ secret: 'TOKEN', automation: `a${index}` }));
  const { message } = describeCondition('RunSecretMissing', missing);
  expect(message).toContain('every run of a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more fails');
  expect(message).toContain('no team secret named TOKEN that');
});
