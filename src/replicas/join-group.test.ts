import { expect, it } from 'vitest';
import type { Logger } from '../core/ports/logger.ts';
import type { GroupEvent } from '../core/ports/replicas.ts';
import { JoinedGroup } from './join-group.ts';

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
    follow: async (factory, { stored }) => {
      steps.push(`serve ${factory}`);
      return stored;
    },
    onMessage: () => {},
    onRenewed: () => {},
    onReconnected: () => {},
    logger,
  });
  await group.beginFollowing();
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
