import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/helpers/command-runs.ts';
import type { FactoryView } from '../../domain/applies/reconciliation.ts';
import type { Failing, InventoryReader } from '../../domain/ports/inventory.ts';
import { addLiveConditions } from './add-live-conditions.ts';
import { createLiveConditions, describeTrouble, describeUnposted } from './live-conditions.ts';

const FACTORY = { name: 'payments', appliedAt: 5, attemptedAt: 6, conditions: [] } as unknown as FactoryView;
const NOTHING_FAILS: Failing = { webhooks: [], automations: [] };

/** The conditions of a factory in order, with what this test changes. */
async function describeWith({
  startFailure = null as { problem: string; since: number } | null,
  recordFailure = null as { problem: string; since: number } | null,
  notifyFailures = [] as { target: string; what: string; problem: string; since: number }[],
  failing = NOTHING_FAILS as unknown,
  automations = 1,
  canStart = true,
  isConfigured = true,
} = {}) {
  const inventory = {
    factories: async () => [FACTORY],
    failing: async () => failing,
    counts: async () => ({ automations }),
  } as unknown as InventoryReader;
  const dispatcher = { startFailure: () => startFailure, recordFailure: () => recordFailure };
  const conditions = createLiveConditions({
    config: { factories: [FACTORY] },
    collect: (factory) => [
      ...describeTrouble(dispatcher, factory),
      ...describeUnposted(factory === null ? [] : notifyFailures),
    ],
    nowMs: () => 10,
    logger: silentLogger,
  });
  const live = addLiveConditions(inventory, {
    conditions,
    runSecrets: { conditionsOf: async () => [] } as never,
    registry: { canStart: () => canStart },
    isConfigured: () => isConfigured,
  });
  const [factory] = await live.factories();
  return factory!.conditions;
}

it('adds nothing to a factory in order', async () => {
  expect(await describeWith()).toEqual([]);
});

it.each([
  [
    'runs that cannot start',
    { startFailure: { problem: 'spawn EAGAIN', since: 7 } },
    'RunsNotStarting',
    'spawn EAGAIN',
  ],
  ['ends that are not recorded', { recordFailure: { problem: 'it is locked', since: 7 } }, 'RunsNotRecorded', 'locked'],
  ['automations that cannot start', { canStart: false, automations: 1 }, 'NothingStarts', 'its automation cannot'],
])('reports %s, and the reason', async (_title, facts, type, text) => {
  const since = type === 'NothingStarts' ? 5 : 7;
  expect(await describeWith(facts)).toEqual([
    { type, status: 'True', reason: expect.any(String), message: expect.stringContaining(text), since },
  ]);
});

it('does not report a factory without automations as idle', async () => {
  expect(await describeWith({ canStart: false, automations: 0 })).toEqual([]);
});

it('reports targets of statuses since the first failure', async () => {
  const failure = { target: 'github a/b', what: 'the status', problem: 'HTTP 401' };
  const notifyFailures = [9, 8].map((since) => Object.assign({ since }, failure));
  expect(await describeWith({ notifyFailures })).toMatchObject([{ type: 'NotifyFailing', since: 8 }]);
});

it('reports failing credentials and runs of this factory since their first failure', async () => {
  const traffic = { lastAcceptedAt: null, credentialFailure: { since: 3, lastAt: 4, count: 3, reason: null } };
  const results = { failedInARow: 3, failingSince: 2 };
  const failing = {
    webhooks: ['payments', 'other'].map((factory) => ({ factory, name: 'ci', traffic })),
    automations: ['payments', 'other'].map((factory) => ({ factory, name: 'fix', results })),
  };
  expect(await describeWith({ failing })).toMatchObject([
    { type: 'CredentialsFailing', since: 3, message: expect.stringContaining('ci: 3 rejected') },
    { type: 'RunsFailing', since: 2, message: expect.stringContaining('fix: 3 since') },
  ]);
});

it('shows of a factory that is not configured only that', async () => {
  const startFailure = { problem: 'spawn EAGAIN', since: 7 };
  expect(await describeWith({ isConfigured: false, startFailure })).toMatchObject([
    { type: 'Ready', status: 'False', reason: 'NotConfigured', since: 6 },
  ]);
});
