import { expect, it } from 'vitest';
import type { Condition } from '../../../domain/applies/reconciliation.ts';
import type { RuleSources } from './finding.ts';
import { APPLY_FAILED, NOTIFY_FAILING } from './installation-rules.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 1_767_000_000_000;
const THRESHOLD_MS = 15 * MINUTE_MS;

function find(failingForMs: number | null, isActive: boolean) {
  const failure = { target: 'github team/factory', what: 'the pull requests could not be listed', problem: 'why' };
  const sources = {
    notifyFailures: () => (failingForMs === null ? [] : [{ ...failure, since: NOW_MS - failingForMs }]),
    isActive: () => isActive,
    nowMs: () => NOW_MS,
  } as Partial<RuleSources> as RuleSources;
  if (NOTIFY_FAILING.scope === 'all') throw new Error('the rule is about a factory');
  return NOTIFY_FAILING.find(sources, THRESHOLD_MS, 'payments');
}

it('notifyFailing finds a target that has failed for the threshold', async () => {
  expect(await find(THRESHOLD_MS, false)).toEqual([
    {
      factory: 'payments',
      object: null,
      objectId: null,
      summary: 'github team/factory: the pull requests could not be listed: why.',
    },
  ]);
  expect(await find(THRESHOLD_MS - 1, false)).toEqual([]);
});

it('notifyFailing keeps an alert of before a restart, which does not know since when the target fails', async () => {
  expect(await find(0, true)).toHaveLength(1);
  expect(await find(null, true)).toEqual([]);
});

it.each([
  ['was never applied and waits for a secret', 'False', 'NothingApplied', 'SecretMissing', 0],
  ['was never applied and is invalid', 'False', 'NothingApplied', 'ValidationFailed', 1],
  ['is live and lacks a secret of its next revision', 'True', 'DefinitionLive', 'SecretMissing', 1],
] as const)('applyFailed of a factory that %s', async (_what, status, ready, reason, count) => {
  const conditions: Condition[] = [
    { type: 'Ready', status, reason: ready, message: '', since: NOW_MS },
    { type: 'Reconciled', status: 'False', reason, message: '', since: NOW_MS },
  ];
  const sources: Partial<RuleSources> = { factories: async () => [{ name: 'payments', conditions }] };
  if (APPLY_FAILED.scope !== 'all') throw new Error('the rule is about all factories');
  expect(await APPLY_FAILED.find(sources as RuleSources, true)).toHaveLength(count);
});
