import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryId } from '../../src/domain/ids.ts';
import type { ReplaySearch, ReplaySpan, ReplayStep } from '../../src/domain/ports/replays.ts';
import type { DeliveryOffer } from '../../src/domain/resources/delivery.ts';
import type { Replay } from '../../src/domain/resources/replay.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay, ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const ALL: ReplaySearch = { factory: FACTORY, delivery: null };
const WIDE = { examined: 100, returned: 100, bytes: 1_000_000 };

describe.each(STORAGES)('replays on $name', (kind) => {
  const opened = useStorage(kind);
  const replays = () => opened.storage.replays;
  let webhook: number;
  let version: number;
  let offers: DeliveryOffer[];

  beforeEach(async () => {
    ({ webhook, version } = await applyOneOfEach(opened.storage));
    offers = Array.from({ length: 6 }, (_, place) =>
      buildOffer({
        webhook,
        key: `id ${place}`,
        at: START_MS + place * 1000,
        body: JSON.stringify({ place }),
        event: place < 3 ? 'push' : 'issues.opened',
        runs: place % 2 === 0 ? [{ automation: 'fix-errors', version }] : [],
      }),
    );
    await opened.storage.deliveryLog.record([...offers, buildRejection({ webhook, at: START_MS + 9000 })]);
  });

  async function openSpan(search: Partial<ReplaySearch> = {}): Promise<ReplaySpan> {
    const whole = { ...ALL, ...search } as ReplaySearch;
    return { search: whole, ...(await replays().span(whole)) };
  }

  async function readIds(search: Partial<ReplaySearch> = {}) {
    const { deliveries, examined } = await replays().read(await openSpan(search), WIDE);
    return { places: deliveries.map(({ id }) => offers.findIndex((offer) => offer.id === id)), examined };
  }

  async function insert(more: Partial<Replay> = {}): Promise<Replay> {
    const span = await replays().span(ALL);
    const replay: Replay = {
      id: ids.replayId(START_MS),
      factory: FACTORY,
      state: 'pending',
      delivery: null,
      filter: { event: 'push' },
      automation: null,
      asOf: 'now',
      rate: 10,
      requestedBy: { kind: 'token', id: 'tok_a', name: 'ci' },
      clientAddress: '192.0.2.1',
      createdAt: START_MS,
      startedAt: null,
      finishedAt: null,
      position: span.after,
      lastDelivery: span.last,
      total: 6,
      examined: 0,
      replayed: 0,
      matched: 0,
      runs: 0,
      skipped: {},
      error: null,
      ...more,
    };
    expect(await replays().insert(replay, 10)).toBe('inserted');
    return replay;
  }

  function buildStep({ id, position, factory }: Replay, more: Partial<ReplayStep> = {}): ReplayStep {
    const entries = [
      buildReplay(offers[0]!, { webhook, runs: [{ automation: 'fix-errors', version }] }),
      buildReplay(offers[1]!, { webhook }),
    ];
    return {
      id,
      of: { position, factory },
      position: 2,
      examined: 3,
      skipped: { is_replay: 1 },
      entries,
      isEnd: false,
      at: START_MS,
      ...more,
    };
  }

  const listReplays = async () => {
    const { data } = await opened.storage.deliveryReader.list({
      factory: FACTORY,
      label: null,
      limit: 50,
      cursor: null,
    });
    return data.filter(({ replayOf }) => replayOf !== null);
  };

  it('find accepted deliveries, oldest first, and not what arrives later', async () => {
    const span = await openSpan();
    await opened.storage.deliveryLog.record([buildOffer({ webhook, at: START_MS + 20_000 })]);
    const { deliveries, examined, isEnd } = await replays().read(span, WIDE);
    expect(deliveries.map(({ id }) => id)).toEqual(offers.map(({ id }) => id));
    expect([examined, isEnd]).toEqual([6, true]);
    expect(await replays().count(span, 100)).toMatchObject({ count: 6, isEnd: true });
    expect(deliveries[0]).toMatchObject({
      identity: { source: 'header', value: 'id 0' },
      event: 'push',
      replayOf: null,
    });
    expect(Buffer.from(deliveries[5]!.body).toString()).toBe('{"place":5}');
  });

  it.each<[string, Partial<ReplaySearch>, { places: number[]; examined: number }]>([
    ['an event', { event: 'issues' }, { places: [3, 4, 5], examined: 6 }],
    ['a text', { text: '"place":4' }, { places: [4], examined: 6 }],
    ['no run', { isUnmatched: true }, { places: [1, 3, 5], examined: 6 }],
    ['a delivery ID', { identity: 'id 2' }, { places: [2], examined: 1 }],
    ['times', { fromAt: START_MS + 1000, untilAt: START_MS + 4000 }, { places: [1, 2, 3], examined: 3 }],
    ['times without deliveries', { fromAt: START_MS + 90_000 }, { places: [], examined: 0 }],
    ['an unknown delivery', { delivery: 'dlv_unknown' as DeliveryId }, { places: [], examined: 0 }],
  ])('select by %s, and examine only what an index cannot exclude', async (_, search, expected) => {
    expect(await readIds(search)).toEqual(expected);
  });

  it('select one delivery by its ID', async () => {
    expect(await readIds({ delivery: offers[3]!.id })).toEqual({ places: [3], examined: 1 });
  });

  it('read in parts that together are everything, once', async () => {
    const span = await openSpan({ event: 'issues' });
    const places: number[] = [];
    let examined = 0;
    for (let isEnd = false; !isEnd; ) {
      const slice = await replays().read(span, { examined: 4, returned: 1, bytes: 1_000_000 });
      places.push(...slice.deliveries.map(({ id }) => offers.findIndex((offer) => offer.id === id)));
      examined += slice.examined;
      span.after = slice.position;
      isEnd = slice.isEnd;
    }
    expect([places, examined]).toEqual([[3, 4, 5], 6]);
  });

  it('return at least one body, and no more bytes than allowed', async () => {
    const span = await openSpan();
    const lengths = await Promise.all(
      [1, 22, 33].map(async (bytes) => (await replays().read(span, { ...WIDE, bytes })).deliveries.length),
    );
    expect(lengths).toEqual([1, 2, 3]);
  });

  it('know what a delivery started, until its run is removed', async () => {
    const [first, second] = (await replays().read(await openSpan(), WIDE)).deliveries;
    expect(first!.atReceipt).toEqual({
      applyNumber: 1,
      revision: 'c0ffee',
      started: [{ automation: 'fix-errors', version, concurrency: null, debounce: null, runsOn: null }],
    });
    expect(second!.atReceipt.started).toEqual([]);
    for (const run of offers.flatMap(({ runs }) => runs))
      await opened.storage.runQueue.cancelQueued({ id: run.id, at: START_MS });
    const policy = {
      deliveriesMs: 1e12,
      minDeliveries: 99,
      identitiesMs: 1e12,
      runsMs: 1,
      auditMs: 1e12,
      secretVersionsMs: 1e12,
    };
    while ((await opened.storage.retention.prune(policy, START_MS + 100_000)).more);
    expect((await replays().read(await openSpan(), WIDE)).deliveries[0]!.atReceipt.started).toBeNull();
  });

  it('store new deliveries and the position together, and each step once', async () => {
    const replay = await insert();
    const step = buildStep(replay);
    const progress = await replays().advance(step);
    expect(progress!.stored).toEqual([true, true]);
    expect(progress!.replay).toMatchObject({
      state: 'running',
      startedAt: START_MS,
      position: 2,
      examined: 3,
      replayed: 2,
      matched: 1,
      runs: 1,
      skipped: { is_replay: 1 },
    });
    expect(await replays().get(replay.id)).toEqual(progress!.replay);
    expect(await replays().advance(step)).toBeNull();
    expect(await listReplays()).toHaveLength(2);
  });

  it('omit a step that was read before the factory was renamed', async () => {
    const replay = await insert();
    const at = START_MS + 1;
    const order = { from: FACTORY, to: 'renamed', isHosted: false, at };
    await opened.storage.inventory.register('renamed', at);
    expect(await opened.storage.factoryNames.rename(order)).toEqual({ kind: 'ok' });
    expect(await replays().advance(buildStep(replay))).toBeNull();
    const renamed = (await replays().get(replay.id))!;
    expect([renamed.factory, renamed.replayed]).toEqual(['renamed', 0]);
    expect((await replays().advance(buildStep(renamed)))!.replay.replayed).toBe(2);
  });

  it('count an entry that cannot be stored, and store the others', async () => {
    const replay = await insert();
    const entries = [
      buildReplay(offers[0]!, { webhook, runs: [{ automation: 'fix-errors', version: 999 }] }),
      buildReplay(offers[1]!, { webhook }),
    ];
    const progress = await replays().advance(buildStep(replay, { entries, skipped: {} }));
    expect(progress).toMatchObject({ stored: [false, true], replay: { replayed: 1, skipped: { not_stored: 1 } } });
  });

  it('count what was removed before it was examined, at the end', async () => {
    const replay = await insert();
    const progress = await replays().advance(buildStep(replay, { isEnd: true, skipped: {} }));
    expect(progress!.replay).toMatchObject({
      state: 'finished',
      finishedAt: START_MS,
      examined: 6,
      skipped: { payload_removed: 3 },
    });
    expect(await replays().open()).toEqual([]);
  });

  it('store nothing after they were cancelled', async () => {
    const replay = await insert();
    const end = { state: 'cancelled', error: null, at: START_MS } as const;
    expect(await replays().end(replay.id, end)).toBe(true);
    expect(await replays().advance(buildStep(replay))).toBeNull();
    expect(await replays().end(replay.id, end)).toBe(false);
    expect([(await replays().get(replay.id))!.state, await listReplays()]).toEqual(['cancelled', []]);
  });

  it('leave the log 90 days after their end', async () => {
    const [replay, other] = [await insert(), await insert()];
    await replays().end(replay.id, { state: 'failed', error: 'no', at: START_MS });
    const forever = { deliveriesMs: 1e12, minDeliveries: 99, identitiesMs: 1e12, runsMs: 1e12, auditMs: 1e12 };
    const policy = { ...forever, secretVersionsMs: 1e12 };
    const pruneAfter = async (days: number) => {
      while ((await opened.storage.retention.prune(policy, START_MS + days * 86_400_000)).more);
      return [(await replays().get(replay.id)) === null, (await replays().get(other.id)) === null];
    };
    expect([await pruneAfter(89), await pruneAfter(91)]).toEqual([
      [false, false],
      [true, false],
    ]);
  });

  it('are limited for each factory while they are open, and listed newest first', async () => {
    const [first, second] = [await insert(), await insert({ state: 'running' })];
    expect(await replays().insert({ ...first, id: ids.replayId(START_MS) }, 2)).toBe('too_many');
    const page = { factory: FACTORY, limit: 1, cursor: null };
    const list = await replays().list(page);
    expect(list.data).toEqual([second]);
    expect((await replays().list({ ...page, cursor: list.nextCursor })).data).toEqual([first]);
    expect((await replays().list({ ...page, limit: 9, state: 'pending' })).data).toEqual([first]);
    expect((await replays().open()).map(({ id }) => id)).toEqual([first.id, second.id]);
  });
});
