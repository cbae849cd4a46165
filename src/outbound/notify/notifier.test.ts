import { expect, it, vi } from 'vitest';
import { makeRunInput, silentLogger } from '../../../test/helpers/command-runs.ts';
import { ENDLESS_TERM } from '../../../test/helpers/endless-term.ts';
import { createIdSource } from '../../domain/ids.ts';
import type { NewNotice, Notice } from '../../domain/messages/notice.ts';
import { Notifier, type NotifierParts } from './notifier.ts';
import type { NotifyTarget } from './notify-target.ts';
import { TargetNotifier, type TargetNotifierParts } from './target-notifier.ts';

const callback = (url: string): NotifyTarget => ({
  type: 'webhook',
  url,
  repository: null,
  context: 'dockbell/payments',
  targetUrl: null,
  branch: 'main',
  format: 'standard',
  allowPrivateAddresses: false,
  secretName: 'SIGNING',
  runs: 'callback',
});

const unreadable = makeRunInput({ run: { state: 'succeeded', finishedAt: 5 } as never });
const ended = makeRunInput({ run: { state: 'succeeded', finishedAt: 5 } as never });

type Put = (notice: NewNotice) => Promise<boolean>;

/** `put` stores an entry of the queue. The runs are those that it finds when it begins to lead. */
function open(put: Put, targets: NotifyTarget[], recent = [ended.run, unreadable.run], wallMs = () => 10): Notifier {
  const parts = {
    targets: new Map([[ended.run.factory, targets]]),
    queue: { newest: async () => null, retryNow: async () => {}, next: async () => null, put },
    inventory: { lastReconciliation: async () => null },
    runs: {
      list: async () => ({ data: recent, nextCursor: null }),
      get: async (id: string) => [ended, unreadable].find(({ run }) => run.id === id)!.run,
      input: async (id: string) => {
        if (id === unreadable.run.id) throw new Error('unreadable');
        return ended;
      },
    },
    clock: { wallMs, monotonicMs: () => 10 },
    schedule: () => () => {},
    ids: createIdSource((size) => new Uint8Array(size).fill(7)),
    logger: silentLogger,
  };
  return new Notifier(parts as unknown as NotifierParts);
}

/** A daemon that starts after the two runs have ended. */
async function start(put: Put, targets: NotifyTarget[]): Promise<void> {
  const notifier = open(put, targets);
  notifier.start(ENDLESS_TERM);
  await notifier.stop();
}

it('queues results that were offered before the lead, and before a stop, which ends the term', async () => {
  const put = vi.fn(async () => true);
  const notifier = open(put, [callback('https://a.example')], []);
  notifier.offerRun(ended.run.id);
  const term = new AbortController();
  notifier.start(term.signal);
  await vi.waitUntil(() => put.mock.calls.length === 1);
  notifier.offerRun(ended.run.id);
  const stopped = notifier.stop();
  term.abort();
  await stopped;
  expect(put).toHaveBeenCalledTimes(2);
});

it('queues no result that was offered an hour before the lead, because another daemon led', async () => {
  let nowMs = 10;
  const put = vi.fn(async () => true);
  const notifier = open(put, [callback('https://a.example')], [], () => nowMs);
  notifier.offerRun(ended.run.id);
  nowMs += 3_600_001;
  notifier.start(ENDLESS_TERM);
  await notifier.stop();
  expect(put).not.toHaveBeenCalled();
});

it('queues the results of the other runs if one cannot be read', async () => {
  const put = vi.fn(async () => true);
  await start(put, [callback('https://a.example')]);
  expect(put.mock.calls.map(([notice]: [NewNotice?]) => notice!.revision)).toEqual([
    expect.stringContaining(ended.run.id),
  ]);
});

it('queues the result of a run for the other targets if it cannot be queued for one', async () => {
  const put = vi.fn(async () => true).mockRejectedValueOnce(new Error('not stored'));
  await start(put, [callback('https://a.example'), callback('https://b.example')]);
  expect(put).toHaveBeenCalledTimes(2);
});

it('posts the next notification if one cannot be composed, which is retried later', async () => {
  const makeNotice = (id: string, report: object) =>
    ({
      id,
      revision: id,
      attempts: 0,
      createdAt: 10,
      dueAt: 0,
      report: { kind: 'run', ...report },
    }) as unknown as Notice;
  const report = { state: 'success', run: ended.run, place: null, finishedAt: 5 };
  const waiting = [makeNotice('broken', { ...report, run: null }), makeNotice('good', report)];
  const take = (id: string) =>
    waiting.splice(
      waiting.findIndex((notice) => notice.id === id),
      1,
    );
  const queue = {
    newest: async () => null,
    retryNow: async () => {},
    next: async () => waiting[0] ?? null,
    postpone: vi.fn(async (id: string) => void take(id)),
    settle: vi.fn(async (id: string) => void take(id)),
  };
  const parts = {
    queue,
    secrets: { resolve: async () => ({ outcome: 'found', value: { reveal: () => `whsec_${'A'.repeat(32)}` } }) },
    post: async () => ({ status: 201, headers: {}, body: '{}' }),
    onAttempted: () => {},
    metrics: { countNotice: () => {} },
    clock: { wallMs: () => 10, monotonicMs: () => 10 },
    schedule: () => () => {},
    logger: silentLogger,
  };
  const target = callback('https://a.example');
  const notifier = new TargetNotifier('payments', target, parts as unknown as TargetNotifierParts);
  await notifier.start(ENDLESS_TERM);
  await vi.waitFor(() => expect(queue.settle).toHaveBeenCalledWith('good', { problem: null, at: 10 }));
  const problem = 'it cannot be composed; see the log of the daemon';
  expect(queue.postpone).toHaveBeenCalledWith('broken', expect.objectContaining({ problem }));
  await notifier.stop(new AbortController().signal);
});
