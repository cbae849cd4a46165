import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDENTITY_SOURCES, NO_CLAIM, type RecordOutcome } from '../../src/domain/resources/delivery.ts';
import { applyFactory, applyOneOfEach, buildAutomation, buildWebhook } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay, START_MS } from '../helpers/build-offer.ts';
import { SQLITE, STORAGES, useStorage } from '../helpers/with-storage.ts';

describe.each(STORAGES)('the delivery log on $name', (kind) => {
  const opened = useStorage(kind);
  const record = (...batch: Parameters<typeof opened.storage.deliveryLog.record>[0]) =>
    opened.storage.deliveryLog.record(batch);
  const outcomes = (recorded: RecordOutcome[]) => recorded.map(({ label }) => label);

  it('stores a new delivery with its exact bytes, its evaluation and its runs', async () => {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const headers = '{"user-agent":"ci"}';
    const offer = buildOffer({
      webhook,
      headers,
      body: '{"big": 1e400}',
      runs: [{ automation: 'fix-errors', version }],
    });
    const expected = { id: offer.id, run: offer.runs[0]!.id };

    expect(await record(offer)).toEqual([{ label: 'Accepted' }]);

    const { deliveryReader, runReader } = opened.storage;
    expect(await deliveryReader.get(expected.id)).toEqual({
      id: expected.id,
      factory: 'payments',
      webhookUid: uid,
      webhookName: 'internal-ci',
      label: 'Accepted',
      deliveryIdSource: 'header',
      deduplicated: true,
      event: null,
      summary: null,
      headers,
      deliveryId: `key of ${expected.id}`,
      reason: null,
      detail: null,
      size: 14,
      count: 1,
      receivedAt: START_MS,
      clientAddress: '192.0.2.7',
      revision: 'c0ffee',
      duplicateOf: null,
      replayOf: null,
      replay: null,
      runs: [expected.run],
    });
    expect(Buffer.from((await deliveryReader.payload(expected.id))!).toString()).toBe('{"big": 1e400}');
    expect(await deliveryReader.evaluation(expected.id)).toEqual({
      applyNumber: 1,
      only: null,
      started: [{ automation: 'fix-errors', run: expected.run }],
    });
    expect(await runReader.get(expected.run)).toMatchObject({ state: 'queued', attempt: 1, delivery: expected.id });
  });

  it('keeps accepted deliveries after it is closed and reopened', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const offer = buildOffer({ webhook });
    await record(offer);
    await opened.reopen();
    expect(await opened.storage.deliveryReader.get(offer.id)).toMatchObject({ id: offer.id, label: 'Accepted' });
  });

  it('accepts exactly one of two deliveries with one identity in one batch', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const [first, second] = [buildOffer({ webhook, key: 'k', runs }), buildOffer({ webhook, key: 'k', runs })];
    expect(await record(first, second)).toEqual([
      { label: 'Accepted' },
      { label: 'Duplicate', of: first.id, reason: 'same_identity' },
    ]);
    const page = await opened.storage.runReader.list({
      factory: 'payments',
      limit: 10,
      cursor: null,
    });
    expect(page.data.map((run) => run.delivery)).toEqual([first.id]);
  });

  it('stores only the metadata of a duplicate, linked to the accepted delivery', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const [first, second] = [buildOffer({ webhook, key: 'k' }), buildOffer({ webhook, key: 'k', at: START_MS + 5 })];
    await record(first);
    expect(await record(second)).toEqual([{ label: 'Duplicate', of: first.id, reason: 'same_identity' }]);
    const { deliveryReader } = opened.storage;
    expect(await deliveryReader.get(second.id)).toMatchObject({
      label: 'Duplicate',
      reason: 'same_identity',
      duplicateOf: first.id,
      runs: [],
    });
    expect(await deliveryReader.payload(second.id)).toBeNull();
    expect(await deliveryReader.evaluation(second.id)).toBeNull();
  });

  it('stores a replay next to its original, which keeps its identity', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const original = buildOffer({ webhook, key: 'k', body: '[1]' });
    const runs = [{ automation: 'fix-errors', version }];
    const [first, second] = [1, 2].map(() => buildReplay(original, { webhook, body: '[1]', runs }));
    const started = [first, second].map((replay) => [replay!.runs[0]!.id]);
    await record(original);
    expect(await record(first!, second!)).toEqual([{ label: 'Accepted' }, { label: 'Accepted' }]);
    const { deliveryReader, runReader } = opened.storage;
    for (const [index, { id }] of [first!, second!].entries()) {
      expect(await deliveryReader.get(id)).toMatchObject({
        label: 'Accepted',
        replayOf: original.id,
        deliveryIdSource: 'header',
        deduplicated: true,
        deliveryId: 'k',
        runs: started[index],
      });
      expect(Buffer.from((await deliveryReader.payload(id))!).toString()).toBe('[1]');
      expect(await runReader.get(started[index]![0]!)).toMatchObject({ state: 'queued', delivery: id });
    }
    expect(await record(buildOffer({ webhook, key: 'k', body: '[1]' }))).toEqual([
      { label: 'Duplicate', of: original.id, reason: 'same_identity' },
    ]);
  });

  it('reports a repeated identity with a different body', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    await record(buildOffer({ webhook, key: 'k', body: '1' }));
    const other = buildOffer({ webhook, key: 'k', body: '2' });
    await record(other);
    expect(await opened.storage.deliveryReader.get(other.id)).toMatchObject({ reason: 'same_identity_other_body' });
  });

  it('compares the body in the same batch, in the log, and after retention removed the delivery', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const repeat = () => ['1', '2'].map((body) => buildOffer({ webhook, key: 'k', body }));
    const reasons = async (recorded: Promise<RecordOutcome[]>) =>
      (await recorded).map((outcome) => (outcome.label === 'Duplicate' ? outcome.reason : outcome.label));
    const first = buildOffer({ webhook, key: 'k', body: '1' });
    const repeated = ['same_identity', 'same_identity_other_body'];
    expect(await reasons(record(first, ...repeat()))).toEqual(['Accepted', ...repeated]);
    expect(await reasons(record(...repeat()))).toEqual(repeated);
    const policy = {
      deliveriesMs: 0,
      minDeliveries: 0,
      identitiesMs: 60_000,
      runsMs: 1,
      auditMs: 1,
      secretVersionsMs: 1,
    };
    while ((await opened.storage.retention.prune(policy, START_MS + 1)).more);
    expect(await opened.storage.deliveryReader.get(first.id)).toBeNull();
    expect(await reasons(record(...repeat()))).toEqual(repeated);
  });

  it('scopes identities to their webhook and source', async () => {
    const webhooks = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })];
    const applied = await applyFactory(opened.storage, { webhooks });
    const [a, b] = applied.webhooks.map((webhook) => webhook.ref);
    const batch = IDENTITY_SOURCES.flatMap((source) => [
      buildOffer({ webhook: a!, source, key: 'same' }),
      buildOffer({ webhook: b!, source, key: 'same' }),
    ]);
    expect(new Set(outcomes(await record(...batch)))).toEqual(new Set(['Accepted']));
  });

  it('compares every character of identities, including those that text functions truncate or fold', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const keys = ['a', 'A', 'a ', ' a', 'a\u0000', 'a\u0000b', '\u00e9', 'e\u0301', '\u0000'];
    const batch = keys.map((key) => buildOffer({ webhook, key }));
    expect(outcomes(await record(...batch))).toEqual(keys.map(() => 'Accepted'));
    const again = keys.map((key) => buildOffer({ webhook, key }));
    expect(outcomes(await record(...again))).toEqual(keys.map(() => 'Duplicate'));
  });

  it('finds deliveries without a claim by their shared ID, also after a restart, and counts none as a duplicate', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const unclaimed = [1, 2, 3].map(() => buildOffer({ webhook, key: NO_CLAIM }));
    expect(outcomes(await record(...unclaimed.slice(0, 2)))).toEqual(['Accepted', 'Accepted']);
    await opened.reopen();
    expect(outcomes(await record(unclaimed[2]!, buildOffer({ webhook, key: 'shared' })))).toEqual([
      'Accepted',
      'Accepted',
    ]);
    const list = (cursor: string | null) =>
      opened.storage.deliveryReader.list({ factory: 'payments', label: null, identity: 'shared', cursor, limit: 2 });
    const first = await list(null);
    const rest = await list(first.nextCursor);
    expect([...first.data, ...rest.data].map(({ deduplicated }) => deduplicated)).toEqual([true, false, false, false]);
    expect(outcomes(await record(buildOffer({ webhook, key: 'shared' })))).toEqual(['Duplicate']);
  });

  it('does not store the identity of a rejected delivery', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const rejection = { ...buildRejection({ webhook }), identity: { source: 'header' as const, value: 'k' } };
    const batch = [rejection, buildOffer({ webhook, key: 'k' })];
    expect(outcomes(await record(...batch))).toEqual(['Rejected (auth)', 'Accepted']);
  });

  it('never counts the ID of a rejection as claimed, also after a restart and retention', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const identity = { source: 'provider' as const, value: 'k' };
    const forge = () => record({ ...buildRejection({ webhook }), identity });
    await forge();
    await opened.reopen();
    await forge();
    const policy = { deliveriesMs: 0, minDeliveries: 0, identitiesMs: 1e9, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };
    while ((await opened.storage.retention.prune(policy, START_MS + 60_000)).more);
    await opened.reopen();
    const genuine = buildOffer({ webhook, source: 'provider', key: 'k' });
    expect(await record(genuine)).toEqual([{ label: 'Accepted' }]);
  });

  it('stores a rejection with its reason and count, without payload', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const rejection = buildRejection({ webhook, label: 'Rejected (too large)', count: 17 });
    await record({ ...rejection, detail: 'announced 300000 bytes' });
    const { deliveryReader } = opened.storage;
    expect(await deliveryReader.get(rejection.id)).toMatchObject({
      label: 'Rejected (too large)',
      reason: 'bad_credential',
      detail: 'announced 300000 bytes',
      count: 17,
      deliveryId: null,
      deliveryIdSource: null,
      deduplicated: true,
      runs: [],
      clientAddress: '192.0.2.8',
      size: 12,
    });
    expect(await deliveryReader.payload(rejection.id)).toBeNull();
    expect(await deliveryReader.evaluation(rejection.id)).toBeNull();
  });

  it('fails only the entry that cannot be stored, and stores no part of it', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const runs = [{ automation: 'fix-errors', version }];
    const first = buildOffer({ webhook, runs });
    const poisoned = { ...buildOffer({ webhook, key: 'poison' }), runs: first.runs };
    const last = buildOffer({ webhook, runs });
    expect(outcomes(await record(first, poisoned, last))).toEqual(['Accepted', null, 'Accepted']);
    const { deliveryReader } = opened.storage;
    expect(await deliveryReader.get(poisoned.id)).toBeNull();
    expect(await deliveryReader.get(first.id)).toMatchObject({ runs: [first.runs[0]!.id] });
    expect(await deliveryReader.get(last.id)).toMatchObject({ runs: [last.runs[0]!.id] });
    expect(outcomes(await record(buildOffer({ webhook, key: 'poison' })))).toEqual(['Accepted']);
  });

  it('rejects a delivery whose run would have no prompt', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const offer = buildOffer({ webhook, runs: [{ automation: 'fix-errors', version: 4711 }] });
    expect(await record(offer)).toEqual([{ label: null, message: expect.stringContaining('4711') }]);
    expect(await opened.storage.deliveryReader.get(offer.id)).toBeNull();
  });

  it('stores nothing of an entry with a value that cannot be encoded, and the others of its batch', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const offer = buildOffer({ webhook, runs: [{ automation: 'fix-errors', version }] });
    const bad = { ...offer, runs: [{ ...offer.runs[0]!, runsOn: [1n] as never }] };
    const good = buildOffer({ webhook });
    expect(outcomes(await record(bad, good))).toEqual([null, 'Accepted']);
    expect(await opened.storage.deliveryReader.get(bad.id)).toBeNull();
    expect(outcomes(await record(offer))).toEqual(['Accepted']);
  });

  it('creates at most one run per delivery and automation', async () => {
    const { webhook, version } = await applyOneOfEach(opened.storage);
    const twice = [1, 2].map(() => ({ automation: 'fix-errors', version }));
    expect(outcomes(await record(buildOffer({ webhook, runs: twice })))).toEqual([null]);
  });

  it('accepts an empty batch', async () => {
    expect(await record()).toEqual([]);
  });

  it('accepts exactly one delivery of each identity, with any distribution over batches', async () => {
    const drawnOffer = fc.record({
      webhook: fc.constantFrom(0, 1),
      source: fc.constantFrom(...IDENTITY_SOURCES),
      key: fc.constantFrom('a', 'b', 'A'),
      hasRun: fc.boolean(),
    });
    const batches = fc.array(fc.array(drawnOffer, { maxLength: 12 }), { maxLength: 5 });
    let factories = 0;
    const check = async (drawn: typeof batches extends fc.Arbitrary<infer T> ? T : never) => {
      const factory = `factory-${++factories}`;
      const webhooks = ['a', 'b'].map((name) => buildWebhook({ name, factory }));
      const automations = [buildAutomation({ factory })];
      const applied = await applyFactory(opened.storage, { factory, webhooks, automations });
      const { version } = applied.automations[0]!;
      const acceptedAs = new Map<string, string>();
      for (const batch of drawn) {
        const offers = batch.map(({ webhook, source, key, hasRun }) => {
          const runs = hasRun ? [{ automation: 'fix-errors', version }] : [];
          return buildOffer({ webhook: applied.webhooks[webhook]!.ref, source, key, runs });
        });
        const recorded = await record(...offers);
        for (const [index, offer] of offers.entries()) {
          const identity = `${offer.webhook} ${offer.identity.source} ${offer.identity.key}`;
          const earlier = acceptedAs.get(identity);
          expect(recorded[index]).toMatchObject(earlier ? { label: 'Duplicate', of: earlier } : { label: 'Accepted' });
          const stored = await opened.storage.deliveryReader.get(offer.id);
          expect(stored!.runs).toEqual(earlier ? [] : offer.runs.map((run) => run.id));
          if (!earlier) acceptedAs.set(identity, offer.id);
        }
      }
    };
    await fc.assert(fc.asyncProperty(batches, check), { numRuns: kind === SQLITE ? 50 : 15 });
  });
});
