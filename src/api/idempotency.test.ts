import { describe, expect, it } from 'vitest';
import { createFakeAdminServices } from '../../test/helpers/admin-services.ts';
import { createAdminServer } from './create-admin-server.ts';
import type { AdminServices } from './services.ts';

const WEBHOOKS = '/api/v1/factories/payments/webhooks';
const HOSTED: Partial<AdminServices> = {
  factorySource: () => ({ type: 'live', url: null, branch: null, path: null }),
};

function open(more: Partial<AdminServices> = {}) {
  const services = createFakeAdminServices({ ...HOSTED, ...more });
  const app = createAdminServer(services);
  const owner = services.grant('owner');
  const post = async (url: string, payload: object, key: string, token = owner) => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
    const { statusCode, headers: got, body } = await app.inject({ method: 'POST', url, headers, payload });
    return { status: statusCode, replayed: got['idempotent-replayed'], etag: got.etag, body: JSON.parse(body) };
  };
  return { services, post };
}

describe('a request with an idempotency key', () => {
  it('is carried out once, and answered again with all that was shown the first time', async () => {
    const { services, post } = open();
    const first = await post(WEBHOOKS, { name: 'ci' }, 'key-1');
    expect(first).toMatchObject({ status: 201, replayed: undefined, body: { name: 'ci', secret: 'dbs_generated' } });
    const again = await post(WEBHOOKS, { name: 'ci' }, 'key-1');
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(services.seen.edited).toEqual(['createWebhook']);
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

  it('is refused with another body under the same key', async () => {
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
    expect(services.seen.edited).toHaveLength(2);
  });

  it('can be repeated until it succeeds', async () => {
    let failures = 1;
    const { editor } = createFakeAdminServices();
    const { post } = open({
      editor: {
        ...editor,
        writeAutomation: async () => {
          if (failures-- > 0) throw new Error('broken');
          return true;
        },
      },
    });
    const body = { name: 'fix-errors', triggers: [], prompt: 'x' };
    const url = '/api/v1/factories/payments/automations';
    expect((await post(url, body, 'k')).status).toBe(500);
    expect(await post(url, body, 'k')).toMatchObject({ status: 201, replayed: undefined });
    expect(await post(url, body, 'k')).toMatchObject({ status: 201, replayed: 'true' });
  });

  it('is told to wait while the first one is under way', async () => {
    let release = () => {};
    const gate = new Promise<boolean>((resolve) => {
      release = () => resolve(true);
    });
    const { editor } = createFakeAdminServices();
    const { post } = open({ editor: { ...editor, writeAutomation: () => gate } });
    const url = '/api/v1/factories/payments/automations';
    const body = { name: 'fix-errors', triggers: [], prompt: 'x' };
    const first = post(url, body, 'k');
    await new Promise(setImmediate);
    expect((await post(url, body, 'k')).body).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
    release();
    expect((await first).status).toBe(201);
    expect(await post(url, body, 'k')).toMatchObject({ status: 201, replayed: 'true' });
  });

  it.each(['', 'with space', 'é', 'x'.repeat(256)])('is refused with the key %j', async (key) => {
    const { services, post } = open();
    expect((await post(WEBHOOKS, { name: 'ci' }, key)).status).toBe(400);
    expect(services.seen.edited).toEqual([]);
  });
});
