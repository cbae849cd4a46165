import { describe, expect, it } from 'vitest';
import type { DeliveryId, WebhookUid } from '../../src/domain/ids.ts';
import { type DeliverySearch, MAX_EXAMINED_DELIVERIES } from '../../src/domain/ports/delivery-log.ts';
import type { DeliveryLabel } from '../../src/domain/resources/delivery.ts';
import { applyFactory, applyOneOfEach, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const UNKNOWN = 'dlv_00000000000000000000000000' as DeliveryId;

describe.each(STORAGES)('reading deliveries on $name', (kind) => {
  const opened = useStorage(kind);

  /** 3 accepted, 2 duplicates and 2 rejected deliveries, alternating. */
  async function recordSeven() {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const batch = [
      buildOffer({ webhook, key: 'a', runs }),
      buildRejection({ webhook }),
      buildOffer({ webhook, key: 'a' }),
      buildOffer({ webhook, key: 'b' }),
      buildRejection({ webhook, label: 'Rejected (invalid JSON)' }),
      buildOffer({ webhook, key: 'b' }),
      buildOffer({ webhook, key: 'c', runs }),
    ];
    await opened.storage.deliveryLog.record(batch);
    return { uid: uid as WebhookUid, webhook, batch, ids: batch.map((entry) => entry.id) };
  }

  it('lists newest first with the runs of each delivery', async () => {
    const { uid, batch, ids } = await recordSeven();
    const page = await opened.storage.deliveryReader.list({ webhookUid: uid, label: null, limit: 50, cursor: null });
    expect(page.nextCursor).toBeNull();
    expect(page.data.map((delivery) => delivery.id)).toEqual(ids.toReversed());
    const runs = new Map(page.data.map((delivery) => [delivery.id, delivery.runs]));
    expect(runs.get(ids[0]!)).toEqual([(batch[0] as ReturnType<typeof buildOffer>).runs[0]!.id]);
    expect(runs.get(ids[3]!)).toEqual([]);
  });

  it('finds accepted deliveries without runs, by their event, and by a text in their payload', async () => {
    const { uid, webhook, ids } = await recordSeven();
    const texts = ['{"repository": "acme/api"}', '{"repository": "acme/web"}'].map((body, index) =>
      buildOffer({ webhook, body, event: ['push', 'pull_request.opened'][index]! }),
    );
    await opened.storage.deliveryLog.record(texts);
    const list = async (
      search: Pick<DeliverySearch, 'isUnmatched' | 'event' | 'text'>,
      label: DeliveryLabel | null = null,
    ) => {
      const { deliveryReader } = opened.storage;
      const page = await deliveryReader.list({ webhookUid: uid, label, ...search, limit: 50, cursor: null });
      expect([page.nextCursor, page.examinedTo]).toEqual([null, null]);
      return page.data.map(({ id }) => id);
    };
    expect(await list({ isUnmatched: true })).toEqual([texts[1]!.id, texts[0]!.id, ids[3]]);
    expect(await list({ text: 'acme/api' })).toEqual([texts[0]!.id]);
    expect(await list({ text: 'ACME' })).toEqual([]);
    expect(await list({ text: '%' })).toEqual([]);
    expect(await list({ text: 'acme', isUnmatched: true })).toEqual([texts[1]!.id, texts[0]!.id]);
    expect(await list({ event: 'push' })).toEqual([texts[0]!.id]);
    expect(await list({ event: 'pull_request', text: 'acme', isUnmatched: true })).toEqual([texts[1]!.id]);
    expect(await list({ event: 'pull' })).toEqual([]);
    expect(await list({ isUnmatched: true }, 'Duplicate')).toEqual([]);
  });

  it('finds accepted deliveries by a text in their recorded headers', async () => {
    const { webhook, uid } = await applyOneOfEach(opened.storage);
    const record = (headers: Record<string, string>) =>
      buildOffer({ webhook, body: '{"x-event": "none"}', headers: JSON.stringify(headers) });
    const [push, pullRequest] = [
      record({ 'x-event': 'push', 'user-agent': 'Sender "1"' }),
      record({ 'x-event': 'pull_request', 'x-source': 'A:B' }),
    ];
    await opened.storage.deliveryLog.record([push!, pullRequest!, buildOffer({ webhook, body: '{"sender": 2}' })]);
    const find = async (text: string) => {
      const request = { webhookUid: uid as WebhookUid, label: null, text, limit: 5, cursor: null };
      return (await opened.storage.deliveryReader.list(request)).data.map(({ id }) => id);
    };
    expect(await find('pull_request')).toEqual([pullRequest!.id]);
    expect(await find('X-Event: push')).toEqual([push!.id]);
    expect(await find('x-event: pu')).toEqual([pullRequest!.id, push!.id]);
    expect(await find('Sender "1"')).toEqual([push!.id]);
    expect(await find('sender "1"')).toEqual([]);
    expect(await find('A:B')).toEqual([pullRequest!.id]);
    expect(await find('","')).toEqual([]);
  });

  it('examines a limited number of deliveries for a page, says how far, and continues behind them', async () => {
    const { webhook, uid } = await applyOneOfEach(opened.storage);
    const wanted = buildOffer({ webhook, body: '"needle"' });
    const hay = Array.from({ length: MAX_EXAMINED_DELIVERIES }, (_, index) =>
      buildOffer({ webhook, body: `${index}`, at: START_MS + 1 + index }),
    );
    await opened.storage.deliveryLog.record([wanted, ...hay]);
    const search = { webhookUid: uid as WebhookUid, label: null, text: 'needle', limit: 5 };
    const first = await opened.storage.deliveryReader.list({ ...search, cursor: null });
    expect([first.data, first.examinedTo]).toEqual([[], START_MS + 1]);
    const second = await opened.storage.deliveryReader.list({ ...search, cursor: first.nextCursor });
    expect([second.data.map(({ id }) => id), second.nextCursor, second.examinedTo]).toEqual([[wanted.id], null, null]);
  });

  it.each([
    ['Accepted', [6, 3, 0]],
    ['Duplicate', [5, 2]],
    ['Rejected (auth)', [1]],
    ['Rejected (invalid JSON)', [4]],
    ['Rejected (too large)', []],
  ] as const)('lists only what has the label %s', async (label, places) => {
    const { uid, ids } = await recordSeven();
    const page = await opened.storage.deliveryReader.list({ webhookUid: uid, label, limit: 50, cursor: null });
    expect(page.data.map((delivery) => delivery.id)).toEqual(places.map((place) => ids[place]));
  });

  it.each([null, 'Accepted', 'Duplicate'] as const)(
    'lists the pages of label %s without gaps or overlaps',
    async (label) => {
      const { uid, webhook } = await recordSeven();
      const request = { webhookUid: uid, label };
      const whole = await opened.storage.deliveryReader.list({ ...request, limit: 50, cursor: null });
      const listed: string[] = [];
      for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
        const page = await opened.storage.deliveryReader.list({ ...request, limit: 2, cursor });
        listed.push(...page.data.map((delivery) => delivery.id));
        // New entries between two pages do not shift the list.
        if (label === null) await opened.storage.deliveryLog.record([buildOffer({ webhook })]);
        cursor = page.nextCursor ?? undefined;
      }
      expect(listed).toEqual(whole.data.map((delivery) => delivery.id));
    },
  );

  it('returns no cursor if a page ends with the last entry', async () => {
    const { uid } = await recordSeven();
    const page = await opened.storage.deliveryReader.list({ webhookUid: uid, label: null, limit: 7, cursor: null });
    expect(page.data).toHaveLength(7);
    expect(page.nextCursor).toBeNull();
  });

  it.each(['', 'nonsense', 'czU=', Buffer.from('5').toString('base64url'), Buffer.from('s-1').toString('base64url')])(
    'rejects the invalid cursor %j',
    async (cursor) => {
      const { uid } = await recordSeven();
      const listing = opened.storage.deliveryReader.list({ webhookUid: uid, label: null, limit: 5, cursor });
      await expect(listing).rejects.toMatchObject({ name: 'AppError', code: 'bad_request' });
    },
  );

  it('lists no entries of other webhooks, and an empty page for an unknown webhook', async () => {
    const { uid } = await recordSeven();
    const { webhooks } = await applyFactory(opened.storage, { webhooks: [buildWebhook({ name: 'other' })] });
    const other = webhooks.find((webhook) => webhook.name === 'other')!;
    const entry = buildOffer({ webhook: other.ref });
    await opened.storage.deliveryLog.record([entry]);
    const request = { label: null, limit: 50, cursor: null };
    const { deliveryReader } = opened.storage;
    const ofOther = await deliveryReader.list({ ...request, webhookUid: other.uid });
    expect(ofOther.data.map((delivery) => delivery.id)).toEqual([entry.id]);
    const ofFirst = await deliveryReader.list({ ...request, webhookUid: uid });
    expect(ofFirst.data).toHaveLength(7);
    expect(await deliveryReader.list({ ...request, webhookUid: 'wh_nobody' })).toEqual({ data: [], nextCursor: null });
  });

  it('lists all webhooks of a factory as one log, in pages, without other factories', async () => {
    const { uid, ids } = await recordSeven();
    const { webhooks } = await applyFactory(opened.storage, { webhooks: [buildWebhook({ name: 'other' })] });
    const other = webhooks.find((webhook) => webhook.name === 'other')!;
    const more = [buildOffer({ webhook: other.ref }), buildRejection({ webhook: other.ref })];
    await opened.storage.deliveryLog.record(more);
    await applyFactory(opened.storage, { deleteWebhooks: [uid], at: START_MS + 1 });
    const foreign = await applyFactory(opened.storage, {
      factory: 'elsewhere',
      webhooks: [buildWebhook({ name: 'c', factory: 'elsewhere' })],
    });
    await opened.storage.deliveryLog.record([buildOffer({ webhook: foreign.webhooks[0]!.ref })]);
    const walk = async (label: DeliveryLabel | null) => {
      const listed: string[] = [];
      for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
        const page = await opened.storage.deliveryReader.list({ factory: FACTORY, label, limit: 2, cursor });
        listed.push(...page.data.map((delivery) => delivery.id));
        cursor = page.nextCursor ?? undefined;
      }
      return listed;
    };
    expect(await walk(null)).toEqual([...ids, ...more.map(({ id }) => id)].toReversed());
    expect(await walk('Rejected (auth)')).toEqual([more[1]!.id, ids[1]]);
  });

  it('finds exactly the entries with a delivery ID, for one label or for all', async () => {
    const { uid, ids } = await recordSeven();
    const search = async (identity: string, label: DeliveryLabel | null = null) => {
      const request = { webhookUid: uid, label, identity, limit: 50, cursor: null };
      return (await opened.storage.deliveryReader.list(request)).data.map((delivery) => delivery.id);
    };
    expect(await search('b')).toEqual([ids[5], ids[3]]);
    expect(await search('b', 'Duplicate')).toEqual([ids[5]]);
    expect(await search('B')).toEqual([]);
    expect(await search('%')).toEqual([]);
  });

  it('finds a replay and its original, and a delivery ID with non-ASCII characters', async () => {
    const { uid, webhook } = await applyOneOfEach(opened.storage);
    const original = buildOffer({ webhook, key: 'Lieferung 7 ä' });
    // As received: one character for each byte of the header.
    original.identity.key = Buffer.from(original.identity.value, 'utf8').toString('latin1');
    const replay = buildReplay(original, { webhook });
    const rejection = { ...buildRejection({ webhook }), identity: original.identity };
    await opened.storage.deliveryLog.record([original, buildOffer({ webhook }), replay, rejection]);
    const search = async (label: DeliveryLabel | null, limit: number) => {
      const request = { webhookUid: uid as WebhookUid, label, identity: 'Lieferung 7 ä', limit, cursor: null };
      return (await opened.storage.deliveryReader.list(request)).data.map((delivery) => delivery.id);
    };
    expect(await search(null, 50)).toEqual([rejection.id, replay.id, original.id]);
    expect(await search(null, 2)).toEqual([rejection.id, replay.id]);
    expect(await search('Accepted', 50)).toEqual([replay.id, original.id]);
    expect(await search('Rejected (auth)', 50)).toEqual([rejection.id]);
  });

  it('lists the deliveries of a time range', async () => {
    const { uid, webhook } = await applyOneOfEach(opened.storage);
    const batch = [0, 10, 10, 20, 30].map((at) => buildOffer({ webhook, at: START_MS + at }));
    const places = new Map(batch.map(({ id }, place) => [id, place]));
    await opened.storage.deliveryLog.record(batch);
    const search = async (fromAt?: number, untilAt?: number) => {
      const times = { fromAt: fromAt && START_MS + fromAt, untilAt: untilAt && START_MS + untilAt };
      const page = await opened.storage.deliveryReader.list({
        webhookUid: uid as WebhookUid,
        label: null,
        limit: 50,
        cursor: null,
        ...times,
      });
      return page.data.map(({ id }) => places.get(id));
    };
    expect(await search(10, 30)).toEqual([3, 2, 1]);
    expect(await search(11)).toEqual([4, 3]);
    expect(await search(31)).toEqual([]);
    expect(await search(undefined, 31)).toEqual([4, 3, 2, 1, 0]);
    expect(await search(undefined, -1)).toEqual([]);
    expect(await search(-5, 1)).toEqual([0]);
  });

  it('continues after an entry, oldest first, page by page, as entries are added', async () => {
    const { uid, webhook, ids } = await recordSeven();
    const { deliveryReader, deliveryLog } = opened.storage;
    const list = (more: Partial<DeliverySearch> & { limit?: number; cursor?: string | null }) =>
      deliveryReader.list({ webhookUid: uid, label: null, isOldestFirst: true, limit: 50, cursor: null, ...more });
    const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
    expect(idsOf(await list({}))).toEqual(ids);
    expect(idsOf(await list({ after: ids[2]! }))).toEqual(ids.slice(3));
    expect(idsOf(await list({ after: ids[0]!, label: 'Accepted' }))).toEqual([ids[3], ids[6]]);
    expect(idsOf(await list({ after: ids[4]!, isOldestFirst: false }))).toEqual([ids[6], ids[5]]);
    const first = await list({ after: ids[0]!, limit: 2 });
    expect(idsOf(first)).toEqual([ids[1], ids[2]]);
    expect(idsOf(await list({ after: ids[0]!, limit: 2, cursor: first.nextCursor }))).toEqual([ids[3], ids[4]]);
    expect(await list({ after: ids[6]! })).toEqual({ data: [], nextCursor: null });
    const later = buildOffer({ webhook, key: 'd' });
    await deliveryLog.record([later]);
    expect(idsOf(await list({ after: ids[6]! }))).toEqual([later.id]);
    await expect(list({ after: UNKNOWN })).rejects.toMatchObject({ code: 'not_found' });
    const { webhooks } = await applyFactory(opened.storage, { webhooks: [buildWebhook({ name: 'other' })] });
    const other = webhooks.find(({ name }) => name === 'other')!.uid;
    await expect(list({ webhookUid: other, after: ids[0]! })).rejects.toMatchObject({ code: 'not_found' });
    const ofFactory = { factory: FACTORY, label: null, isOldestFirst: true, limit: 50, cursor: null };
    expect(idsOf(await deliveryReader.list({ ...ofFactory, after: ids[5]! }))).toEqual([ids[6], later.id]);
  });

  it('keeps the log of a deleted webhook readable', async () => {
    const { uid, ids } = await recordSeven();
    await applyFactory(opened.storage, { deleteWebhooks: [uid], at: START_MS + 1 });
    const page = await opened.storage.deliveryReader.list({ webhookUid: uid, label: null, limit: 50, cursor: null });
    expect(page.data).toHaveLength(ids.length);
  });

  it('distinguishes an unknown ID from an entry without payload', async () => {
    const { ids } = await recordSeven();
    const { deliveryReader } = opened.storage;
    expect(await deliveryReader.get(UNKNOWN)).toBeNull();
    expect(await deliveryReader.payload(UNKNOWN)).toBeNull();
    expect(await deliveryReader.evaluation(UNKNOWN)).toBeNull();
    expect(await deliveryReader.evaluation(ids[1]!)).toBeNull();
  });

  it('returns every byte of a payload', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const bytes = Uint8Array.from({ length: 262_144 }, (_, index) => index & 255);
    const offer = buildOffer({ webhook, body: bytes });
    await opened.storage.deliveryLog.record([offer]);
    const payload = await opened.storage.deliveryReader.payload(offer.id);
    expect(Buffer.compare(payload!, bytes)).toBe(0);
  });
});
