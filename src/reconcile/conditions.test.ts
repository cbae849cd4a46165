import { describe, expect, it } from 'vitest';
import {
  describeExecutor,
  describeNothingStarts,
  describeOutcome,
  describePushWebhook,
  describeReadiness,
  describeRecordFailure,
  describeStartFailure,
  updateConditions,
} from './conditions.ts';

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

it('a factory is ready when a definition is live', () => {
  expect(describeReadiness('abc', true)).toMatchObject({ status: 'True', message: 'serving abc' });
  expect(describeReadiness(null, false)).toMatchObject({ status: 'False', reason: 'NothingApplied' });
});

it('an unchanged definition has the same state as an applied one', () => {
  expect(describeOutcome(true, 'Unchanged', 'm')).toMatchObject({ status: 'True', reason: 'Applied' });
  expect(describeOutcome(false, 'BranchMissing', 'm')).toMatchObject({ status: 'False', reason: 'BranchMissing' });
});

it('reports only a missing executor', () => {
  expect(describeExecutor(true)).toEqual([]);
  expect(describeExecutor(false)).toMatchObject([{ type: 'NoExecutor', status: 'True' }]);
});

it('reports only a missing push webhook', () => {
  const isLive = (webhook: string) => webhook === 'git-push';
  expect(describePushWebhook(null, isLive)).toEqual([]);
  expect(describePushWebhook('git-push', isLive)).toEqual([]);
  expect(describePushWebhook('gone', isLive)).toMatchObject([
    { type: 'PushWebhookMissing', status: 'True', reason: 'NoSuchWebhook', message: expect.stringContaining('gone') },
  ]);
});

it('reports that ends of runs cannot be recorded, and the reason, only while they cannot', () => {
  expect(describeRecordFailure(null)).toEqual([]);
  expect(describeRecordFailure({ problem: 'database is locked', since: 7 })).toMatchObject([
    { type: 'RunsNotRecorded', status: 'True', since: 7, message: expect.stringContaining('database is locked') },
  ]);
});

it('reports that none of the automations can start, if there is any', () => {
  expect(describeNothingStarts(0, 7)).toEqual([]);
  expect(describeNothingStarts(1, 7)).toMatchObject([
    {
      type: 'NothingStarts',
      status: 'True',
      since: 7,
      message: expect.stringContaining('its automation cannot start'),
    },
  ]);
  expect(describeNothingStarts(5, 7)).toMatchObject([
    { message: expect.stringContaining('none of its 5 automations can start') },
  ]);
});

it('reports that runs cannot start, and the reason, only while they cannot', () => {
  expect(describeStartFailure(null)).toEqual([]);
  expect(describeStartFailure({ problem: 'spawn EAGAIN', since: 7 })).toMatchObject([
    { type: 'RunsNotStarting', status: 'True', since: 7, message: expect.stringContaining('spawn EAGAIN') },
  ]);
});
