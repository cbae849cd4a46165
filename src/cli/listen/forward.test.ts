import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Delivery, Webhook } from '../../client/api-types.ts';
import { createUrlForward } from './forward.ts';

const received: (IncomingHttpHeaders & { url: string | undefined })[] = [];
const target = createServer((request, response) => {
  received.push({ ...request.headers, url: request.url });
  request.resume().once('end', () => response.end());
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
});
afterAll(() => target.close());

/** The headers that a target gets. */
async function forward(delivery: object, webhook: object = {}, secret: string | null = null) {
  const known = {
    auth_mode: 'token',
    signature_scheme: null,
    signature: null,
    delivery_id_header: 'X-Id',
    delivery_id_path: null,
  };
  const entry = { id: 'dlv_1', replay_of: null, delivery_id: 'event-1', delivery_id_source: 'header', headers: {} };
  const to = { url, webhook: { ...known, ...webhook } as Webhook, secret, newId: () => 'new', nowMs: () => 0 };
  const outcome = await createUrlForward(to).send({ ...entry, ...delivery } as Delivery, Buffer.from('{}'));
  expect(outcome).toEqual({ status: 200, error: null });
  return received.at(-1)!;
}

it('omits recorded headers that are redacted or cut', async () => {
  const headers = {
    'x-event': 'push',
    'x-token': '[redacted]',
    'x-long': 'a'.repeat(1000),
    'x-short': 'a'.repeat(999),
  };
  const sent = await forward({ headers });
  expect(sent).toMatchObject({ 'x-event': 'push', 'x-short': headers['x-short'], 'x-id': 'event-1' });
  expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['x-token']));
  expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['x-long']));
});

it('names a replay after its entry, so that it is not a duplicate of the original', async () => {
  expect(await forward({ replay_of: 'dlv_0' }, {}, 'secret')).toMatchObject({ 'x-id': 'dlv_1' });
  expect(await forward({}, {}, 'secret')).toMatchObject({ 'x-id': 'event-1', authorization: 'Bearer secret' });
});

it('never sends the token of a url_token webhook', async () => {
  const sent = await forward({}, { auth_mode: 'url_token' }, 'secret');
  expect(sent.url).toBe('/');
  expect(JSON.stringify(sent)).not.toContain('secret');
});
