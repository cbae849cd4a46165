import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/helpers/eventually.ts';
import {
  createSeededServer,
  createSeededServices,
  DELETED_UID,
  DELIVERY_ID,
  HOSTILE_TEXT,
  REJECTED_ID,
  REPLAY_ID,
  REPLAY_JOB_ID,
  WEBHOOK_UID,
} from '../../../test/helpers/seeded-services.ts';
import type { Role } from '../../domain/access/access.ts';

const F = '/api/v1/factories/payments/replays';

function open(role: Role = 'operator') {
  const services = createSeededServices();
  const app = createSeededServer(services);
  const headers = { authorization: `Bearer ${services.grant(role)}` };
  const call = async (method: InjectOptions['method'], url: string, payload?: object) => {
    const answer = await app.inject({ method: method!, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json(), location: answer.headers.location };
  };
  const waitForEnd = (id: string) =>
    eventually(async () => {
      const { body } = await call('GET', `/api/v1/replays/${id}`);
      return body.finished_at === null ? null : body;
    });
  return { services, call, get: (url: string) => call('GET', url), waitForEnd };
}

describe('a dry run of a replay', () => {
  it('counts what would start, and names examples, without storing anything', async () => {
    const { get } = open();
    const { status, body } = await get(`${F}/preview`);
    expect([status, body]).toEqual([
      200,
      {
        total: 2,
        examined: 2,
        replayed: 1,
        matched: 1,
        runs: 1,
        skipped: [{ reason: 'is_replay', reason_text: 'The delivery is a replay of another one.', count: 1 }],
        automations: [
          {
            automation: 'fix-errors',
            runs: 1,
            examples: [{ delivery: DELIVERY_ID, delivery_id: HOSTILE_TEXT, received_at: expect.any(String) }],
          },
        ],
        next_cursor: null,
      },
    ]);
    expect((await get(F)).body.data).toHaveLength(1);
  });

  it.each([
    ['another automation', '?automation=other', { replayed: 1, matched: 0, automations: [] }],
    ['an event that nothing had', '?event=push', { total: 2, examined: 2, replayed: 0 }],
    ['a time without deliveries', '?from=2999-01-01T00:00:00Z', { total: 0, examined: 0, replayed: 0 }],
    ['one delivery', `?delivery=${DELIVERY_ID}`, { total: 1, replayed: 1, matched: 1 }],
    ['one delivery that is a replay', `?delivery=${REPLAY_ID}`, { total: 1, replayed: 1, skipped: [] }],
    ['the webhook', `?webhook=${WEBHOOK_UID}&unmatched=true`, { total: 2, replayed: 0 }],
    ['the definition of that time', '?as_of=then', { replayed: 1, matched: 0 }],
  ])('is limited to %s', async (_, query, expected) => {
    expect((await open().get(`${F}/preview${query}`)).body).toMatchObject(expected);
  });

  it.each([
    ['a cursor of another list', '?cursor=bm8', 400],
    ['no time', '?from=yesterday', 400],
    ['a delivery and filters', `?delivery=${DELIVERY_ID}&event=push`, 400],
    ['a rejected delivery', `?delivery=${REJECTED_ID}`, 409],
    ['an unknown delivery', '?delivery=dlv_00000000000000000000000000', 404],
    ['an unknown webhook', '?webhook=wh_00000000000000000000000000', 404],
  ])('is rejected for %s', async (_, query, status) => {
    expect((await open().get(`${F}/preview${query}`)).status).toBe(status);
  });

  it('is possible for a deleted webhook, whose deliveries are then skipped', async () => {
    expect((await open().get(`${F}/preview?webhook=${DELETED_UID}`)).status).toBe(200);
  });
});

describe('a replay', () => {
  it('works in the background, replays each delivery once, and shows how far it is', async () => {
    const { call, get, waitForEnd } = open();
    const created = await call('POST', F, { rate: 1000 });
    const { id } = created.body;
    expect([created.status, created.location]).toEqual([201, `/api/v1/replays/${id}`]);
    expect(created.body).toMatchObject({ state: 'pending', total: 2, filter: {}, as_of: 'now', rate: 1000 });
    expect(await waitForEnd(id)).toMatchObject({
      state: 'finished',
      examined: 2,
      replayed: 1,
      matched: 1,
      runs: 1,
      skipped: [{ reason: 'is_replay', count: 1 }],
      requested_by: { kind: 'token' },
    });
    const { data } = (await get('/api/v1/factories/payments/deliveries')).body;
    expect(data.filter((row: { replay_of: string }) => row.replay_of === DELIVERY_ID)).toHaveLength(2);
    expect((await get(F)).body.data.map((row: { id: string }) => row.id)).toEqual([id, REPLAY_JOB_ID]);
    expect((await get(`${F}?state=cancelled`)).body.data).toEqual([]);
  });

  it('can be cancelled once, and is audited with its filters', async () => {
    const { call, get } = open('owner');
    const { body } = await call('POST', F, { rate: 1, as_of: 'then', search: 'error' });
    const cancel = `/api/v1/replays/${body.id}/cancel`;
    const cancelled = await call('POST', cancel);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await call('POST', cancel)).status).toBe(409);
    const entries = (await get('/api/v1/audit')).body.data;
    expect(entries.map(({ object }: { object: string }) => object)).toEqual(
      expect.arrayContaining([`replays/${body.id}/cancel`, `factories/payments/replays/${body.id}`]),
    );
    const made = entries.find(({ object }: { object: string }) => object === `factories/payments/replays/${body.id}`);
    expect(made.changes).toEqual({ rate: 1, as_of: 'then', search: '[not shown]', deliveries: 2 });
  });

  it('is rejected if too many are open', async () => {
    const { services, call } = open();
    const { storage } = services;
    const open10 = async () => {
      const seeded = (await storage.replays.get(REPLAY_JOB_ID))!;
      for (let place = 0; place < 10; place += 1) {
        const id = `rpl_01kdy5zabcdefghjkmnpqrst${place}0` as const;
        await storage.replays.insert({ ...seeded, id, state: 'running', finishedAt: null }, 99);
      }
    };
    // A start continues the replays that are open, and would end these.
    await services.start();
    await open10();
    expect(await call('POST', F, {})).toMatchObject({ status: 409, body: { detail: expect.stringContaining('10') } });
  });
});
