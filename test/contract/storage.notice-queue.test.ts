import { describe, expect, it } from 'vitest';
import type { NewNotice } from '../../src/domain/messages/notice.ts';
import { ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY = {
  deliveriesMs: DAY_MS,
  minDeliveries: 2,
  identitiesMs: DAY_MS,
  runsMs: DAY_MS,
  auditMs: DAY_MS,
  secretVersionsMs: DAY_MS,
};
const TARGET = { factory: 'payments', target: 'github' };

function buildNotice(more: Partial<NewNotice> = {}): NewNotice {
  return {
    ...TARGET,
    id: ids.noticeId(START_MS),
    revision: 'c0ffee',
    outcome: 'ok',
    createdAt: START_MS,
    report: {
      reconciliation: ids.reconciliationId(START_MS),
      result: 'applied',
      state: 'success',
      reason: 'Applied',
      message: 'c0ffee is live',
      liveRevision: 'c0ffee',
      diagnostics: [],
      diagnosticCount: 0,
      finishedAt: START_MS,
    },
    ...more,
  };
}

describe.each(STORAGES)('the queue of notifications on $name', (kind) => {
  const opened = useStorage(kind);
  const queue = () => opened.storage.noticeQueue;

  it('returns stored entries, also after a restart, separately for each target', async () => {
    const notice = buildNotice();
    expect(await queue().put(notice)).toBe(true);
    await queue().put(buildNotice({ target: 'gitlab', revision: 'other' }));
    await opened.reopen();
    const waiting = { state: 'waiting', attempts: 0, dueAt: START_MS, problem: null, failingSince: null };
    expect(await queue().next(TARGET)).toEqual({ ...notice, ...waiting });
    expect(await queue().next({ ...TARGET, factory: 'other' })).toBeNull();
  });

  it('finds the entry of a commit in any state, and renews its report without posting it again', async () => {
    expect(await queue().find(TARGET, 'c0ffee')).toBeNull();
    const notice = buildNotice();
    await queue().put(notice);
    await queue().settle(notice.id, { problem: null, at: START_MS });
    const report = { ...notice.report, finishedAt: START_MS + 1 };
    await queue().renew({ ...TARGET, target: 'gitlab' }, 'c0ffee', buildNotice({ outcome: 'other' }).report);
    await queue().renew(TARGET, 'c0ffee', report);
    expect(await queue().find(TARGET, 'c0ffee')).toMatchObject({ id: notice.id, state: 'posted', report });
    expect(await queue().next(TARGET)).toBeNull();
    await queue().skip(buildNotice({ revision: 'other' }), 'nothing to post');
    expect(await queue().find(TARGET, 'other')).toMatchObject({ state: 'skipped', problem: 'nothing to post' });
    expect(await queue().find({ ...TARGET, target: 'gitlab' }, 'c0ffee')).toBeNull();
  });

  it('stores each outcome of a commit once, and replaces it if the outcome changes', async () => {
    const first = buildNotice();
    await queue().put(first);
    expect(await queue().put(buildNotice())).toBe(false);
    await queue().settle(first.id, { problem: null, at: START_MS });
    expect(await queue().put(buildNotice())).toBe(false);
    const second = buildNotice({ outcome: 'broken' });
    expect(await queue().put(second)).toBe(true);
    await queue().settle(first.id, { problem: 'late', at: START_MS });
    expect(await queue().next(TARGET)).toMatchObject({ id: second.id, problem: null });
    await queue().settle(second.id, { problem: null, at: START_MS });
    expect(await queue().put(buildNotice())).toBe(true);
  });

  it('returns the entry that is due first, and counts failed attempts', async () => {
    const [a, b] = [buildNotice({ revision: 'a' }), buildNotice({ revision: 'b' })];
    await queue().put(a);
    await queue().put(b);
    await queue().postpone(a.id, { problem: 'answered 500', at: START_MS + 1, dueAt: START_MS + 100 });
    expect((await queue().next(TARGET))?.id).toBe(b.id);
    await queue().postpone(a.id, { problem: 'answered 502', at: START_MS + 2, dueAt: START_MS + 200 });
    await queue().settle(b.id, { problem: null, at: START_MS + 3 });
    expect(await queue().next(TARGET)).toMatchObject({
      id: a.id,
      attempts: 2,
      problem: 'answered 502',
      dueAt: START_MS + 200,
      failingSince: START_MS + 1,
    });
    expect(await queue().newest(TARGET)).toMatchObject({ id: b.id, state: 'posted', failingSince: null });
  });

  it('retries waiting entries and the last abandoned one immediately, but no earlier abandoned ones', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((revision) => buildNotice({ revision }));
    for (const notice of [a!, b!, c!]) await queue().put(notice);
    await queue().settle(a!.id, { problem: 'answered 401', at: START_MS });
    await queue().postpone(b!.id, { problem: 'answered 500', at: START_MS, dueAt: START_MS + DAY_MS });
    await queue().settle(c!.id, { problem: 'answered 401', at: START_MS });
    expect(await queue().newest(TARGET)).toMatchObject({ state: 'given_up', problem: 'answered 401' });
    await queue().retryNow(TARGET, START_MS + 5);
    const due = [];
    for (let next = await queue().next(TARGET); next !== null; next = await queue().next(TARGET)) {
      due.push([next.revision, next.dueAt, next.attempts]);
      await queue().settle(next.id, { problem: null, at: START_MS + 6 });
    }
    expect(due).toEqual([
      ['b', START_MS + 5, 1],
      ['c', START_MS + 5, 0],
    ]);
  });

  it('has the reports about a run, and records a post that is skipped only if the target has none', async () => {
    const [run, other] = [ids.runId(START_MS), ids.runId(START_MS + 1)];
    const report = (revision: string, more: Partial<NewNotice> = {}) => buildNotice({ revision, ...more });
    await queue().put(report(`${run}/1`));
    await queue().skip(report(`${run}/1`, { outcome: 'skipped' }), 'no commit');
    await queue().skip(report(`${run}/2`, { outcome: 'skipped' }), 'no commit');
    await queue().skip(report(`${run}/2`, { outcome: 'skipped' }), 'another reason');
    await queue().put(report(`${other}/1`));
    const found = await queue().ofRun('payments', run);
    expect(found.map(({ revision, state, problem }) => [revision, state, problem])).toEqual([
      [`${run}/1`, 'waiting', null],
      [`${run}/2`, 'skipped', 'no commit'],
    ]);
    expect(await queue().ofRun('other', run)).toEqual([]);
  });

  it('posts no entry that was skipped, and a failure before it stays known', async () => {
    const failed = buildNotice({ revision: 'a' });
    await queue().put(failed);
    await queue().settle(failed.id, { problem: 'answered 401', at: START_MS });
    await queue().skip(buildNotice({ revision: 'b' }), 'no commit');
    expect(await queue().next(TARGET)).toBeNull();
    expect(await queue().newest(TARGET)).toMatchObject({ id: failed.id, problem: 'answered 401' });
    await queue().retryNow(TARGET, START_MS + 5);
    expect(await queue().next(TARGET)).toMatchObject({ id: failed.id });
  });

  it('is kept as long as the reconciliation history, and the newest entry of each target longer', async () => {
    for (const revision of ['a', 'b']) await queue().put(buildNotice({ revision }));
    await opened.storage.retention.prune(POLICY, START_MS + 89 * DAY_MS);
    expect(await queue().put(buildNotice({ revision: 'a' }))).toBe(false);
    await opened.storage.retention.prune(POLICY, START_MS + 91 * DAY_MS);
    expect(await queue().put(buildNotice({ revision: 'b' }))).toBe(false);
    expect(await queue().put(buildNotice({ revision: 'a' }))).toBe(true);
  });
});
