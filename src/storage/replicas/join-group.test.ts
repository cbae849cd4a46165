import { expect, it } from 'vitest';
import type { Logger } from '../../domain/ports/logger.ts';
import type { GroupEvent, Replica, ReplicaMessage } from '../../domain/ports/replicas.ts';
import { JoinedGroup } from './join-group.ts';

const ADDRESSES = { adminUrl: 'http://127.0.0.1:1', ingressUrl: 'http://127.0.0.1:2' };

const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

it('serves what the earlier leader applied last before it begins to lead, and begins once', async () => {
  const steps: string[] = [];
  let isReachable = true;
  let versions: Record<string, number> = { payments: 1 };
  let report!: (event: GroupEvent) => void;
  const group = new JoinedGroup({
    replicas: {
      list: async () => [],
      describe: async () => {},
      announce: async () => {},
      liveVersions: async () => {
        if (!isReachable) throw new Error('no connection');
        return versions;
      },
      changesSince: async () => ({ version: 0, change: null }),
    },
    listen: (listener) => {
      report = listener;
    },
    self: { name: 'a', version: '1', startedAt: 0 },
    onMessage: () => {},
    onRenewed: () => {},
    onReconnected: () => {},
    logger,
  });
  await group.beginFollowing(async (factory, { stored }) => {
    steps.push(`serve ${factory}`);
    return stored;
  });
  const begun = new Promise<void>((resolve) => {
    group.onLead(() => {
      steps.push('lead');
      resolve();
    });
  });
  versions = { payments: 2 };
  isReachable = false;
  report({ event: 'leading', epoch: 2 });
  expect(group.isLeader).toBe(true);
  setTimeout(() => {
    isReachable = true;
  }, 50);
  await begun;
  report({ event: 'leading', epoch: 2 });
  expect(steps).toEqual(['serve payments', 'lead']);
  await group.stop();
});

it('begins to lead only after a check that began when it led', async () => {
  const steps: string[] = [];
  let report!: (event: GroupEvent) => void;
  let answer = (_versions: Record<string, number>) => {};
  const group = new JoinedGroup({
    replicas: {
      list: async () => [],
      describe: async () => {},
      announce: async () => {},
      liveVersions: () =>
        new Promise((resolve) => {
          steps.push('read');
          answer = resolve;
        }),
      changesSince: async () => ({ version: 0, change: null }),
    },
    listen: (listener) => {
      report = listener;
    },
    self: { name: 'a', version: '1', startedAt: 0 },
    onMessage: () => {},
    onRenewed: () => {},
    onReconnected: () => {},
    logger,
  });
  const began = new Promise<void>((resolve) => {
    group.onLead(() => {
      steps.push('lead');
      resolve();
    });
  });
  const started = group.start(ADDRESSES);
  await expect.poll(() => steps).toEqual(['read']);
  report({ event: 'leading', epoch: 2 });
  answer({});
  await expect.poll(() => steps.length).toBe(2);
  answer({});
  await Promise.all([began, started]);
  expect(steps).toEqual(['read', 'read', 'lead']);
  await group.stop();
});

it('reports that it joined, and counts a replica that joins without waiting for the next check', async () => {
  const sent: ReplicaMessage[] = [];
  const listed: Replica[] = [listReplica('a', true)];
  let report!: (event: GroupEvent) => void;
  const group = new JoinedGroup({
    replicas: {
      list: async () => listed,
      describe: async () => {},
      announce: async (message) => void sent.push(message),
      liveVersions: async () => ({}),
      changesSince: async () => ({ version: 0, change: null }),
    },
    listen: (listener) => {
      report = listener;
    },
    self: { name: 'a', version: '1', startedAt: 0 },
    onMessage: () => {},
    onRenewed: () => {},
    onReconnected: () => {},
    logger,
  });
  await group.start(ADDRESSES);
  expect(sent).toEqual([{ kind: 'joined' }]);
  expect(group.size).toBe(1);
  listed.push(listReplica('b', false));
  report({ event: 'received', from: 'b', message: { kind: 'joined' } });
  // The next check follows after 2 s.
  await expect.poll(() => group.size, { timeout: 1000 }).toBe(2);
  await group.stop();
});

function listReplica(id: string, isLeader: boolean): Replica {
  return { id, isLeader, seenMsAgo: 0, name: id, version: '1', startedAt: 0, live: {}, ...ADDRESSES };
}
