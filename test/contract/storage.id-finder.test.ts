import { describe, expect, it } from 'vitest';
import type { FindableId } from '../../src/domain/ports/inventory.ts';
import { applyFactory, applyOneOfEach, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

describe.each(STORAGES)('finding IDs on $name', (kind) => {
  const opened = useStorage(kind);
  const find = async (prefix: string, factories: string[] | null = null, limit = 10) =>
    opened.storage.idFinder.find({ prefix: prefix as FindableId, factories, limit });

  /** A delivery and a run in `payments` and a delivery in `other`, all within one millisecond. */
  async function recordTwoFactories() {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const other = await applyFactory(opened.storage, {
      factory: 'other',
      webhooks: [buildWebhook({ factory: 'other' })],
    });
    const here = buildOffer({ webhook, key: 'a', runs: [{ automation: 'fix-errors', version }] });
    const there = buildOffer({ webhook: other.webhooks[0]!.ref, key: 'a' });
    await opened.storage.deliveryLog.record([here, there]);
    return { uid, otherUid: other.webhooks[0]!.uid, here: here.id, there: there.id, run: here.runs[0]!.id };
  }

  it('finds deliveries, runs, webhooks and reconciliations by their prefix', async () => {
    const { uid, here, run } = await recordTwoFactories();
    expect(await find(here)).toEqual([{ id: here, factory: FACTORY }]);
    expect(await find(run.slice(0, 28))).toEqual([{ id: run, factory: FACTORY }]);
    expect(await find(uid.slice(0, 20))).toEqual([{ id: uid, factory: FACTORY }]);
    const { data } = await opened.storage.reconciliationReader.list({ factory: FACTORY, limit: 1, cursor: null });
    expect(await find(data[0]!.id)).toEqual([{ id: data[0]!.id, factory: FACTORY }]);
  });

  it('lists all IDs with the prefix, most recent first, up to the limit', async () => {
    const { here, there } = await recordTwoFactories();
    const prefix = here.slice(0, 12);
    expect((await find(prefix)).map(({ id }) => id)).toEqual([there, here]);
    expect((await find(prefix, null, 1)).map(({ id }) => id)).toEqual([there]);
  });

  it('omits objects of other factories', async () => {
    const { here, there, run, otherUid } = await recordTwoFactories();
    expect((await find(here.slice(0, 12), [FACTORY])).map(({ id }) => id)).toEqual([here]);
    expect((await find(here.slice(0, 12), ['other'])).map(({ id }) => id)).toEqual([there]);
    expect(await find(run, ['other'])).toEqual([]);
    expect(await find(otherUid, [FACTORY])).toEqual([]);
  });

  it('finds nothing for another prefix with the same time', async () => {
    await recordTwoFactories();
    const unknown = START_MS.toString(32).padStart(10, 'z');
    expect(await find(`dlv_${unknown}`)).toEqual([]);
  });
});
