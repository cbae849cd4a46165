import { afterEach, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import type { RawConnection } from '../helpers/raw-connection.ts';
import { startIngress, type TestIngress, type TestIngressOptions, TOKEN } from '../helpers/start-ingress.ts';

const LIMIT = 262_144;
const TOO_LARGE =
  '{"type":"about:blank","title":"Content Too Large","status":413,"detail":"the body is larger than 262144 bytes"}';

let ingress: TestIngress;

afterEach(() => ingress.close());

/** A connection that has sent the head of a delivery. */
async function begin(options: TestIngressOptions, lines: string[], token = TOKEN): Promise<RawConnection> {
  ingress = await startIngress(options);
  return beginOn(lines, token);
}

async function beginOn(lines: string[], token = TOKEN): Promise<RawConnection> {
  const head = [`POST ${ingress.path()} HTTP/1.1`, 'Host: hooks', `Authorization: Bearer ${token}`, ...lines];
  return (await ingress.connect()).send(`${head.join('\r\n')}\r\n\r\n`);
}

const chunk = (size: number) => `${size.toString(16)}\r\n${'1'.repeat(size)}\r\n`;

it('a body of exactly the limit is accepted, announced or chunked', async () => {
  const announced = await begin({}, [`Content-Length: ${LIMIT}`]);
  expect((await announced.send('1'.repeat(LIMIT)).readAnswer())?.status).toBe(202);
  const chunked = await beginOn(['Transfer-Encoding: chunked']);
  for (let i = 0; i < 4; i++) chunked.send(chunk(LIMIT / 4));
  expect((await chunked.send('0\r\n\r\n').readAnswer())?.status).toBe(202);
  expect((await ingress.deliveries()).map(({ size, label }) => [size, label])).toEqual([
    [LIMIT, 'Duplicate'],
    [LIMIT, 'Accepted'],
  ]);
});

it('an announced body above the limit is rejected before it arrives, and logged with the announced size', async () => {
  const connection = await begin({}, [`Content-Length: ${LIMIT + 1}`, 'X-Service-Delivery-Id: too-large']);
  const answer = await connection.readAnswer();
  expect(answer).toMatchObject({ status: 413, body: TOO_LARGE });
  const [row] = await ingress.deliveries();
  expect(row).toMatchObject({ label: 'Rejected (too large)', reason: 'too_large', size: LIMIT + 1 });
  expect(row).toMatchObject({ deliveryIdSource: 'service_header', deliveryId: 'too-large' });
  // The rest is discarded, and the connection can be used for the next delivery.
  connection.send('1'.repeat(LIMIT + 1));
  connection.send(`POST ${ingress.path()} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${TOKEN}\r\n`);
  expect((await connection.send('Content-Length: 2\r\n\r\n{}').readAnswer())?.status).toBe(202);
});

it.each(['10000000000', '9007199254740993', '18446744073709551615'])(
  'an announced size of %s is rejected and logged, and the connection is closed',
  async (announced) => {
    const connection = await begin({ bounds: { lingerMs: 50 } }, [`Content-Length: ${announced}`]);
    const answer = await connection.readAnswer();
    expect(answer?.status).toBe(413);
    expect(answer?.head).toContain('\r\nConnection: close');
    await connection.closed();
    const [row] = await ingress.deliveries();
    expect(row).toMatchObject({
      label: 'Rejected (too large)',
      size: Math.min(Number(announced), Number.MAX_SAFE_INTEGER),
    });
    expect(ingress.seen.trouble).toEqual([]);
  },
);

it('a chunked body is cut at the first byte over the limit, logged with the bytes read so far', async () => {
  const connection = await begin({}, ['Transfer-Encoding: chunked']);
  for (let i = 0; i < 4; i++) connection.send(chunk(LIMIT / 4));
  expect((await connection.send(chunk(1)).readAnswer())?.status).toBe(413);
  const [row] = await ingress.deliveries();
  expect(row).toMatchObject({ label: 'Rejected (too large)', reason: 'too_large' });
  expect(row!.size).toBeGreaterThan(LIMIT);
  expect(row!.size).toBeLessThan(LIMIT + 70_000);
});

it('a sender with an early answer can write its whole body, so that no reset loses the answer', async () => {
  const connection = await begin({}, ['Transfer-Encoding: chunked'], 'wrong');
  expect((await connection.readAnswer())?.status).toBe(401);
  for (let i = 0; i < 12; i++) {
    connection.send(chunk(65_536));
    await new Promise(setImmediate);
  }
  expect(connection.isClosed).toBe(false);
  connection.send('0\r\n\r\n');
  await connection.closed();
  expect(connection.failure).toBeNull();
});

it('an endless body with a wrong token is answered, cut and not kept in memory (threat model N1)', async () => {
  const connection = await begin({ bounds: { lingerBytes: 100_000 } }, ['Transfer-Encoding: chunked'], 'wrong');
  const before = process.memoryUsage();
  const piece = chunk(65_536);
  let sentBytes = 0;
  // The sender would send 10 GB if it were not stopped. Writing pauses while the receiver does not read.
  while (!connection.isClosed && sentBytes < 1e10) {
    if (!connection.socket.writableNeedDrain) sentBytes += connection.socket.write(piece) ? piece.length : 0;
    await new Promise(setImmediate);
  }
  expect(connection.isClosed).toBe(true);
  expect((await connection.readAnswer())?.status).toBe(401);
  expect(sentBytes).toBeLessThan(50_000_000);
  expect(process.memoryUsage().rss - before.rss).toBeLessThan(100_000_000);
  expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Rejected (auth)']);
});

it('Expect: 100-continue is answered only after the checks that need no body', async () => {
  const waiting = ['Content-Length: 2', 'Expect: 100-continue'];
  const wrong = await begin({ bounds: { lingerMs: 50 } }, waiting, 'wrong');
  const refused = await wrong.readAnswer();
  expect(refused?.status).toBe(401);
  expect(refused?.head).toContain('Connection: close');
  await wrong.closed();

  const large = await beginOn([`Content-Length: ${LIMIT + 1}`, 'Expect: 100-continue']);
  expect((await large.readAnswer())?.status).toBe(413);

  const good = await beginOn(waiting);
  expect((await good.readAnswer())?.head).toBe('HTTP/1.1 100 Continue');
  expect((await good.send('{}').readAnswer())?.status).toBe(202);

  const chunked = await beginOn(['Transfer-Encoding: chunked', 'Expect: 100-continue']);
  expect((await chunked.readAnswer())?.status).toBe(100);
  expect((await chunked.send('2\r\n{}\r\n0\r\n\r\n').readAnswer())?.status).toBe(202);
});

it('a sender that disconnects leaves no data', async () => {
  const connection = await begin({}, ['Content-Length: 100']);
  connection.send('{"a":');
  connection.socket.end();
  await connection.closed();
  expect(await ingress.deliveries()).toEqual([]);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
});

it('returns 503 if all bodies together exceed the limit, and accepts again when others are done', async () => {
  const slow = await begin({ maxBytesInFlight: 1_000 }, ['Content-Length: 900']);
  slow.send(`"${'x'.repeat(897)}`);
  const large = { body: `"${'y'.repeat(500)}"` };
  await eventually(async () => (await ingress.post('hook', large)).status === 503);
  expect(ingress.seen.rejections).toContain('overloaded');
  expect((await slow.send('x"').readAnswer())?.status).toBe(202);
  expect((await ingress.post('hook', large)).status).toBe(202);
});

it('connections that announce much and send nothing do not limit others', async () => {
  await begin({ maxBytesInFlight: 300_000 }, [`Content-Length: ${LIMIT}`]);
  for (let i = 0; i < 20; i++) await beginOn([`Content-Length: ${LIMIT}`]);
  for (let i = 0; i < 20; i++) await beginOn(['Transfer-Encoding: chunked']);
  expect((await ingress.post('hook', { body: '{}' })).status).toBe(202);
});

it('a body above the limit is rejected and logged with the ID of the provider, also before its signature is verified', async () => {
  const webhook = { authMode: 'signature' as const, signatureScheme: 'github', secret: TOKEN };
  ingress = await startIngress({ webhooks: [webhook] });
  const body = JSON.stringify({ action: 'opened', text: 'x'.repeat(LIMIT) });
  const headers = { 'x-github-event': 'issues', 'x-github-delivery': 'g1', 'x-hub-signature-256': 'sha256=0' };
  expect((await ingress.post(ingress.path(), { headers, body })).status).toBe(413);
  const [row] = await ingress.deliveries();
  expect(row).toMatchObject({ label: 'Rejected (too large)', reason: 'too_large', size: body.length });
  expect(row).toMatchObject({ deliveryIdSource: 'provider', deliveryId: 'g1' });
});
