import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { RunResult } from '../../src/domain/resources/run.ts';
import { NO_RESULTS, type RunResults } from '../../src/domain/runs/run-results.ts';
import { applyFactory, applyOneOfEach, buildAutomation, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const POLICY = { deliveriesMs: 1, minDeliveries: 0, identitiesMs: 1, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };
const AUTOMATION = 'fix-errors';
const ACTOR = { kind: 'local', id: 'usr_a', name: 'alice' } as const;

describe.each(STORAGES)('the results of the runs of an automation on $name', (kind) => {
  const opened = useStorage(kind);
  let webhook: number;
  let version: number;
  let seconds = 0;

  beforeEach(async () => {
    ({ webhook, version } = await applyOneOfEach(opened.storage));
    seconds = 0;
  });

  const queue = () => opened.storage.runQueue;
  const at = (second: number) => START_MS + second * 1000;
  const results = async (): Promise<RunResults> =>
    (await opened.storage.inventoryReader.automation(FACTORY, AUTOMATION))!.results;
  const failedAutomations = () => opened.storage.inventoryReader.failedAutomations(FACTORY, 10);

  async function create(): Promise<RunId> {
    const offer = buildOffer({ webhook, at: at(seconds), runs: [{ automation: AUTOMATION, version }] });
    await opened.storage.deliveryLog.record([offer]);
    return offer.runs[0]!.id;
  }

  /** Claims the oldest queued run and ends it a second after the run before. */
  async function end(state: RunResult['state']): Promise<RunId> {
    seconds += 1;
    const {
      inputs: [claimed],
    } = await queue().claim({ factory: FACTORY, executor: 'command', limit: 1, at: at(seconds) });
    const { id, attempt } = claimed!.run;
    await queue().finish({ id, attempt, result: { state, error: null, exitCode: null }, at: at(seconds) });
    return id;
  }

  async function endAll(...states: RunResult['state'][]): Promise<RunId> {
    let last: RunId | null = null;
    for (const state of states) {
      await create();
      last = await end(state);
    }
    return last!;
  }

  it('are empty until a run ends', async () => {
    await create();
    expect(await results()).toEqual(NO_RESULTS);
    expect(await failedAutomations()).toEqual([]);
  });

  it('count the failed ones, and those that failed in a row with the time of the first', async () => {
    const last = await endAll('failed', 'succeeded', 'failed', 'failed');
    const expected = {
      lastRun: { id: last, state: 'failed', finishedAt: at(4) },
      recent: 4,
      recentFailed: 3,
      failedInARow: 2,
      failingSince: at(3),
    };
    expect(await results()).toEqual(expected);
    expect(await opened.storage.inventoryReader.automations(FACTORY)).toMatchObject([{ results: expected }]);
    expect(await failedAutomations()).toEqual([{ automation: AUTOMATION, results: expected }]);
    await endAll('succeeded');
    expect(await results()).toMatchObject({ recent: 5, recentFailed: 3, failedInARow: 0, failingSince: null });
  });

  it('cover the last 20 runs', async () => {
    await endAll(...Array<'failed'>(5).fill('failed'), ...Array<'succeeded'>(18).fill('succeeded'));
    expect(await results()).toMatchObject({ recent: 20, recentFailed: 2 });
    await endAll('succeeded', 'succeeded');
    expect(await results()).toMatchObject({ recent: 20, recentFailed: 0 });
    expect(await failedAutomations()).toEqual([]);
  });

  it('have a cancelled run as the last one only', async () => {
    await endAll('failed');
    const id = await create();
    await queue().cancelQueued({ id, at: at(9) });
    expect(await results()).toEqual({
      lastRun: { id, state: 'cancelled', finishedAt: at(9) },
      recent: 1,
      recentFailed: 1,
      failedInARow: 1,
      failingSince: at(1),
    });
  });

  it('count a run again when its retry ends, not while it waits', async () => {
    const id = await endAll('failed');
    await queue().retry({ id, requestedBy: ACTOR, at: at(5) });
    expect(await results()).toMatchObject({ recent: 1, recentFailed: 1, failedInARow: 1 });
    await end('succeeded');
    expect(await results()).toMatchObject({ recent: 2, recentFailed: 1, failedInARow: 0 });
  });

  it('outlive a restart and the runs', async () => {
    await endAll('succeeded', 'failed');
    const before = await results();
    await opened.reopen();
    while ((await opened.storage.retention.prune(POLICY, at(100_000_000))).more);
    const page = { factory: FACTORY, limit: 9, cursor: null };
    expect((await opened.storage.runReader.list(page)).data).toEqual([]);
    expect(await results()).toEqual(before);
  });

  it('come with the number of all ended runs, in pages', async () => {
    const totals = opened.storage.inventoryReader.runTotals;
    await endAll(...Array<'succeeded'>(22).fill('succeeded'), 'failed', 'failed');
    await queue().cancelQueued({ id: await create(), at: at(99) });
    const ended = { succeeded: 22, failed: 2, cancelled: 1 };
    const expected = { factory: FACTORY, automation: AUTOMATION, ended, recentFailed: 2 };
    expect(await totals(null, 10)).toEqual([expected]);
    expect(await totals({ factory: FACTORY, automation: 'a' }, 10)).toEqual([expected]);
    expect(await totals({ factory: FACTORY, automation: AUTOMATION }, 10)).toEqual([]);
    expect(await totals(null, 0)).toEqual([]);
  });

  it('end with the automation', async () => {
    await endAll('failed');
    await create();
    await applyFactory(opened.storage, { deleteAutomations: [AUTOMATION] });
    expect(await failedAutomations()).toEqual([]);
    await end('failed');
    expect(await failedAutomations()).toEqual([]);
    await applyFactory(opened.storage, { automations: [buildAutomation()] });
    expect(await results()).toEqual(NO_RESULTS);
  });

  it('follow the factory to its new name, and end when it is forgotten', async () => {
    await endAll('failed');
    const before = await results();
    const { factoryNames, inventory, inventoryReader } = opened.storage;
    await inventory.register('shop', at(1));
    expect(await factoryNames.rename({ from: FACTORY, to: 'shop', isHosted: false, at: at(2) })).toEqual({
      kind: 'ok',
    });
    expect((await inventoryReader.automation('shop', AUTOMATION))!.results).toEqual(before);
    expect(await factoryNames.forget('shop', at(3))).toMatchObject({ kind: 'ok' });
    expect(await inventoryReader.runTotals(null, 10)).toEqual([]);
  });

  it('survive a change of the automation', async () => {
    await endAll('failed');
    await applyFactory(opened.storage, { automations: [buildAutomation({ prompt: 'Fix it better.' })] });
    expect(await results()).toMatchObject({ recent: 1, recentFailed: 1 });
  });

  it('come with the age of the oldest queued run of each automation', async () => {
    expect(await opened.storage.runReader.oldestQueued(FACTORY)).toEqual([]);
    await create();
    seconds = 7;
    await create();
    const oldest = [{ automation: AUTOMATION, createdAt: at(0) }];
    expect(await opened.storage.runReader.oldestQueued(FACTORY)).toEqual(oldest);
    await end('succeeded');
    expect(await opened.storage.runReader.oldestQueued(FACTORY)).toEqual([
      { automation: AUTOMATION, createdAt: at(7) },
    ]);
    expect(await opened.storage.runReader.oldestQueued('other')).toEqual([]);
  });
});
