import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { BudgetPolicy, BudgetTerms } from '../../src/domain/runs/run-policy.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const HOUR_MS = 3_600_000;
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;
const NOT_STARTED = { state: 'failed', error: 'no memory', exitCode: null } as const;

describe.each(STORAGES)('runs with a budget on $name', (kind) => {
  const opened = useStorage(kind);
  const queue = () => opened.storage.runQueue;
  const read = async (id: RunId) => (await opened.storage.runReader.get(id))!;
  const claim = (at: number, budget: BudgetTerms | null = null, limit = 10) =>
    queue().claim({ factory: FACTORY, executor: 'command', limit, at, budget });
  const claimIds = async (...args: Parameters<typeof claim>) => (await claim(...args)).inputs.map(({ run }) => run.id);

  let webhook: number;
  const versions = new Map<string, number>();
  let bodies = 0;
  beforeEach(async () => {
    webhook = (await applyFactory(opened.storage, { webhooks: [buildWebhook()] })).webhooks[0]!.ref;
  });

  async function declare(budget: BudgetPolicy | null, more: Parameters<typeof buildAutomation>[0] = {}): Promise<void> {
    const automations = ['fix-errors', 'other'].map((name) => {
      return buildAutomation({ name, ...(name === 'other' ? {} : { budget, ...more }) });
    });
    const applied = await applyFactory(opened.storage, { automations });
    for (const { name, version } of applied.automations) versions.set(name, version);
  }

  async function record(...automations: string[]): Promise<RunId[]> {
    const offers = automations.map((automation) => {
      bodies += 1;
      return buildOffer({ webhook, body: `${bodies}`, runs: [{ automation, version: versions.get(automation)! }] });
    });
    await opened.storage.deliveryLog.record(offers);
    return offers.map((offer) => offer.runs[0]!.id);
  }

  const fix = (count: number) => record(...Array<string>(count).fill('fix-errors'));

  it('are counted, with the limit of the live version, as long as their starts count', async () => {
    const { runReader } = opened.storage;
    const budgets = (at: number, limit = 10) => runReader.automationBudgets({ at, limit });
    expect(await budgets(START_MS)).toEqual([]);
    await declare({ runs: 3, per: '1h' });
    await fix(2);
    await record('other');
    const ofFactory = { runs: 9, perMs: HOUR_MS, over: 'queue' } as const;
    await claim(START_MS, ofFactory);
    const spent = { factory: FACTORY, automation: 'fix-errors', limit: 3 };
    expect(await budgets(START_MS + HOUR_MS - 1)).toEqual([{ ...spent, used: 2 }]);
    expect(await budgets(START_MS + HOUR_MS)).toEqual([{ ...spent, used: 0 }]);
    expect(await budgets(START_MS, 0)).toEqual([]);
    const starts = (at: number) => runReader.factoryStarts({ factory: FACTORY, at, perMs: HOUR_MS });
    expect([await starts(START_MS + HOUR_MS - 1), await starts(START_MS + HOUR_MS)]).toEqual([3, 0]);
    await declare({ runs: 2, per: '1h' });
    expect(await budgets(START_MS)).toEqual([{ ...spent, limit: 2, used: 2 }]);
    await declare(null);
    expect(await budgets(START_MS)).toEqual([]);
  });

  it('wait until the budget allows another start, oldest first, and do not keep others from starting', async () => {
    await declare({ runs: 2, per: '1h' });
    const [first, second, third, fourth, fifth] = (await fix(5)) as [RunId, RunId, RunId, RunId, RunId];
    const [other] = await record('other');
    expect(await claimIds(START_MS, null, 1)).toEqual([first]);
    const claimed = await claim(START_MS + 1000);
    expect(claimed.inputs.map(({ run }) => run.id)).toEqual([second, other]);
    expect(claimed.nextAt).toBe(START_MS + HOUR_MS);
    expect(await read(third)).toMatchObject({ state: 'queued', gate: 'budget', notBefore: START_MS + HOUR_MS });
    const [newest] = await fix(1);
    expect(await claimIds(START_MS + HOUR_MS - 1)).toEqual([]);
    expect(await claim(START_MS + HOUR_MS)).toMatchObject({ inputs: [{ run: { id: third } }] });
    expect(await claimIds(START_MS + HOUR_MS + 1000)).toEqual([fourth]);
    expect(await claimIds(START_MS + 3 * HOUR_MS)).toEqual([fifth, newest]);
  });

  it('have a position among those that wait for the budget', async () => {
    await declare({ runs: 1, per: '1h' });
    const runs = await fix(3);
    expect(await claimIds(START_MS)).toEqual([runs[0]]);
    const waiting = runs.slice(1);
    const positions = await opened.storage.runReader.queuePositions({ factory: FACTORY, runs: waiting });
    expect(waiting.map((run) => positions.get(run))).toEqual([1, 2]);
  });

  it('start after a cancelled one that waited before them', async () => {
    await declare({ runs: 1, per: '1h' });
    const [first, second, third] = (await fix(3)) as [RunId, RunId, RunId];
    expect(await claimIds(START_MS)).toEqual([first]);
    await queue().cancelQueued({ id: second, at: START_MS });
    expect(await claimIds(START_MS + HOUR_MS)).toEqual([third]);
    expect(await claim(START_MS + HOUR_MS)).toMatchObject({ inputs: [] });
  });

  it('end without a start with over: skip, and can be retried', async () => {
    await declare({ runs: 1, per: '1h', over: 'skip' });
    const [first, second] = (await fix(2)) as [RunId, RunId];
    expect(await claim(START_MS)).toMatchObject({ inputs: [{ run: { id: first } }], ended: [second] });
    expect(await read(second)).toMatchObject({ state: 'cancelled', error: 'over_budget' });
    const requestedBy = { kind: 'local', id: 'usr_a', name: 'alice' } as const;
    expect(await queue().retry({ id: second, requestedBy, at: START_MS })).toBe('queued');
    expect(await claimIds(START_MS + HOUR_MS)).toEqual([second]);
  });

  it('count each attempt that started, and none that did not', async () => {
    await declare({ runs: 2, per: '1h' }, { retry: { maxAttempts: 3, backoff: '1s' } });
    const [first, second] = (await fix(2)) as [RunId, RunId];
    expect(await claimIds(START_MS, null, 1)).toEqual([first]);
    await queue().release({ id: first, attempt: 1 });
    expect(await claimIds(START_MS + 1, null, 1)).toEqual([first]);
    await queue().retryFailed({ id: first, attempt: 1, error: 'no memory', at: START_MS + 2 });
    expect(await claimIds(START_MS + 3, null, 1)).toEqual([first]);
    await queue().finish({ id: first, attempt: 2, result: NOT_STARTED, at: START_MS + 4 });
    expect(await claimIds(START_MS + 10_000)).toEqual([first]);
    expect(await read(second)).toMatchObject({ state: 'queued', gate: 'budget', notBefore: START_MS + HOUR_MS + 3 });
    expect(await claimIds(START_MS + HOUR_MS + 3)).toEqual([second]);
  });

  it('of a factory with a budget wait together', async () => {
    await declare(null);
    const budget: BudgetTerms = { runs: 2, perMs: HOUR_MS, over: 'queue' };
    const [first, second, third] = (await record('fix-errors', 'other', 'other')) as [RunId, RunId, RunId];
    expect(await claimIds(START_MS, budget)).toEqual([first, second]);
    const opensAt = START_MS + HOUR_MS;
    expect(await claim(START_MS + 1, budget)).toMatchObject({ inputs: [], nextAt: opensAt, budgetOpensAt: opensAt });
    expect(await read(third)).toMatchObject({ state: 'queued', gate: null });
    await queue().finish({ id: first, attempt: 1, result: SUCCEEDED, at: START_MS + 1 });
    expect(await claimIds(START_MS + 1, budget)).toEqual([]);
    expect(await claimIds(opensAt, budget)).toEqual([third]);

    const [fourth] = await record('other');
    const skip: BudgetTerms = { ...budget, runs: 1, over: 'skip' };
    expect(await claim(opensAt + 1, skip)).toMatchObject({ inputs: [], ended: [fourth] });
    expect(await read(fourth!)).toMatchObject({ state: 'cancelled', error: 'over_budget' });
  });

  it('do not wait behind each other when the budget of one automation is spent', async () => {
    await declare({ runs: 1, per: '1h' });
    await fix(600);
    const [other] = await record('other');
    const ids: RunId[] = [];
    for (let claims = 0; claims < 5 && !ids.includes(other!); claims += 1) ids.push(...(await claimIds(START_MS)));
    expect(ids).toHaveLength(2);
  });
});
