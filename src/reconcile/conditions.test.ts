import { expect, it } from 'vitest';
import type { Condition } from '../domain/applies/reconciliation.ts';
import { describePass, type EndedPass } from './conditions.ts';

const PASS: EndedPass = {
  reconciliation: { result: 'applied', reason: 'Applied', message: 'abc is live', finishedAt: 7 },
  liveRevision: 'abc',
  hasExecutor: true,
  pushWebhook: null,
  isLive: (webhook) => webhook === 'git-push',
  note: '',
  isSameCommit: true,
};

const endedWith = (result: EndedPass['reconciliation']['result'], reason: string) =>
  ({ result, reason, message: 'm', finishedAt: 7 }) as const;

const describeAs = (pass: Partial<EndedPass>, before: Condition[] = []) => describePass({ ...PASS, ...pass }, before);

const find = (conditions: Condition[], type: string) => conditions.find((condition) => condition.type === type);

it('a pass that applied a definition leaves it ready and reconciled, and no other condition', () => {
  expect(describeAs({})).toEqual([
    { type: 'Ready', status: 'True', reason: 'DefinitionLive', message: 'serving abc', since: 7 },
    { type: 'Reconciled', status: 'True', reason: 'Applied', message: 'abc is live', since: 7 },
  ]);
});

it('a factory without a live definition is not ready', () => {
  expect(find(describeAs({ liveRevision: null }), 'Ready')).toMatchObject({
    status: 'False',
    reason: 'NothingApplied',
  });
});

it('an unchanged definition has the same state as an applied one', () => {
  const unchanged = describeAs({ reconciliation: endedWith('unchanged', 'Unchanged') });
  expect(find(unchanged, 'Reconciled')).toMatchObject({ status: 'True', reason: 'Applied', message: 'm' });
  const failed = describeAs({ reconciliation: endedWith('failed', 'BranchMissing') });
  expect(find(failed, 'Reconciled')).toMatchObject({ status: 'False', reason: 'BranchMissing', message: 'm' });
});

it('reports a missing executor', () => {
  expect(find(describeAs({ hasExecutor: false }), 'NoExecutor')).toMatchObject({ status: 'True' });
});

it('reports only a missing push webhook', () => {
  expect(find(describeAs({ pushWebhook: 'git-push' }), 'PushWebhookMissing')).toBeUndefined();
  expect(find(describeAs({ pushWebhook: 'gone' }), 'PushWebhookMissing')).toMatchObject({
    status: 'True',
    reason: 'NoSuchWebhook',
    message: expect.stringContaining('gone'),
  });
});

it('reports a rewritten history until another commit is found', () => {
  const rewritten = describeAs({ note: 'rewritten' });
  expect(find(rewritten, 'HistoryRewritten')).toMatchObject({ reason: 'ForcePushed', message: 'rewritten' });
  expect(find(describeAs({}, rewritten), 'HistoryRewritten')).toMatchObject({ message: 'rewritten' });
  expect(find(describeAs({ isSameCommit: false }, rewritten), 'HistoryRewritten')).toBeUndefined();
});
