import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { generateLoad, requireAccepted } from '../../bench/generate-load.ts';

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function drive(maxRequestsPerSocket: number, answer: RequestListener) {
  let connections = 0;
  server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  }).on('connection', () => {
    connections += 1;
  });
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const result = await generateLoad({
    port,
    paths: ['/a', '/b'],
    token: 't',
    bodyBytes: 100,
    warmUpMs: 20,
    measuredMs: 150,
    prefix: 'p',
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

it('a run without any answer has no rate', () => {
  const nothing = { answers: 0, answersPerSecond: 0, p50Ms: Number.NaN, p99Ms: Number.NaN, others: {} };
  expect(() => requireAccepted('run', nothing)).toThrow('no answer at all');
});
