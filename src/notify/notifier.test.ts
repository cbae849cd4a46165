import { expect, it, vi } from 'vitest';
import { makeRunInput, silentLogger } from '../../test/helpers/command-runs.ts';
import { createIdSource } from '../core/ids.ts';
import type { NewNotice } from '../core/notice.ts';
import { Notifier, type NotifierParts } from './notifier.ts';
import type { NotifyTarget } from './notify-target.ts';

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

/** A daemon that starts after these two runs have ended. `put` stores an entry of the queue. */
async function start(put: (notice: NewNotice) => Promise<boolean>, targets: NotifyTarget[]): Promise<void> {
  const parts = {
    targets: new Map([[ended.run.factory, targets]]),
    queue: { newest: async () => null, retryNow: async () => {}, next: async () => null, put },
    inventory: { lastReconciliation: async () => null },
    runs: {
      list: async () => ({ data: [ended.run, unreadable.run], nextCursor: null }),
      get: async (id: string) => [ended, unreadable].find(({ run }) => run.id === id)!.run,
      input: async (id: string) => {
        if (id === unreadable.run.id) throw new Error('unreadable');
        return ended;
      },
    },
    clock: { wallMs: () => 10, monotonicMs: () => 10 },
    schedule: () => () => {},
    ids: createIdSource((size) => new Uint8Array(size).fill(7)),
    logger: silentLogger,
  };
  const notifier = new Notifier(parts as unknown as NotifierParts);
  notifier.start();
  await notifier.stop();
}

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
