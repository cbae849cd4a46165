import { beforeEach, describe, expect, it } from 'vitest';
import type { RetentionPolicy } from '../../src/domain/ports/operations.ts';
import type { DeliveryOffer } from '../../src/domain/resources/delivery.ts';
import { LOOP_GUARD } from '../../src/domain/words/runs.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildReplay, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const ISSUE = '["github","acme/shop",12]';
const OTHER_ISSUE = '["github","acme/shop",13]';
const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY: RetentionPolicy = {
  deliveriesMs: DAY_MS,
  minDeliveries: 2,
  identitiesMs: DAY_MS,
  runsMs: DAY_MS,
  auditMs: DAY_MS,
  secretVersionsMs: DAY_MS,
};
const { runs: LIMIT, windowMs: WINDOW_MS } = LOOP_GUARD;

describe.each(STORAGES)('the loop guard on $name', (kind) => {
  const opened = useStorage(kind);
  let webhook: number;
  let version: number;
  let bodies = 0;
  beforeEach(async () => {
    const applied = await applyFactory(opened.storage, {
      webhooks: [buildWebhook()],
      automations: [buildAutomation(), buildAutomation({ name: 'other', file: 'automations/other/automation.md' })],
    });
    webhook = applied.webhooks[0]!.ref;
    version = applied.automations[0]!.version;
  });

  function build(subject: string | undefined, { at = START_MS, automations = ['fix-errors'] } = {}): DeliveryOffer {
    bodies += 1;
    const runs = automations.map((automation) => ({ automation, version }));
    return { ...buildOffer({ webhook, body: `${bodies}`, at, runs }), subject };
  }
  const many = (count: number, ...offer: Parameters<typeof build>) =>
    Array.from({ length: count }, () => build(...offer));
  const record = (...offers: Parameters<typeof opened.storage.deliveryLog.record>[0]) =>
    opened.storage.deliveryLog.record(offers);
  const runsOf = async ({ id }: Pick<DeliveryOffer, 'id'>) => (await opened.storage.deliveryReader.get(id))!.runs;
  const listGuarded = (sinceAt = START_MS - 1) => opened.storage.alertReader.guardedAutomations({ sinceAt, limit: 10 });
  const GUARDED = { label: 'Accepted', guarded: ['fix-errors'] };

  it(`starts ${LIMIT} runs for a subject, and holds back the next delivery with its reason`, async () => {
    for (const offer of many(LIMIT, ISSUE)) expect(await record(offer)).toEqual([{ label: 'Accepted' }]);
    const last = build(ISSUE);
    expect(await record(last)).toEqual([GUARDED]);
    expect(await runsOf(last)).toEqual([]);
    expect(await opened.storage.deliveryReader.evaluation(last.id)).toMatchObject({
      started: [],
      guarded: { subject: ISSUE, automations: ['fix-errors'] },
    });
    const { data } = await opened.storage.runReader.list({ factory: FACTORY, cursor: null, limit: 100 });
    expect(data).toHaveLength(LIMIT);
  });

  it('has the limit of the configuration, and stores it with the decision', async () => {
    const guard = { runs: 2, windowMs: 60_000 };
    const limited = (at = START_MS) => ({ ...build(ISSUE, { at }), guard });
    const last = limited();
    expect(await record(limited(), limited(), last)).toEqual([{ label: 'Accepted' }, { label: 'Accepted' }, GUARDED]);
    expect(await opened.storage.deliveryReader.evaluation(last.id)).toMatchObject({ guarded: { limit: guard } });
    expect(await record(limited(START_MS + guard.windowMs - 1))).toEqual([GUARDED]);
    expect(await record(build(ISSUE))).toEqual([{ label: 'Accepted' }]);
    expect(await record(limited(START_MS + guard.windowMs))).toEqual([{ label: 'Accepted' }]);
  });

  it('counts the runs of the same batch', async () => {
    const offers = many(LIMIT + 3, ISSUE);
    const outcomes = await record(...offers);
    expect(outcomes.map((outcome) => 'guarded' in outcome)).toEqual(offers.map((_, index) => index >= LIMIT));
    expect(await runsOf(offers[LIMIT - 1]!)).toHaveLength(1);
    expect(await runsOf(offers[LIMIT]!)).toEqual([]);
  });

  it('counts the runs of batches that are recorded at the same time', async () => {
    const offers = many(3 * LIMIT, ISSUE);
    const outcomes = (await Promise.all(offers.map((offer) => record(offer)))).flat();
    expect(outcomes.filter((outcome) => !('guarded' in outcome))).toHaveLength(LIMIT);
    const { data } = await opened.storage.runReader.list({ factory: FACTORY, cursor: null, limit: 100 });
    expect(data).toHaveLength(LIMIT);
  });

  it('counts each subject and each automation separately, and deliveries without a subject never', async () => {
    await record(...many(LIMIT, ISSUE));
    const both = build(ISSUE, { automations: ['fix-errors', 'other'] });
    expect(await record(both, build(OTHER_ISSUE), ...many(LIMIT + 1, undefined))).toEqual([
      GUARDED,
      ...Array.from({ length: LIMIT + 2 }, () => ({ label: 'Accepted' })),
    ]);
    expect(await runsOf(both)).toHaveLength(1);
  });

  it('starts runs again when the first ones are older than its window', async () => {
    await record(build(ISSUE), ...many(LIMIT - 1, ISSUE, { at: START_MS + 1000 }));
    expect(await record(build(ISSUE, { at: START_MS + WINDOW_MS - 1 }))).toEqual([GUARDED]);
    expect(await record(build(ISSUE, { at: START_MS + WINDOW_MS }))).toEqual([{ label: 'Accepted' }]);
  });

  it('does not count runs that were cancelled before they started, and replays', async () => {
    const [first, ...others] = many(LIMIT, ISSUE) as [DeliveryOffer, ...DeliveryOffer[]];
    await record(first, ...others);
    await opened.storage.runQueue.cancelQueued({ id: first.runs[0]!.id, at: START_MS });
    const runs = [{ automation: 'fix-errors', version }];
    await record(buildReplay(first, { webhook, runs }), buildReplay(first, { webhook, runs }));
    expect(await record(build(ISSUE))).toEqual([{ label: 'Accepted' }]);
    const replay = buildReplay(first, { webhook, runs });
    expect(await record(build(ISSUE), replay)).toEqual([GUARDED, { label: 'Accepted' }]);
    expect(await runsOf(replay)).toHaveLength(1);
  });

  it('stays after a failed entry of the same batch', async () => {
    await record(...many(LIMIT, ISSUE));
    const unknown = { ...build(ISSUE), runs: [{ ...build(ISSUE).runs[0]!, automation: 'other', version: 999 }] };
    const outcomes = await record(unknown, build(ISSUE), build(OTHER_ISSUE));
    expect(outcomes).toEqual([{ label: null, message: expect.any(String) }, GUARDED, { label: 'Accepted' }]);
  });

  it('is read by alerts, and its count begins again after a pause', async () => {
    await record(...many(LIMIT + 2, ISSUE), ...many(LIMIT + 1, OTHER_ISSUE, { at: START_MS + 5 }));
    const found = { factory: FACTORY, automation: 'fix-errors', subject: OTHER_ISSUE, subjects: 2, deliveries: 3 };
    expect(await listGuarded()).toEqual([found]);
    expect(await listGuarded(START_MS + 5)).toEqual([]);
    await record(...many(LIMIT + 1, ISSUE, { at: START_MS + 2 * WINDOW_MS }));
    expect(await listGuarded(START_MS + WINDOW_MS)).toEqual([{ ...found, subject: ISSUE, subjects: 1, deliveries: 1 }]);
  });

  it('shows alerts all automations, also if one is held back for many subjects', async () => {
    await record(...many(LIMIT + 1, ISSUE, { automations: ['other'] }));
    for (const subject of ['first', 'second', 'third']) {
      await record(...many(LIMIT + 1, subject, { at: START_MS + 5 }));
    }
    const { alertReader } = opened.storage;
    expect(await alertReader.guardedAutomations({ sinceAt: START_MS - 1, limit: 2 })).toEqual([
      { factory: FACTORY, automation: 'fix-errors', subject: expect.any(String), subjects: 3, deliveries: 3 },
      { factory: FACTORY, automation: 'other', subject: ISSUE, subjects: 1, deliveries: 1 },
    ]);
    expect(await alertReader.guardedAutomations({ sinceAt: START_MS - 1, limit: 1 })).toHaveLength(1);
  });

  it('is forgotten by retention', async () => {
    await record(...many(LIMIT + 1, ISSUE));
    while ((await opened.storage.retention.prune(POLICY, START_MS + WINDOW_MS + 1)).more);
    expect(await listGuarded()).toEqual([]);
  });
});
