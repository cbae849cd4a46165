import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import type { RawConnection } from '../helpers/raw-connection.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

let ingress: TestIngress;

afterEach(() => ingress.close());

const head = (lines: string[]) => [`POST ${ingress.path()} HTTP/1.1`, 'Host: h', ...lines].join('\r\n');

it('hundreds of idle and slow connections do not delay a valid sender, and are closed (threat model N2)', {
  tags: 'full',
}, async () => {
  ingress = await startIngress({
    bounds: { headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 100 },
    limits: { deliveriesPerMinute: 1_000 },
  });
  const silent = await Promise.all(Array.from({ length: 100 }, () => ingress.connect()));
  const slowHeaders = await Promise.all(
    Array.from({ length: 100 }, async () => (await ingress.connect()).send(`${head([])}\r\nX-Slow: `)),
  );
  const auth = `Authorization: Bearer ${TOKEN}`;
  const slowBodies = await Promise.all(
    Array.from({ length: 100 }, async () => {
      return (await ingress.connect()).send(`${head([auth, 'Content-Length: 200000'])}\r\n\r\n{"a":`);
    }),
  );
  const all = [...silent, ...slowHeaders, ...slowBodies];
  const dripping = setInterval(() => {
    for (const connection of [...slowHeaders, ...slowBodies]) if (!connection.isClosed) connection.send('x');
  }, 50);
  let sent = 0;
  try {
    while (!all.every(({ isClosed }) => isClosed)) {
      expect((await ingress.post('hook', { body: `{"n":${sent++}}` })).status).toBe(202);
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (sent > 500) throw new Error(`${all.filter(({ isClosed }) => !isClosed).length} connections are still open`);
    }
  } finally {
    clearInterval(dripping);
  }
  // A delayed sender would get its first answer only after the last of them was closed.
  expect(sent).toBeGreaterThan(2);
  for (const connection of [...slowHeaders, ...slowBodies]) expect((await connection.readAnswer())?.status).toBe(408);
  const labels = new Set((await ingress.deliveries()).map(({ label }) => label));
  expect([...labels]).toEqual(['Accepted']);
});

it('a connection without requests is closed when it stays idle', async () => {
  ingress = await startIngress({ bounds: { keepAliveTimeout: 100, keepAliveTimeoutBuffer: 0 } });
  const connection = await ingress.connect();
  connection.send(`${head(['Authorization: Bearer x', 'Content-Length: 2'])}\r\n\r\n{}`);
  expect((await connection.readAnswer())?.status).toBe(401);
  await connection.closed();
});

/** Sends a delivery without waiting for its answer. */
const deliver = (connection: RawConnection, id: string) =>
  connection.send(
    `${head([`Authorization: Bearer ${TOKEN}`, `X-Service-Delivery-Id: ${id}`, 'Content-Length: 2'])}\r\n\r\n{}`,
  );

it('a sender that ignores the announced idle time is answered on the same connection', async () => {
  ingress = await startIngress({ bounds: { keepAliveTimeout: 100 } });
  const connection = await ingress.connect();
  expect((await deliver(connection, 'first').readAnswer())?.head).toContain('Keep-Alive: timeout=0,');
  // Node.js alone adds a second to the announced time.
  await pause(1_300);
  expect((await deliver(connection, 'second').readAnswer())?.status).toBe(202);
});

it('a request that arrived before the end of the idle time is answered, even if the process was busy at its end', async () => {
  ingress = await startIngress({ bounds: { keepAliveTimeout: 600, keepAliveTimeoutBuffer: 0 } });
  const connection = await ingress.connect();
  expect((await deliver(connection, 'first').readAnswer())?.status).toBe(202);
  await pause(300);
  // After `setImmediate`, the next timers are due before any socket is read.
  await new Promise((resolve) => setImmediate(resolve));
  deliver(connection, 'second');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  expect((await connection.readAnswer())?.status).toBe(202);
  await connection.closed();
});

it('with more than half of the possible connections open, each is closed with its answer, and the answer announces it', async () => {
  ingress = await startIngress({ bounds: { maxConnections: 4 } });
  const [first, second, third] = await Promise.all([ingress.connect(), ingress.connect(), ingress.connect()]);
  // The server accepts them after the clients are connected.
  await pause(200);
  expect((await deliver(first!, 'crowded').readAnswer())?.head).toContain('Connection: close');
  await first!.closed();
  expect((await deliver(second!, 'roomy').readAnswer())?.head).toContain('Connection: keep-alive');
  third!.destroy();
});

it('a connection accepts a limited number of requests', async () => {
  ingress = await startIngress({ bounds: { maxRequestsPerSocket: 3 } });
  const connection = await ingress.connect();
  for (let n = 1; n <= 3; n++) {
    connection.send(`${head(['Authorization: Bearer x', 'Content-Length: 2'])}\r\n\r\n{}`);
    const answer = await connection.readAnswer();
    expect([n, answer?.status, /Connection: close/.test(answer!.head)]).toEqual([n, 401, n === 3]);
  }
  await connection.closed();
});

it('connections beyond the limit are not accepted, and existing ones continue', async () => {
  ingress = await startIngress({ bounds: { maxConnections: 5 } });
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
  const others = await Promise.all(Array.from({ length: 10 }, () => ingress.connect()));
  await eventually(() => others.filter(({ isClosed }) => isClosed).length === 6);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
});
