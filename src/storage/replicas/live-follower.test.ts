import { expect, it } from 'vitest';
import type { Logger } from '../../domain/ports/logger.ts';
import { LiveFollower } from './live-follower.ts';

const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

function open(versions: Record<string, number>) {
  const served: string[] = [];
  const state = { versions, served, reads: 0, changes: 0, broken: '' };
  const follower = new LiveFollower({
    replicas: {
      liveVersions: async () => {
        state.reads += 1;
        return { ...state.versions };
      },
    },
    follow: async (factory, { served: since, stored }) => {
      if (factory === state.broken) throw new Error('broken');
      served.push(`${factory} after ${since}`);
      return stored;
    },
    onChanged: () => {
      state.changes += 1;
    },
    logger,
  });
  follower.begin(versions);
  return { state, follower };
}

it('serves only the factories that changed elsewhere', async () => {
  const { state, follower } = open({ payments: 1, shop: 4 });
  await follower.check();
  expect(state.served).toEqual([]);
  state.versions = { payments: 1, shop: 5, new: 1 };
  await follower.check();
  expect(state.served).toEqual(['shop after 4', 'new after 0']);
  expect(follower.served).toEqual({ payments: 1, shop: 5, new: 1 });
  expect(state.changes).toBe(1);
});

it('serves the other factories if one cannot be served, and that one as soon as it can be', async () => {
  const { state, follower } = open({});
  state.versions = { broken: 1, shop: 1 };
  state.broken = 'broken';
  await expect(follower.check()).rejects.toThrow('broken');
  expect(follower.served).toEqual({ shop: 1 });
  expect(state.changes).toBe(1);
  state.broken = '';
  await follower.check();
  expect(follower.served).toEqual({ broken: 1, shop: 1 });
});

it('does not serve its own changes again, but those that others made meanwhile', async () => {
  const { state, follower } = open({ payments: 1 });
  follower.noteOwn('payments', 2);
  state.versions = { payments: 2 };
  await follower.check();
  expect(state.served).toEqual([]);
  follower.noteOwn('payments', 4);
  state.versions = { payments: 4 };
  await follower.check();
  expect(state.served).toEqual(['payments after 2']);
});

it('shares one read between calls that arrive during a check', async () => {
  const { state, follower } = open({});
  await Promise.all([follower.check(), follower.check(), follower.check()]);
  expect(state.reads).toBeLessThanOrEqual(2);
});
