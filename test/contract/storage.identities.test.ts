import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDENTITY_SOURCES, NO_CLAIM } from '../../src/domain/resources/delivery.ts';
import { applyOneOfEach } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { SQLITE, STORAGES, useStorage } from '../helpers/with-storage.ts';

const POLICY = { deliveriesMs: 1, minDeliveries: 0, identitiesMs: 0, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };

const drawnOffer = fc.record({
  source: fc.constantFrom(...IDENTITY_SOURCES),
  key: fc.constantFrom('a', 'b', 'A', '\u00ff', 'a longer key', NO_CLAIM),
  /** The second key, which the body of another delivery can have as its first. */
  bodyKey: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  /** Violates the schema, so that the entry fails and the rest of its batch is recorded again. */
  isBroken: fc.boolean(),
});
const drawnStep = fc.oneof(
  { weight: 6, arbitrary: fc.array(drawnOffer, { maxLength: 20 }).map((offers) => ({ offers })) },
  { weight: 1, arbitrary: fc.constant('retain' as const) },
  { weight: 1, arbitrary: fc.constant('depart' as const) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
);

describe.each(STORAGES)('identities on $name', (kind) => {
  const opened = useStorage(kind);

  it('accepts each key once, like a map, with second keys, failed entries, retention and restarts', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const accepted = new Map<string, string>();
    let at = START_MS;

    const record = async (drawn: readonly (typeof drawnOffer extends fc.Arbitrary<infer T> ? T : never)[]) => {
      at += 1000;
      const offers = drawn.map(({ source, key, bodyKey, isBroken }) => {
        const runs = isBroken ? [{ automation: 'fix-errors', version: 4711 }] : [];
        const hasTwo = source !== 'body_hash' && key !== NO_CLAIM;
        return buildOffer({ webhook, source, key, bodyKey: hasTwo ? bodyKey : undefined, at, runs });
      });
      const expected = offers.map(({ id, identity, runs }) => {
        const { source, key, bodyKey } = identity;
        const names = [`${source} ${key}`, ...(bodyKey === undefined ? [] : [`body_hash ${bodyKey}`])];
        const earlier = names.map((name) => accepted.get(name)).find((of) => of !== undefined);
        if (earlier !== undefined) return { label: 'Duplicate', of: earlier };
        if (runs.length > 0) return { label: null };
        if (key !== NO_CLAIM) for (const name of names) accepted.set(name, id);
        return { label: 'Accepted' };
      });
      expect(await opened.storage.deliveryLog.record(offers)).toMatchObject(expected);
    };
    /** Removes all but the newest delivery. Their identities remain. */
    const depart = async () => {
      const policy = { ...POLICY, deliveriesMs: 0, identitiesMs: 1_000_000_000 };
      while ((await opened.storage.retention.prune(policy, at + 500)).more);
    };
    /** Removes all but the newest delivery, and the identities of the others. */
    const retain = async () => {
      const nowMs = at + 500;
      while ((await opened.storage.retention.prune({ ...POLICY, deliveriesMs: 0 }, nowMs)).more);
      for (const [name, id] of accepted)
        if ((await opened.storage.deliveryReader.get(id as 'dlv_')) === null) accepted.delete(name);
    };

    const check = async (steps: typeof drawnStep extends fc.Arbitrary<infer T> ? T[] : never) => {
      for (const step of steps) {
        if (step === 'retain') await retain();
        else if (step === 'depart') await depart();
        else if (step === 'restart') await opened.reopen();
        else await record(step.offers);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(drawnStep, { maxLength: 12 }), check), {
      numRuns: kind === SQLITE ? 60 : 15,
    });
  });

  it('shows that the second key decided, and links to the accepted delivery', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const [accepted, copy, other] = [
      buildOffer({ webhook, source: 'provider', key: 'one', bodyKey: 'sha256:1' }),
      buildOffer({ webhook, source: 'provider', key: 'two', bodyKey: 'sha256:1' }),
      // Its ID was named by the duplicate, which claims nothing.
      buildOffer({ webhook, source: 'provider', key: 'two', bodyKey: 'sha256:2' }),
    ];
    expect(await opened.storage.deliveryLog.record([accepted!, copy!, other!])).toEqual([
      { label: 'Accepted' },
      { label: 'Duplicate', of: accepted!.id, reason: 'same_identity' },
      { label: 'Accepted' },
    ]);
    expect(await opened.storage.deliveryReader.get(copy!.id)).toMatchObject({
      duplicateOf: accepted!.id,
      reason: 'same_identity',
      detail: 'the delivery ID of the request is two',
      deliveryId: 'sha256:1',
      deliveryIdSource: 'body_hash',
    });
    expect(await opened.storage.deliveryReader.get(other!.id)).toMatchObject({
      deliveryId: 'two',
      deliveryIdSource: 'provider',
      deduplicated: true,
    });
  });

  it('accepts one of many simultaneous deliveries with one body and different IDs', async () => {
    const { webhook } = await applyOneOfEach(opened.storage);
    const offers = Array.from({ length: 40 }, (_, index) =>
      buildOffer({ webhook, source: 'provider', key: `id ${index % 20}`, bodyKey: 'sha256:same' }),
    );
    const outcomes = await Promise.all(offers.map((offer) => opened.storage.deliveryLog.record([offer])));
    const labels = outcomes.map(([outcome]) => outcome!.label);
    expect(labels.filter((label) => label === 'Accepted')).toHaveLength(1);
    expect(labels.filter((label) => label === 'Duplicate')).toHaveLength(39);
  });
});
