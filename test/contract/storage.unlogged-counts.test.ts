import { describe, expect, it } from 'vitest';
import type { NewUnlogged } from '../../src/domain/ports/delivery-log.ts';
import { applyFactory, buildWebhook } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POLICY = {
  deliveriesMs: DAY_MS,
  minDeliveries: 2,
  identitiesMs: DAY_MS,
  runsMs: DAY_MS,
  auditMs: DAY_MS,
  secretVersionsMs: DAY_MS,
};

describe.each(STORAGES)('the counts of unlogged requests on $name', (kind) => {
  const opened = useStorage(kind);

  async function applyTwo() {
    const webhooks = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })];
    const applied = await applyFactory(opened.storage, { webhooks });
    return { factory: applied.name, a: applied.webhooks[0]!, b: applied.webhooks[1]! };
  }

  const unlogged = (webhook: number, lastAt: number, count = 1, reason = 'delivery_rate'): NewUnlogged => ({
    webhook,
    reason,
    count,
    lastAt,
  });

  it('adds up the requests of a webhook and reason since a time, and keeps them after a restart', async () => {
    const { a, b } = await applyTwo();
    const { unloggedCounts } = opened.storage;
    await unloggedCounts.add([unlogged(a.ref, START_MS - DAY_MS, 7), unlogged(b.ref, START_MS)]);
    await unloggedCounts.add([unlogged(a.ref, START_MS - HOUR_MS, 2), unlogged(a.ref, START_MS, 3, 'disabled')]);
    await unloggedCounts.add([unlogged(a.ref, START_MS - HOUR_MS + 5_000, 4)]);
    await opened.reopen();
    const list = (sinceAt: number) => opened.storage.unloggedCounts.list({ webhookUid: a.uid, sinceAt });
    const disabled = { webhook: a.uid, reason: 'disabled', count: 3, lastAt: START_MS };
    const limited = { webhook: a.uid, reason: 'delivery_rate', count: 6, lastAt: START_MS - HOUR_MS + 5_000 };
    expect(await list(START_MS - DAY_MS + 1)).toEqual([limited, disabled]);
    expect(await list(0)).toEqual([{ ...limited, count: 13 }, disabled]);
    expect(await list(START_MS)).toEqual([disabled]);
    expect(await list(START_MS + 1)).toEqual([]);
  });

  it('lists the webhooks of a factory, including deleted ones', async () => {
    const { factory, a, b } = await applyTwo();
    await applyFactory(opened.storage, {
      webhooks: [buildWebhook({ uid: a.uid, name: 'a' })],
      deleteWebhooks: [b.uid],
    });
    await opened.storage.unloggedCounts.add([unlogged(a.ref, START_MS), unlogged(b.ref, START_MS, 1, 'deleted')]);
    const listed = await opened.storage.unloggedCounts.list({ factory, sinceAt: 0 });
    expect(listed.map(({ webhook, reason }) => [webhook, reason]).sort()).toEqual(
      [
        [a.uid, 'delivery_rate'],
        [b.uid, 'deleted'],
      ].sort(),
    );
    expect(await opened.storage.unloggedCounts.list({ factory: 'another', sinceAt: 0 })).toEqual([]);
  });

  it('ignores a webhook that does not exist', async () => {
    const { a } = await applyTwo();
    await opened.storage.unloggedCounts.add([unlogged(9_999, START_MS), unlogged(a.ref, START_MS)]);
    expect(await opened.storage.unloggedCounts.list({ webhookUid: a.uid, sinceAt: 0 })).toHaveLength(1);
  });

  it('keeps counts for 31 days, also if deliveries are kept for a day', async () => {
    const { a } = await applyTwo();
    const { unloggedCounts, retention } = opened.storage;
    await unloggedCounts.add([unlogged(a.ref, START_MS, 5), unlogged(a.ref, START_MS + 2 * HOUR_MS, 6)]);
    const count = async () => (await unloggedCounts.list({ webhookUid: a.uid, sinceAt: 0 }))[0]?.count;
    while ((await retention.prune(POLICY, START_MS + 31 * DAY_MS)).more);
    expect(await count()).toBe(11);
    while ((await retention.prune(POLICY, START_MS + 31 * DAY_MS + HOUR_MS)).more);
    expect(await count()).toBe(6);
  });
});
