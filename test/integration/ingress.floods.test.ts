import { afterEach, expect, it } from 'vitest';
import { handleDelivery } from '../../src/ingress/handle-delivery.ts';
import { DISCONNECTED, type IngressContext } from '../../src/ingress/ingress-context.ts';
import { createRequestHeaders } from '../../src/ingress/transport/request-headers.ts';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

let ingress: TestIngress;

afterEach(() => ingress.close());

/** Handles a request without a socket. Resolves with the status of the answer. */
async function send(context: IngressContext, path: string, clientAddress = '192.0.2.1'): Promise<number> {
  const outcome = await handleDelivery(context, {
    method: 'POST',
    target: { path, query: '' },
    clientAddress,
    headers: createRequestHeaders([]),
    readBody: () => Promise.reject(new Error('no step may read this body')),
  });
  if (outcome === DISCONNECTED) throw new Error('the request ended without an answer');
  return outcome.status;
}

it('a flood of failed authentications writes at most 600 rows per minute and one summary of the rest', async () => {
  ingress = await startIngress({ limits: { failedAuthPerMinute: 100_000 } });
  for (let i = 0; i < 1_500; i++) {
    expect(await send(ingress.context, ingress.path())).toBe(401);
    ingress.clock.advance(10);
  }
  ingress.clock.advance(60_000);
  ingress.context.rejectionRows.flush(ingress.clock.monotonicMs());
  const rows = await ingress.deliveries();
  expect(rows).toHaveLength(601);
  expect(rows[0]).toMatchObject({ label: 'Rejected (auth)', reason: 'summed_up', count: 900 });
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(1_500);
  expect(ingress.seen.labels).toHaveLength(1_500);
  expect(ingress.seen.rejections).toEqual(Array(900).fill('rejection_rows'));
});

it('a flood from one address is answered 429 and writes 30 rows', async () => {
  ingress = await startIngress();
  for (let i = 0; i < 500; i++) await send(ingress.context, ingress.path());
  expect(await ingress.deliveries()).toHaveLength(30);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
});

it('any number of unknown webhooks uses no memory and writes no row (threat model N3)', async () => {
  ingress = await startIngress();
  const untouchable = new Proxy(
    {},
    {
      get: () => () => {
        throw new Error('kept something of an unknown webhook');
      },
    },
  );
  const context = {
    ...ingress.context,
    ...({ limits: untouchable, recorder: untouchable, rejectionRows: untouchable } as object),
  };
  const count = { rejections: 0 };
  const metrics = {
    countDelivery: () => {},
    observeDelivery: () => {},
    countHandshake: () => {},
    countRejection: () => {
      count.rejections += 1;
    },
  };
  for (let i = 0; i < 100_000; i++) {
    const status = await send({ ...context, metrics } as IngressContext, `/webhooks/w/wh_${i}`, `192.0.2.${i}`);
    if (status !== 404) throw new Error(`answered ${status}`);
  }
  expect(count.rejections).toBe(100_000);
  expect(await ingress.deliveries()).toEqual([]);
});
