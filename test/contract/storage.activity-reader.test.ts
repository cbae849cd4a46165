import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/ports/delivery-log.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const HOUR = Math.floor(START_MS / HOUR_MS) * HOUR_MS;
const DAY = { factory: FACTORY, fromAt: HOUR, untilAt: HOUR + 24 * HOUR_MS };

describe.each(STORAGES)('activity counts on $name', (kind) => {
  const opened = useStorage(kind);
  const reader = () => opened.storage.activityReader;

  async function recordSome() {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const later = HOUR + 3 * HOUR_MS;
    const first = buildOffer({ webhook, key: 'a', at: HOUR, runs });
    await opened.storage.deliveryLog.record([
      first,
      buildOffer({ webhook, key: 'a', at: HOUR }),
      buildOffer({ webhook, key: 'b', at: HOUR + HOUR_MS - 1, runs }),
      buildRejection({ webhook, at: HOUR, count: 40 }),
    ]);
    await opened.storage.deliveryLog.record([
      buildOffer({ webhook, key: 'c', at: later, runs }),
      buildRejection({ webhook, at: later }),
      buildReplay(first, { webhook, at: later, runs }),
      buildOffer({ webhook, key: 'd', at: later, runs: [{ automation: 'fix-errors', version: 999 }] }),
    ]);
    return { uid, later };
  }

  it('count the deliveries of each hour: summed-up rejections in full, no replays or failed entries', async () => {
    const { uid, later } = await recordSome();
    const counted = await reader().deliveries(DAY);
    expect(counted).toHaveLength(5);
    expect(counted).toEqual(
      expect.arrayContaining([
        { webhook: uid, hourAt: HOUR, label: 'Accepted', count: 2 },
        { webhook: uid, hourAt: HOUR, label: 'Duplicate', count: 1 },
        { webhook: uid, hourAt: HOUR, label: 'Rejected (auth)', count: 40 },
        { webhook: uid, hourAt: later, label: 'Accepted', count: 1 },
        { webhook: uid, hourAt: later, label: 'Rejected (auth)', count: 1 },
      ]),
    );
    const hour = { ...DAY, fromAt: later, untilAt: later + HOUR_MS };
    expect(await reader().deliveries(hour)).toHaveLength(2);
    expect(await reader().deliveries({ ...DAY, factory: 'other' })).toEqual([]);
  });

  it('count the runs created in each hour by their current state', async () => {
    const { later } = await recordSome();
    const {
      inputs: [first],
    } = await opened.storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 1, at: later });
    const failed = { state: 'failed', error: 'exit code 1', exitCode: 1 } as const;
    await opened.storage.runQueue.finish({ id: first!.run.id, attempt: 1, result: failed, at: later });
    expect(await reader().runs(DAY)).toEqual([
      { hourAt: HOUR, state: 'queued', count: 1 },
      { hourAt: HOUR, state: 'failed', count: 1 },
      { hourAt: later, state: 'queued', count: 2 },
    ]);
    expect(await reader().runs({ ...DAY, fromAt: HOUR - HOUR_MS, untilAt: HOUR })).toEqual([]);
    expect(await reader().runs({ ...DAY, fromAt: later + HOUR_MS })).toEqual([]);
    expect(await reader().runs({ ...DAY, factory: 'other' })).toEqual([]);
  });

  it('are empty if nothing was ever received', async () => {
    expect([await reader().deliveries(DAY), await reader().runs(DAY)]).toEqual([[], []]);
  });

  it('remain a month longer than the log', async () => {
    await recordSome();
    const policy = { deliveriesMs: 1, minDeliveries: 0, identitiesMs: 1, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };
    const pruneAt = async (days: number) => {
      while ((await opened.storage.retention.prune(policy, HOUR + days * 24 * HOUR_MS)).more);
    };
    await pruneAt(30);
    expect(await reader().deliveries(DAY)).toHaveLength(5);
    await pruneAt(33);
    expect(await reader().deliveries(DAY)).toEqual([]);
  });
});
