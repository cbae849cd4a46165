import { describe, expect, it } from 'vitest';
import {
  createSeededServer,
  createSeededServices,
  type SeededServices,
} from '../../../test/helpers/seeded-services.ts';

const GENERATED = expect.stringMatching(/^dbs_[\w-]{43}$/);
const WEBHOOKS = '/api/v1/factories/payments/webhooks';
const AUTOMATIONS = '/api/v1/factories/payments/automations';
const TRIGGER = { provider: 'webhook', event: 'received', filter: { webhooks: ['internal-ci'] } };
const AUTOMATION = { name: 'tidy-up', triggers: [TRIGGER], prompt: 'x' };

function open(change: (services: SeededServices) => void = () => undefined) {
  const services = createSeededServices({}, { source: 'live' });
  change(services);
  const app = createSeededServer(services);
  const owner = services.grant('owner');
  const post = async (url: string, payload: object, key: string, token = owner) => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
    const { statusCode, headers: got, body } = await app.inject({ method: 'POST', url, headers, payload });
    return { status: statusCode, replayed: got['idempotent-replayed'], etag: got.etag, body: JSON.parse(body) };
  };
  return { services, post };
}

describe('a request with an idempotency key', () => {
  it('is executed once, and returns the whole first response again', async () => {
    const { services, post } = open();
    const first = await post(WEBHOOKS, { name: 'ci' }, 'key-1');
    expect(first).toMatchObject({ status: 201, replayed: undefined, body: { name: 'ci', secret: GENERATED } });
    const again = await post(WEBHOOKS, { name: 'ci' }, 'key-1');
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(services.seen.edited).toEqual(['createWebhook']);
    const names = (await services.inventory.webhooks('payments')).map(({ name }) => name);
    expect(names.filter((name) => name === 'ci')).toHaveLength(1);
  });

  it('makes no second API token', async () => {
    const { services, post } = open();
    const before = (await services.tokens.list()).length;
    const made = [
      await post('/api/v1/tokens', { name: 'ci', role: 'viewer' }, 'k'),
      await post('/api/v1/tokens', { name: 'ci', role: 'viewer' }, 'k'),
    ];
    expect(made[1]?.body).toEqual(made[0]?.body);
    expect((await services.tokens.list()).length).toBe(before + 1);
  });

  it('is not executed again if its response was lost after the change', async () => {
    const { services, post } = open((seeded) => {
      seeded.answers = { ...seeded.answers, keep: async () => Promise.reject(new Error('the daemon was killed')) };
    });
    const before = (await services.tokens.list()).length;
    expect((await post('/api/v1/tokens', { name: 'ci', role: 'viewer' }, 'k')).status).toBe(201);
    const again = await post('/api/v1/tokens', { name: 'ci', role: 'viewer' }, 'k');
    expect(again.body).toMatchObject({ status: 409, code: 'idempotency_answer_lost' });
    expect((await services.tokens.list()).length).toBe(before + 1);
  });

  it('is rejected with another body under the same key', async () => {
    const { services, post } = open();
    await post(WEBHOOKS, { name: 'ci' }, 'key-1');
    const other = await post(WEBHOOKS, { name: 'other' }, 'key-1');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(services.seen.edited).toEqual(['createWebhook']);
  });

  it('is another one for another token', async () => {
    const { services, post } = open();
    const first = await post(WEBHOOKS, { name: 'ci' }, 'key-1');
    const other = await post(WEBHOOKS, { name: 'ci' }, 'key-1', services.grant('manager'));
    expect([first.replayed, other.replayed]).toEqual([undefined, undefined]);
    // The name is taken by then: the second request is executed, and its answer is another one.
    expect([first.status, other.status, other.body.code]).toEqual([201, 409, 'conflict']);
    expect(services.seen.edited).toHaveLength(2);
  });

  it('can be repeated until it succeeds', async () => {
    let failures = 1;
    const { post } = open((services) => {
      const { writeAutomation } = services.editor;
      services.editor.writeAutomation = async (...edit) => {
        if (failures-- > 0) throw new Error('broken');
        return writeAutomation(...edit);
      };
    });
    expect((await post(AUTOMATIONS, AUTOMATION, 'k')).status).toBe(500);
    expect(await post(AUTOMATIONS, AUTOMATION, 'k')).toMatchObject({ status: 201, replayed: undefined });
    expect(await post(AUTOMATIONS, AUTOMATION, 'k')).toMatchObject({ status: 201, replayed: 'true' });
  });

  it('is rejected while the first one is in progress', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { post } = open((services) => {
      const { writeAutomation } = services.editor;
      services.editor.writeAutomation = (...edit) => gate.then(() => writeAutomation(...edit));
    });
    const first = post(AUTOMATIONS, AUTOMATION, 'k');
    await new Promise(setImmediate);
    expect((await post(AUTOMATIONS, AUTOMATION, 'k')).body).toMatchObject({
      status: 409,
      code: 'idempotency_key_in_use',
    });
    release();
    expect((await first).status).toBe(201);
    expect(await post(AUTOMATIONS, AUTOMATION, 'k')).toMatchObject({ status: 201, replayed: 'true' });
  });

  it.each(['', 'with space', 'é', 'x'.repeat(256)])('is rejected with the key %j', async (key) => {
    const { services, post } = open();
    expect((await post(WEBHOOKS, { name: 'ci' }, key)).status).toBe(400);
    expect(services.seen.edited).toEqual([]);
  });
});
