import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const QUIET_MS = 30_000;

describe.each(STORAGES)('runs with debounce on $name', (kind) => {
  const opened = useStorage(kind);
  const queue = () => opened.storage.runQueue;
  const read = async (id: RunId) => (await opened.storage.runReader.get(id))!;
  const claim = (at: number) => queue().claim({ factory: FACTORY, executor: 'command', limit: 10, at });
  const claimIds = async (at: number) => (await claim(at)).inputs.map(({ run }) => run.id);

  let webhook: number;
  let version: number;
  beforeEach(async () => {
    webhook = (await applyFactory(opened.storage, { webhooks: [buildWebhook()] })).webhooks[0]!.ref;
  });

  async function declare(policy: Parameters<typeof buildAutomation>[0]): Promise<void> {
    const automations = [buildAutomation({ debounce: '30s', ...policy })];
    version = (await applyFactory(opened.storage, { automations })).automations[0]!.version;
  }

  /** Records a delivery with a run for this key. */
  async function record(concurrencyKey: string, at: number): Promise<RunId> {
    const runs = [{ automation: 'fix-errors', version, concurrencyKey }];
    const offer = buildOffer({ webhook, body: `${at}`, at, runs });
    await opened.storage.deliveryLog.record([offer]);
    return offer.runs[0]!.id;
  }

  it('start when their key was quiet, with the latest payload and the list of the other deliveries', async () => {
    await declare({});
    const first = await record('[1]', START_MS);
    expect(await claim(START_MS)).toMatchObject({ inputs: [], nextAt: START_MS + QUIET_MS });
    expect(await read(first)).toMatchObject({ state: 'queued', gate: 'debounce', notBefore: START_MS + QUIET_MS });
    const second = await record('[1]', START_MS + 20_000);
    const other = await record('[2]', START_MS + 20_001);
    const latest = await record('[1]', START_MS + 40_000);
    const { ended } = await queue().admit({ factory: FACTORY, at: START_MS + 40_000 });
    expect(ended).toEqual([first, second]);
    expect(await read(first)).toMatchObject({ state: 'cancelled', error: 'superseded', supersededBy: second });
    expect(await claimIds(START_MS + 50_001)).toEqual([other]);
    expect(await claimIds(START_MS + 69_999)).toEqual([]);
    const { inputs } = await claim(START_MS + 70_000);
    expect(inputs.map(({ run }) => run.id)).toEqual([latest]);
    expect(Buffer.from(inputs[0]!.payload).toString()).toBe(`${START_MS + 40_000}`);
    expect(inputs[0]!.standsFor).toMatchObject({ count: 2, deliveries: [{ run: second }, { run: first }] });
    expect(inputs[0]!.standsFor.deliveries[1]!.delivery).toBe((await read(first)).delivery);
  });

  it('start once if the quiet time of all of them has passed before the next claim, as after a downtime', async () => {
    await declare({});
    const first = await record('[1]', START_MS);
    await queue().admit({ factory: FACTORY, at: START_MS });
    const second = await record('[1]', START_MS + 100);
    const { inputs, ended } = await claim(START_MS + 2 * QUIET_MS);
    expect(inputs.map(({ run }) => run.id)).toEqual([second]);
    expect(ended).toEqual([first]);
    expect(inputs[0]!.standsFor).toMatchObject({ count: 1, deliveries: [{ run: first }] });
    expect(await claimIds(START_MS + 4 * QUIET_MS)).toEqual([]);
  });

  it('do not replace a run whose quiet time has passed', async () => {
    await declare({});
    const first = await record('[1]', START_MS);
    const { nextAt } = await claim(START_MS);
    expect(nextAt).toBe(START_MS + QUIET_MS);
    expect(await claimIds(START_MS + QUIET_MS)).toEqual([first]);
    const second = await record('[1]', START_MS + QUIET_MS);
    await queue().admit({ factory: FACTORY, at: START_MS + QUIET_MS });
    expect(await claimIds(START_MS + QUIET_MS * 2)).toEqual([second]);
    expect(await read(first)).toMatchObject({ state: 'running', supersededBy: null });
  });

  it('do not replace a run whose quiet time has passed while no slot was free', async () => {
    await declare({});
    const early = await record('[1]', START_MS);
    const first = await record('[1]', START_MS + 1);
    await queue().admit({ factory: FACTORY, at: START_MS + 1 });
    expect(await read(early)).toMatchObject({ state: 'cancelled', supersededBy: first });
    const second = await record('[1]', START_MS + 1 + QUIET_MS);
    const third = await record('[1]', START_MS + 2 * QUIET_MS);
    const { ended } = await queue().admit({ factory: FACTORY, at: START_MS + 2 * QUIET_MS });
    expect(ended).toEqual([second]);
    expect(await read(second)).toMatchObject({ error: 'superseded', supersededBy: third });
    expect(await claimIds(START_MS + 2 * QUIET_MS)).toEqual([first]);
    expect(await claimIds(START_MS + 3 * QUIET_MS)).toEqual([third]);
  });

  it('follow their concurrency after the quiet time', async () => {
    await declare({ concurrency: { key: 'pr', mode: 'skip' } });
    const first = await record('[1]', START_MS);
    expect(await claimIds(START_MS)).toEqual([]);
    expect(await claimIds(START_MS + QUIET_MS)).toEqual([first]);
    const second = await record('[1]', START_MS + QUIET_MS);
    await claim(START_MS + QUIET_MS);
    expect(await read(second)).toMatchObject({ state: 'queued', gate: 'debounce' });
    expect(await claim(START_MS + 2 * QUIET_MS)).toMatchObject({ inputs: [], ended: [second] });
    expect(await read(second)).toMatchObject({ state: 'cancelled', error: 'skipped' });
  });
});
