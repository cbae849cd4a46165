import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { eventually } from '../helpers/eventually.ts';
import { START_MS, startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

let ingress: TestIngress;

afterEach(() => ingress.close());

/** The stored counts of a webhook by reason. */
async function countsOf(name?: string): Promise<Record<string, number>> {
  await ingress.context.unlogged.flush();
  const counts = await ingress.storage.unloggedCounts.list({ webhookUid: ingress.uid(name), sinceAt: 0 });
  return Object.fromEntries(counts.map(({ reason, count }) => [reason, count]));
}

const status = async (...request: Parameters<TestIngress['post']>) => (await ingress.post(...request)).status;

it('counts 404 of disabled and deleted webhooks and of other paths, and 405, by webhook and reason', async () => {
  ingress = await startIngress({ webhooks: [{}, { name: 'off', enabled: false }, { name: 'gone' }] });
  await ingress.apply([{}, { name: 'off', enabled: false }]);
  for (const path of [ingress.path('off'), `${ingress.path('off')}/token`, `${ingress.path('off')}/a/b`]) {
    expect(await status(path)).toBe(404);
  }
  expect(await status(ingress.path('off'), { method: 'PUT' })).toBe(405);
  expect(await status(ingress.path('gone'))).toBe(404);
  expect(await status(`${ingress.path()}/`)).toBe(404);
  expect(await status(`${ingress.path()}/${TOKEN}`)).toBe(404);
  expect(await status(ingress.path(), { method: 'PUT' })).toBe(405);
  expect(await countsOf('off')).toEqual({ disabled: 3, method_not_allowed: 1 });
  expect(await countsOf('gone')).toEqual({ deleted: 1 });
  expect(await countsOf()).toEqual({ unexpected_path: 2, method_not_allowed: 1 });
});

it('counts both kinds of 429, 503 of a full storage, and requests without an answer', async () => {
  let isFull = false;
  ingress = await startIngress({
    webhooks: [{}, { name: 'unreadable', secret: null }],
    limits: { deliveriesPerMinute: 2, failedAuthPerMinute: 1 },
    wrapLog: (log) => ({
      record: (batch) =>
        isFull ? Promise.reject(new AppError('storage_unavailable', 'disk full')) : log.record(batch),
    }),
  });
  isFull = true;
  expect(await status('hook', { body: '{}' })).toBe(503);
  // The rejection has an answer, but its row cannot be stored.
  expect(await status(ingress.path())).toBe(401);
  await ingress.context.recorder.drain();
  isFull = false;
  expect(await status('hook', { body: '{}' })).toBe(202);
  expect(await status('hook', { body: '{}' })).toBe(429);
  expect(await status(ingress.path())).toBe(429);
  expect(await status('unreadable', { body: '{}' })).toBe(503);
  expect(await countsOf()).toEqual({ storage: 1, row_not_stored: 1, delivery_rate: 1, failed_auth_rate: 1 });
  expect(await countsOf('unreadable')).toEqual({ secret_unreadable: 1 });
});

it('counts bodies that never arrive completely, and requests that break the rules of HTTP', async () => {
  ingress = await startIngress({
    bounds: { requestTimeout: 1_000, headersTimeout: 1_000, connectionsCheckingInterval: 50 },
  });
  const head = `POST ${ingress.path()} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${TOKEN}\r\n`;
  const leaving = await ingress.connect();
  leaving.send(`${head}Content-Length: 100\r\n\r\n{`).socket.end();
  const slow = await ingress.connect();
  slow.send(`${head}Content-Length: 100\r\n\r\n{`);
  await Promise.all([leaving.closed(), slow.closed()]);
  const twoHosts = await ingress.connect();
  expect((await twoHosts.send(`${head}Host: other\r\nContent-Length: 2\r\n\r\n{}`).readAnswer())?.status).toBe(400);
  await eventually(async () => (await countsOf()).incomplete_body === 2);
  expect(await countsOf()).toEqual({ incomplete_body: 2, malformed_request: 1 });
  expect(await ingress.deliveries()).toEqual([]);
});

describe('the counts', () => {
  it('are kept in memory while the storage cannot take them, with the time of the last request', async () => {
    ingress = await startIngress({ webhooks: [{ enabled: false }] });
    const { unloggedCounts } = ingress.storage;
    const add = unloggedCounts.add;
    unloggedCounts.add = () => Promise.reject(new AppError('storage_unavailable', 'disk full'));
    await status(ingress.path());
    expect(await countsOf()).toEqual({});
    expect(ingress.seen.trouble).toMatchObject([{ message: 'disk full' }]);
    ingress.clock.advance(2_000);
    await status(ingress.path());
    ingress.clock.advance(2_000);
    unloggedCounts.add = add;
    expect(await countsOf()).toEqual({ disabled: 2 });
    expect(await unloggedCounts.list({ webhookUid: ingress.uid(), sinceAt: 0 })).toMatchObject([
      { lastAt: START_MS + 2_000 },
    ]);
    expect(await countsOf()).toEqual({ disabled: 2 });
  });
});
