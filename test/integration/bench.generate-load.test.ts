import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { generateLoad, type LoadOrder, requireAccepted, requireSpareTime } from '../../bench/generate-load.ts';

let server: Server;
const bodies = new WeakMap<IncomingMessage, Buffer>();

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function drive(maxRequestsPerSocket: number, answer: RequestListener, order: Partial<LoadOrder> = {}) {
  let connections = 0;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.set(request, Buffer.concat(chunks));
      answer(request, response);
    });
  }).on('connection', () => {
    connections += 1;
  });
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const result = await generateLoad({
    port,
    paths: ['/a', '/b'],
    credential: { kind: 'token', token: 't' },
    bodyBytes: 100,
    project: 'p',
    warmUpMs: 20,
    measuredMs: 150,
    offeredPerSecond: null,
    ...order,
  });
  return { result, connections };
}

it('the load generator opens a new connection when an answer closes the one it has', async () => {
  const { result, connections } = await drive(3, (_request, response) => void response.writeHead(202).end('ok'));
  expect(result.others).toEqual({});
  expect(result.answers).toBeGreaterThan(6);
  expect(connections).toBeGreaterThanOrEqual(result.answers / 3);
  expect(() => requireAccepted('run', result)).not.toThrow();
});

it('a run with any answer other than 202 has no rate, the warm-up included', async () => {
  let count = 0;
  const { result } = await drive(0, (_request, response) => {
    count += 1;
    response.writeHead(count === 1 ? 503 : 202).end();
  });
  expect(result.others).toEqual({ 503: 1 });
  expect(() => requireAccepted('round 1 of dockbell', result)).toThrow(
    `round 1 of dockbell: 1 x 503 among ${result.answers} answers; only 202 counts`,
  );
});

it('a run in which a connection ends without an answer has no rate', async () => {
  let count = 0;
  const { result } = await drive(0, (request, response) => {
    count += 1;
    if (count === 3) request.socket.destroy();
    else response.writeHead(202).end();
  });
  expect(result.others).toEqual({ none: 1 });
  expect(() => requireAccepted('run', result)).toThrow('1 x none');
});

it('a run whose server is slower than the measured time has an answer that counts', async () => {
  // The first response of each sender comes after the end, to a request of the warm-up.
  const waiting: (() => void)[] = [];
  const { result } = await drive(
    0,
    (_request, response) => {
      if (waiting.length === 2) return void response.writeHead(202).end();
      waiting.push(() => void response.writeHead(202).end());
      if (waiting.length < 2) return;
      setTimeout(() => {
        for (const answer of waiting) answer();
      }, 60);
    },
    { warmUpMs: 20, measuredMs: 10 },
  );
  expect(() => requireAccepted('run', result)).not.toThrow();
});

it('a run without any answer has no rate', () => {
  const nothing = {
    answers: 0,
    counted: 0,
    answersPerSecond: 0,
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
    busy: 0,
    others: {},
  };
  expect(() => requireAccepted('run', nothing)).toThrow('no answer after the warm-up');
});

it('a run is rejected if the load generator was the limit', () => {
  const result = { answers: 9, counted: 9, answersPerSecond: 9, p50Ms: 1, p99Ms: 1, busy: 0.98, others: {} };
  expect(() => requireSpareTime('run', result)).toThrow('the load generator was busy for 98 % of the time');
  expect(() => requireSpareTime('run', { ...result, busy: 0.9 })).not.toThrow();
});

it('signs each body as GitHub does, with a different identity', async () => {
  const seen = new Set<string>();
  const secret = 'a-secret-of-32-characters-0000000';
  let wrong = 0;
  await drive(
    0,
    (request, response) => {
      const { 'x-hub-signature-256': signature, 'x-github-delivery': id } = request.headers;
      const expected = createHmac('sha256', secret).update(bodies.get(request)!).digest('hex');
      if (signature !== `sha256=${expected}` || seen.has(String(id))) wrong += 1;
      seen.add(String(id));
      response.writeHead(202).end();
    },
    { credential: { kind: 'github', secret } },
  );
  expect(seen.size).toBeGreaterThan(2);
  expect(wrong).toBe(0);
});

it('measures from the time at which a request is due, so a stall counts for all requests that it delays', async () => {
  let stalled = false;
  const { result } = await drive(
    0,
    (_request, response) => {
      if (!stalled) setTimeout(() => response.writeHead(202).end(), 100);
      else response.writeHead(202).end();
      stalled = true;
    },
    { paths: ['/a'], warmUpMs: 0, offeredPerSecond: 200, measuredMs: 150 },
  );
  expect(result.others).toEqual({});
  // Two thirds are due during the stall. A sender that waits for the response would have only one slow request.
  expect(result.p50Ms).toBeGreaterThan(5);
  expect(result.p99Ms).toBeGreaterThan(80);
});
