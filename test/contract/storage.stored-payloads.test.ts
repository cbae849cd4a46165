import { describe, expect, it } from 'vitest';
import type { WebhookUid } from '../../src/domain/ids.ts';
import { applyFactory, buildWebhook } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

describe.each(STORAGES)('stored payloads in bulk on $name', (kind) => {
  const opened = useStorage(kind);

  /** Ten accepted deliveries for `a`, one per second, each followed by a rejection and a delivery for `b`. */
  async function recordTen(bodyOf = (place: number) => JSON.stringify({ place })) {
    const { webhooks } = await applyFactory(opened.storage, {
      webhooks: [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })],
    });
    const [a, b] = webhooks as [(typeof webhooks)[0], (typeof webhooks)[0]];
    const batch = Array.from({ length: 10 }, (_, place) => {
      const at = START_MS + place * 1000;
      const offer = buildOffer({ webhook: a.ref, at, body: bodyOf(place) });
      return [offer, buildRejection({ webhook: a.ref, at }), buildOffer({ webhook: b.ref, at })];
    }).flat();
    await opened.storage.deliveryLog.record(batch);
    return a.uid;
  }

  const listKeys = (webhook: WebhookUid, more: { since?: number; before?: number | null; limit?: number } = {}) =>
    opened.storage.storedPayloads.keys({ webhook, since: 0, before: null, limit: 100, ...more });
  const read = async (keys: number[], maxBytes = 1_000_000) => {
    const { taken, payloads } = await opened.storage.storedPayloads.read(keys, maxBytes);
    const places = payloads.map(({ body }) => JSON.parse(Buffer.from(body).toString()).place as number);
    return { taken, places: places.sort((one, other) => one - other), payloads };
  };

  it('are found newest first, only accepted ones of that webhook, in pieces', async () => {
    const uid = await recordTen();
    const all = await listKeys(uid);
    expect(all).toHaveLength(10);
    expect(all).toEqual(all.toSorted((one, other) => other - one));
    const first = await listKeys(uid, { limit: 4 });
    expect([...first, ...(await listKeys(uid, { before: first.at(-1)! }))]).toEqual(all);
    const { payloads } = await read(all.slice(0, 1));
    expect(payloads).toMatchObject([{ webhook: uid, receivedAt: START_MS + 9000 }]);
    expect(payloads[0]!.id).toMatch(/^dlv_/);
  });

  it.each([
    [START_MS - 1, 10],
    [START_MS, 10],
    [START_MS + 1, 9],
    [START_MS + 8500, 1],
    [START_MS + 9001, 0],
  ])('are found since a moment: %i', async (since, count) => {
    expect(await listKeys(await recordTen(), { since })).toHaveLength(count);
  });

  it('are not found if even the newest is older', async () => {
    const { webhooks } = await applyFactory(opened.storage, { webhooks: [buildWebhook({ name: 'a' })] });
    await opened.storage.deliveryLog.record([buildOffer({ webhook: webhooks[0]!.ref, at: START_MS })]);
    expect(await listKeys(webhooks[0]!.uid, { since: START_MS + 1 })).toEqual([]);
    expect(await listKeys(webhooks[0]!.uid, { since: START_MS })).toHaveLength(1);
  });

  it('are read up to the size limit, and at least one', async () => {
    const keys = await listKeys(await recordTen());
    expect(await read(keys)).toMatchObject({ taken: 10, places: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] });
    const size = JSON.stringify({ place: 0 }).length;
    expect(await read(keys, size * 3)).toMatchObject({ taken: 3, places: [7, 8, 9] });
    expect(await read(keys, 1)).toMatchObject({ taken: 1, places: [9] });
  });

  it('are not found in an empty log, and for an unknown webhook', async () => {
    expect(await listKeys('wh_unknown')).toEqual([]);
    await recordTen();
    expect(await listKeys('wh_unknown')).toEqual([]);
    expect(await read([])).toMatchObject({ taken: 0, places: [] });
  });

  it('omit removed deliveries', async () => {
    const keys = await listKeys(await recordTen());
    expect(await read([...keys, 999_999])).toMatchObject({ taken: 11, places: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] });
  });
});
