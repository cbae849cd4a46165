import { afterEach, beforeEach, expect, it } from 'vitest';
import { explainDelivery } from '../../src/api/deliveries/explain-delivery.ts';
import { decideListener } from '../../src/definitions/filter/listeners/decide-listener.ts';
import type { DeliveryId } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Decision } from '../../src/domain/resources/delivery.ts';
import { type ReplayContext, replayDelivery } from '../../src/ingress/replay/replay-delivery.ts';
import type { Inspector } from '../../src/reconcile/inspection/create-inspector.ts';
import { receive } from '../../src/reconcile/inspection/inspection.ts';
import { startIngress, type TestAutomation, type TestIngress } from '../helpers/start-ingress.ts';

const AUTOMATIONS: TestAutomation[] = [
  { name: 'all', webhook: 'hook' },
  { name: 'broken', webhook: 'hook', payload: { level: [] } },
  { name: 'elsewhere', webhook: 'other' },
  { name: 'error', webhook: 'hook', payload: { level: ['error'] } },
  { name: 'fatal', webhook: 'hook', payload: { data: { level: ['fatal'] } } },
  { name: 'off', webhook: 'hook', enabled: false },
];
const BODY = { level: 'error', data: { level: 'error' } };

let ingress: TestIngress;
beforeEach(async () => {
  ingress = await startIngress({ webhooks: [{}, { name: 'other' }], automations: AUTOMATIONS });
});
afterEach(() => ingress.close());

/** In this thread. The daemon uses another one. */
const inspector: Pick<Inspector, 'decideListeners'> = {
  decideListeners: async (listeners, delivery) => {
    return listeners.map((listener) => decideListener(listener, receive(delivery)));
  },
};

async function explain(id: DeliveryId, page: { limit?: number; cursor?: string | null } = {}) {
  const parts = { deliveries: ingress.storage.deliveryReader, inspector };
  const { limit = 200, cursor = null } = page;
  return explainDelivery(parts, { id, webhookUid: ingress.uid('hook'), headers: null }, { limit, cursor });
}

async function deliver(body: JsonObject = BODY): Promise<DeliveryId> {
  const { status } = await ingress.post('hook', {
    body: JSON.stringify(body),
    headers: { 'x-service-delivery-id': `${Math.random()}` },
  });
  expect(status).toBe(202);
  return (await ingress.deliveries('hook'))[0]!.id;
}

const outcomes = (decisions: Decision[]) => decisions.map(({ automation, outcome }) => `${automation}: ${outcome}`);

it('composes the decisions of all listening automations, by name', async () => {
  const id = await deliver();
  const { decisions } = await explain(id);
  expect(outcomes(decisions)).toEqual([
    'all: started',
    'broken: filter_error',
    'error: started',
    'fatal: filtered',
    'off: disabled',
  ]);
  const [delivery] = await ingress.deliveries('hook');
  expect(decisions.flatMap(({ run }) => run ?? [])).toEqual(delivery!.runs);
  expect(decisions[3]).toEqual({
    automation: 'fatal',
    outcome: 'filtered',
    run: null,
    path: 'data.level',
    expected: ['fatal'],
    actual: 'error',
    message: expect.stringContaining('data.level is "error"'),
    nearness: { matched: false, held: 0, present: true },
  });
});

it('returns the decisions of the time of the delivery after every kind of change', async () => {
  const id = await deliver();
  const before = await explain(id);
  const webhooks = [{}, { name: 'other' }];
  const changes: [string, () => Promise<void>][] = [
    ['changed', () => ingress.apply(webhooks, [{ name: 'fatal', webhook: 'hook', payload: { level: ['error'] } }])],
    ['disabled', () => ingress.apply(webhooks, [{ name: 'error', webhook: 'hook', enabled: false }])],
    ['moved to another webhook', () => ingress.apply(webhooks, [{ name: 'all', webhook: 'other' }])],
    ['added', () => ingress.apply(webhooks, [{ name: 'new', webhook: 'hook' }])],
    ['disabled webhook', () => ingress.apply([{ enabled: false }, { name: 'other' }])],
    ['deleted webhook', () => ingress.apply([{ name: 'other' }])],
  ];
  for (const [change, apply] of changes) {
    await apply();
    expect([change, await explain(id)]).toEqual([change, before]);
  }
});

it('uses the definitions of each delivery', async () => {
  const first = await deliver();
  await ingress.apply([{}, { name: 'other' }], [{ name: 'fatal', webhook: 'hook', payload: { level: ['error'] } }]);
  const second = await deliver();
  const outcomeOf = async (id: DeliveryId) =>
    (await explain(id)).decisions.find(({ automation }) => automation === 'fatal')!.outcome;
  expect([await outcomeOf(first), await outcomeOf(second)]).toEqual(['filtered', 'started']);
});

it('explains a replay by the definitions of the replay, for the automation that it was limited to', async () => {
  const original = await deliver();
  const before = await explain(original);
  await ingress.apply([{}, { name: 'other' }], [{ name: 'fatal', webhook: 'hook', payload: { level: ['error'] } }]);
  const { registry, recorder, clock, ids } = ingress.context;
  const deliveries = ingress.storage.deliveryReader;
  const context: ReplayContext = {
    registry,
    recorder,
    deliveries,
    tracer: null,
    clock,
    ids,
    onRunsCreated: () => {},
  };
  const delivery = (await deliveries.get(original))!;
  const replay = async (automation: string | null) => {
    const done = await replayDelivery(context, { delivery, automation, clientAddress: '192.0.2.1' });
    if (done.outcome === 'rejected') throw new Error(done.why);
    return outcomes((await explain(done.id)).decisions);
  };
  expect(await replay('fatal')).toEqual(['fatal: started']);
  expect(await replay(null)).toContain('fatal: started');
  expect(await replay('off')).toEqual(['off: disabled']);
  expect(await explain(original)).toEqual(before);
});

it('lists many automations in pages, with all that started on the first', async () => {
  const many = Array.from({ length: 30 }, (_, i) => {
    return {
      name: `a${String(i).padStart(2, '0')}`,
      webhook: 'hook',
      payload: { level: [i === 29 ? 'error' : 'fatal'] },
    };
  });
  await ingress.apply([{}, { name: 'other' }], many);
  const id = await deliver({ level: 'error' });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await explain(id, { limit: 12, cursor });
    if (cursor === null) expect(outcomes(page.decisions)).toContain('a29: started');
    seen.push(...page.decisions.map(({ automation }) => automation));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen.length).toBe(new Set(seen).size);
  expect(seen.sort()).toEqual(
    [...AUTOMATIONS.map(({ name }) => name), ...many.map(({ name }) => name)]
      .filter((name) => name !== 'elsewhere')
      .sort(),
  );
});

it('explains nothing for an entry that was not accepted', async () => {
  await ingress.post(ingress.path('hook'), { body: '{}' });
  const [rejected] = await ingress.deliveries('hook');
  expect(await explain(rejected!.id)).toMatchObject({ decisions: [], nextCursor: null });
});
