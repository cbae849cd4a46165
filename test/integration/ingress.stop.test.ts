import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import type { RawConnection } from '../helpers/raw-connection.ts';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

/** Maximum duration of a clean stop without slow senders; the grace period for slow ones is 5 seconds. */
const QUICK_MS = 2_000;

let ingress: TestIngress;
let hold: Promise<void> | null;

beforeEach(async () => {
  hold = null;
  ingress = await startIngress({
    limits: { deliveriesPerMinute: 100_000 },
    wrapLog: (log) => ({
      record: async (batch) => {
        const recorded = await log.record(batch);
        await hold;
        return recorded;
      },
    }),
  });
});

afterEach(() => ingress.close());

const compose = (id: string, body = '{}') =>
  [
    `POST ${ingress.path()} HTTP/1.1`,
    'Host: h',
    `Authorization: Bearer ${TOKEN}`,
    `X-Service-Delivery-Id: ${id}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

async function measureStopMs(): Promise<number> {
  const from = performance.now();
  await ingress.stop();
  return performance.now() - from;
}

/** Sends one delivery after the other on one connection, as long as the answers leave it open. */
async function keepSending(connection: RawConnection, name: string) {
  for (let n = 1; ; n++) {
    const answer = await connection.send(compose(`${name}-${n}`)).readAnswer();
    if (answer === null) return { answers: n - 1, isLost: true };
    expect(answer.status).toBe(202);
    if (/^connection: close$/im.test(answer.head)) return { answers: n, isLost: false };
  }
}

it('a stop answers every delivery that busy keep-alive senders have sent, and resets no connection', async () => {
  const connections = await Promise.all(Array.from({ length: 12 }, () => ingress.connect()));
  const senders = connections.map((connection, index) => keepSending(connection, `s${index}`));
  await eventually(async () => (await ingress.deliveries()).length > 50);
  expect(await measureStopMs()).toBeLessThan(QUICK_MS);
  const results = await Promise.all(senders);
  expect(results.filter(({ isLost }) => isLost)).toEqual([]);
  for (const connection of connections) {
    await connection.closed();
    expect(connection.failure).toBeNull();
  }
  const answered = results.reduce((sum, { answers }) => sum + answers, 0);
  expect(await ingress.deliveries()).toHaveLength(answered);
});

it('a stop closes idle connections quickly, including those that never sent a request', async () => {
  const [silent, idle] = [await ingress.connect(), await ingress.connect()];
  expect((await idle.send(compose('one')).readAnswer())?.status).toBe(202);
  expect(await measureStopMs()).toBeLessThan(QUICK_MS);
  for (const connection of [silent, idle]) {
    await connection.closed();
    expect([connection.failure, connection.received]).toEqual([null, '']);
  }
});

it('a stop waits for a delivery that is being stored, and closes its connection with the answer', async () => {
  let release!: () => void;
  hold = new Promise((resolve) => {
    release = resolve;
  });
  const connection = (await ingress.connect()).send(compose('slow'));
  await eventually(
    async () =>
      (await ingress.storage.deliveryReader.list({ webhookUid: ingress.uid(), label: null, limit: 1, cursor: null }))
        .data.length === 1,
  );
  const stopped = ingress.stop();
  expect((await ingress.connect()).failure?.message).toContain('ECONNREFUSED');
  release();
  const answer = await connection.readAnswer();
  expect(answer).toMatchObject({ status: 202, head: expect.stringMatching(/^connection: close$/im) });
  await connection.closed();
  expect(connection.failure).toBeNull();
  await stopped;
});

it('a stop accepts a delivery whose second half is still in transit', async () => {
  const text = compose('halves', '{"a":1}');
  const connection = (await ingress.connect()).send(text.slice(0, -3));
  await eventually(() => connection.socket.bytesWritten > 0);
  const stopped = ingress.stop();
  connection.send(text.slice(-3));
  expect((await connection.readAnswer())?.status).toBe(202);
  await stopped;
  expect(connection.failure).toBeNull();
});

it('a stop answers the first request of a new connection, even if it is late', async () => {
  const connection = await ingress.connect();
  // Connections are accepted in their order.
  expect((await ingress.post('/healthz', { method: 'GET' })).status).toBe(200);
  const stopped = ingress.stop();
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect((await connection.send(compose('late')).readAnswer())?.status).toBe(202);
  await stopped;
  expect(connection.failure).toBeNull();
});

it('a stop closes a connection whose headers never end', async () => {
  const connection = (await ingress.connect()).send(compose('headers').slice(0, 40));
  await eventually(() => connection.socket.bytesWritten > 0);
  expect(await measureStopMs()).toBeLessThan(QUICK_MS);
});

it('a stop aborts a sender that is slower than the grace period', async () => {
  const connection = (await ingress.connect()).send(compose('never', '{"a":1}').slice(0, -3));
  await eventually(() => connection.socket.bytesWritten > 0);
  await ingress.stop(200);
  await connection.closed();
  expect(await ingress.deliveries()).toEqual([]);
});

it('a stop that has to hurry ends waiting, answers a request whose rest comes soon, and aborts the others', async () => {
  const [never, late] = [await ingress.connect(), await ingress.connect()];
  const text = compose('late', '{"a":1}');
  never.send(compose('never', '{"a":1}').slice(0, -3));
  late.send(text.slice(0, -3));
  await eventually(() => never.socket.bytesWritten > 0 && late.socket.bytesWritten > 0);
  // It could wait for these connections for six seconds.
  const retired = ingress.retire();
  const from = performance.now();
  ingress.hurry();
  await retired;
  const stopped = ingress.stop();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await late.send(text.slice(-3)).readAnswer())?.status).toBe(202);
  await stopped;
  expect(performance.now() - from).toBeLessThan(3_000);
  expect([await never.readAnswer(), (await ingress.deliveries()).length]).toEqual([null, 1]);
});

it('a stop that has to hurry while it waits ends soon', async () => {
  const connection = (await ingress.connect()).send(compose('never', '{"a":1}').slice(0, -3));
  await eventually(() => connection.socket.bytesWritten > 0);
  const stopped = measureStopMs();
  await new Promise((resolve) => setTimeout(resolve, 200));
  ingress.hurry();
  expect(await stopped).toBeLessThan(3_000);
});

it('a listener that retires accepts new connections, and closes each one with its response', async () => {
  const idle = await ingress.connect();
  expect((await idle.send(compose('one')).readAnswer())?.head).not.toMatch(/^connection: close$/im);
  const retired = ingress.retire();
  for (const connection of [await ingress.connect(), idle]) {
    const answer = await connection.send(compose(`retired-${connection.socket.localPort}`)).readAnswer();
    expect(answer).toMatchObject({ status: 202, head: expect.stringMatching(/^connection: close$/im) });
    await connection.closed();
    expect(connection.failure).toBeNull();
  }
  await retired;
});
