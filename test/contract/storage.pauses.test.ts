import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const ALICE = { kind: 'local', id: 'usr_a', name: 'alice' } as const;

describe.each(STORAGES)('paused runs on $name', (kind) => {
  const opened = useStorage(kind);
  const pauses = () => opened.storage.pauses;
  const read = async (id: RunId) => (await opened.storage.runReader.get(id))!;
  const claim = async () => {
    const request = { factory: FACTORY, executor: 'command', limit: 10, at: START_MS };
    return (await opened.storage.runQueue.claim(request)).inputs.map(({ run }) => run.id);
  };
  const pause = (automation: string, reason: string | null = null) =>
    pauses().pause({ factory: FACTORY, automation, pausedAt: START_MS, pausedBy: ALICE, reason });

  let record: (automation: string) => Promise<RunId>;
  beforeEach(async () => {
    const automations = [buildAutomation({ name: 'fix' }), buildAutomation({ name: 'other' })];
    const applied = await applyFactory(opened.storage, { webhooks: [buildWebhook()], automations });
    let bodies = 0;
    record = async (automation) => {
      bodies += 1;
      const { version } = applied.automations.find(({ name }) => name === automation)!;
      const { ref } = applied.webhooks[0]!;
      const offer = buildOffer({ webhook: ref, body: `${bodies}`, runs: [{ automation, version }] });
      await opened.storage.deliveryLog.record([offer]);
      return offer.runs[0]!.id;
    };
  });

  it('of an automation wait, and start in their order when it is resumed', async () => {
    await pause('fix');
    const [first, other, second] = [await record('fix'), await record('other'), await record('fix')];
    expect(await claim()).toEqual([other]);
    expect(await read(first)).toMatchObject({ state: 'queued', gate: 'paused' });
    await pauses().resume({ factory: FACTORY, automation: 'fix' });
    expect(await claim()).toEqual([first, second]);
    await pauses().resume({ factory: FACTORY, automation: 'fix' });
    expect(await claim()).toEqual([]);
  });

  it('of a factory wait, also those of automations that are paused and resumed meanwhile', async () => {
    const run = await record('fix');
    await pause('', 'Too many pull requests');
    await pause('fix');
    expect(await claim()).toEqual([]);
    await pauses().resume({ factory: FACTORY, automation: 'fix' });
    expect(await claim()).toEqual([]);
    await pauses().resume({ factory: FACTORY, automation: '' });
    expect(await claim()).toEqual([run]);
  });

  it('are listed with who paused them and why; a second pause replaces the first', async () => {
    await pause('fix', 'one');
    await pause('fix', 'two');
    await pause('');
    const pause_ = { factory: FACTORY, pausedAt: START_MS, pausedBy: ALICE };
    expect(await pauses().list()).toEqual([
      { ...pause_, automation: '', reason: null },
      { ...pause_, automation: 'fix', reason: 'two' },
    ]);
  });

  it('of a renamed factory stay paused, and of a forgotten one are cancelled', async () => {
    await pause('fix');
    const run = await record('fix');
    await claim();
    await applyFactory(opened.storage, { factory: 'renamed' });
    await opened.storage.factoryNames.rename({ from: FACTORY, to: 'renamed', isHosted: false, at: START_MS });
    expect(await pauses().list()).toMatchObject([{ factory: 'renamed', automation: 'fix' }]);
    await opened.storage.factoryNames.forget('renamed', START_MS);
    expect(await pauses().list()).toEqual([]);
    expect(await read(run)).toMatchObject({ state: 'cancelled', gate: null });
  });
});
