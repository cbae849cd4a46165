import { describe, expect, it } from 'vitest';
import { ids } from '../../../test/helpers/build-offer.ts';
import { createStandingClock, makeDelivery, NOW_MS, PAYLOAD } from '../../../test/helpers/seeded-services.ts';
import { ListenerIndex } from '../../definitions/filter/listeners/listener-index.ts';
import type { ReplayOrder } from '../../domain/ports/replays.ts';
import type { DeliveryOffer, OfferOutcome, ReplayEntry } from '../../domain/resources/delivery.ts';
import { Registry } from '../registry/registry.ts';
import { type ReplayContext, replayDelivery } from './replay-delivery.ts';

function listenAll(...automations: string[]): ListenerIndex {
  const listeners = new ListenerIndex();
  listeners.apply = { number: 3, revision: 'beef' };
  for (const automation of automations) listeners.add({ automation, version: 7, enabled: true, filters: [{}] });
  return listeners;
}

const ORDER = { automation: null, clientAddress: '198.51.100.9' };

function open({
  listeners = listenAll('a', 'b'),
  isLive = true,
  payload = PAYLOAD as string | null,
  form = null as string | null,
} = {}) {
  const registry = new Registry();
  const { webhookUid: uid, webhookName: name } = makeDelivery();
  const credential = { mode: 'token', accepts: () => true } as const;
  const checked = { credential, credentialWith: () => credential, pinned: { secretName: 'CI', version: 1 } };
  const live = {
    ref: 5,
    uid,
    name,
    factory: 'payments',
    revision: 'beef',
    ...checked,
    handshakes: [],
    event: null,
    summary: [],
    subject: null,
    describedBy: [],
    credentialHeaders: new Set<string>(),
    recordedHeaders: new Map(),
    claimedIdentity: () => null,
  };
  registry.replaceFactory(
    'payments',
    isLive
      ? [
          {
            ...live,
            form: null,
            identityHeader: null,
            identityPath: null,
            hasBodyKey: false,
            deduplicate: true,
            provider: null,
            success: { status: 202, body: null },
            holdsSecret: () => false,
            listeners,
            pushBranch: null,
          },
        ]
      : [],
  );
  const recorded: (DeliveryOffer | ReplayEntry)[] = [];
  const woken: string[] = [];
  const context: ReplayContext = {
    registry,
    ids,
    clock: createStandingClock(),
    recorder: {
      offer: async (entry): Promise<OfferOutcome> => {
        recorded.push(entry);
        return { label: 'Accepted' };
      },
    },
    deliveries: {
      form: async () => (form === null ? null : new TextEncoder().encode(form)),
      payload: async () => (payload === null ? null : new TextEncoder().encode(payload)),
    },
    tracer: null,
    onRunsCreated: (factory) => void woken.push(factory),
  };
  return { control: { replay: (order: ReplayOrder) => replayDelivery(context, order) }, recorded, woken };
}

describe('a replay', () => {
  it('is a separate delivery with the same identity and bytes, for the automations that are live now', async () => {
    const { control, recorded, woken } = open();
    const delivery = makeDelivery();
    const { outcome, ...made } = await control.replay({ ...ORDER, delivery });
    const [entry] = recorded;
    expect([outcome, made]).toEqual(['replayed', { id: entry!.id }]);
    expect(entry).toMatchObject({
      kind: 'replay',
      replayOf: delivery.id,
      identity: { source: delivery.deliveryIdSource, value: delivery.deliveryId },
      webhook: 5,
      revision: 'beef',
      applyNumber: 3,
      only: null,
      receivedAt: NOW_MS,
      clientAddress: '198.51.100.9',
      size: Buffer.byteLength(PAYLOAD),
    });
    expect(Buffer.from(entry!.body).toString()).toBe(PAYLOAD);
    expect(entry!.runs.map(({ automation }) => automation)).toEqual(['a', 'b']);
    expect(woken).toEqual(['payments']);
  });

  it('has the form of the original, and its size', async () => {
    const { control, recorded } = open({ form: 'payload=%7B%7D' });
    await control.replay({ ...ORDER, delivery: makeDelivery() });
    const { body, form, size } = recorded[0]!;
    expect([Buffer.from(body).toString(), Buffer.from(form!).toString(), size]).toEqual([
      PAYLOAD,
      'payload=%7B%7D',
      14,
    ]);
  });

  it('of a replay names the delivery that the sender posted', async () => {
    const { control, recorded } = open();
    await control.replay({ ...ORDER, delivery: makeDelivery({ id: 'dlv_b', replayOf: 'dlv_a' }) });
    expect(recorded[0]).toMatchObject({ replayOf: 'dlv_a' });
  });

  it('goes to one automation if one is named', async () => {
    const { control, recorded } = open();
    await control.replay({ ...ORDER, automation: 'b', delivery: makeDelivery() });
    expect(recorded[0]).toMatchObject({ only: 'b', runs: [{ automation: 'b' }] });
  });

  it('does not trigger the dispatcher if no run starts', async () => {
    const { control, recorded, woken } = open({ listeners: listenAll() });
    expect(await control.replay({ ...ORDER, delivery: makeDelivery() })).toMatchObject({ outcome: 'replayed' });
    expect([recorded.length, woken]).toEqual([1, []]);
  });

  it.each([
    ['no payload is kept', { payload: null }, null, 'Only accepted deliveries have a payload'],
    ['the webhook takes no deliveries', { isLive: false }, null, 'disabled or deleted'],
    ['the automation has no trigger for it', {}, 'c', 'No automation c currently listens'],
  ])('is rejected if %s', async (_, parts, automation, why) => {
    const { control, recorded } = open(parts);
    const answer = await control.replay({ ...ORDER, automation, delivery: makeDelivery() });
    expect(answer).toEqual({ outcome: 'rejected', why: expect.stringContaining(why) });
    expect(recorded).toEqual([]);
  });
});
