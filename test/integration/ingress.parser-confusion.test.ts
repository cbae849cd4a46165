import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startIngress, type TestIngress, TOKEN } from '../helpers/start-ingress.ts';

let ingress: TestIngress;

beforeEach(async () => {
  ingress = await startIngress({ bounds: { keepAliveTimeout: 1_000, keepAliveTimeoutBuffer: 0, lingerMs: 100 } });
});

afterEach(() => ingress.close());

const AUTH = `Authorization: Bearer ${TOKEN}`;

/** One delivery as text; `{path}` stands for the webhook's path. */
function compose(lines: string[], body = '{}', first = 'POST {path} HTTP/1.1', host = ['Host: h']): string {
  return `${[first, ...host, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

const LENGTH = 'Content-Length: 2';
const CHUNKED = 'Transfer-Encoding: chunked';
const CHUNKS = '2\r\n{}\r\n0\r\n\r\n';

async function send(text: string) {
  const connection = await ingress.connect();
  return connection.send(text.replaceAll('{path}', ingress.path()));
}

describe('a request that could be read in two ways (threat model N4)', () => {
  const refused: [what: string, text: string][] = [
    ['Transfer-Encoding and Content-Length', compose([AUTH, CHUNKED, LENGTH], CHUNKS)],
    ['Content-Length and Transfer-Encoding', compose([AUTH, LENGTH, CHUNKED], CHUNKS)],
    ['two different Content-Length', compose([AUTH, LENGTH, 'Content-Length: 3'])],
    ['two equal Content-Length', compose([AUTH, LENGTH, LENGTH])],
    ['a list of Content-Length', compose([AUTH, 'Content-Length: 2, 2'])],
    ['a signed Content-Length', compose([AUTH, 'Content-Length: +2'])],
    ['a negative Content-Length', compose([AUTH, 'Content-Length: -2'])],
    ['a hexadecimal Content-Length', compose([AUTH, 'Content-Length: 0x2'])],
    ['an empty Content-Length', compose([AUTH, 'Content-Length:'])],
    ['a Content-Length beyond 64 bits', compose([AUTH, 'Content-Length: 18446744073709551618'])],
    ['chunked before another coding', compose([AUTH, 'Transfer-Encoding: chunked, gzip'], CHUNKS)],
    ['two Transfer-Encoding', compose([AUTH, CHUNKED, 'Transfer-Encoding: identity'], CHUNKS)],
    ['an obscured Transfer-Encoding', compose([AUTH, 'Transfer-Encoding: \x0bchunked', LENGTH], CHUNKS)],
    ['a space before the colon', compose([AUTH, 'Content-Length : 2'])],
    ['a header without a name', compose([AUTH, ': x', LENGTH])],
    ['a header without a colon', compose([AUTH, 'X-Junk', LENGTH])],
    ['a NUL in a header value', compose([AUTH, 'X-Service-Delivery-Id: a\0b', LENGTH])],
    ['a bare CR in a header value', compose([AUTH, 'X-Service-Delivery-Id: a\rb', LENGTH])],
    ['a control character in a header name', compose([AUTH, 'X\x01: b', LENGTH])],
    ['a header of 20 KB', compose([AUTH, `X-Large: ${'x'.repeat(20_000)}`, LENGTH])],
    ['2,000 headers', compose([AUTH, LENGTH, ...Array.from({ length: 2_000 }, (_, i) => `X-${i}: 12345678`)])],
    ['a chunk size that is not a number', compose([AUTH, CHUNKED], 'zz\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size beyond 64 bits', compose([AUTH, CHUNKED], 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
    ['a chunk longer than its size', compose([AUTH, CHUNKED], '1\r\n{}\r\n0\r\n\r\n')],
    ['two Host fields', compose([AUTH, LENGTH], '{}', undefined, ['Host: h', 'Host: other'])],
    ['two equal Host fields', compose([AUTH, LENGTH], '{}', undefined, ['Host: h', 'host: h'])],
    ['no Host', compose([AUTH, LENGTH], '{}', 'POST {path} HTTP/1.1', [])],
    ['HTTP/0.9', 'POST {path}\r\n\r\n'],
    ['HTTP/1.10', compose([AUTH, LENGTH], '{}', 'POST {path} HTTP/1.10')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method nobody knows', compose([AUTH, LENGTH], '{}', 'P0ST {path} HTTP/1.1')],
    ['a method in lowercase', compose([AUTH, LENGTH], '{}', 'post {path} HTTP/1.1')],
    ['a space in the target', compose([AUTH, LENGTH], '{}', 'POST {path} x HTTP/1.1')],
    ['a target without a slash', compose([AUTH, LENGTH], '{}', 'POST webhooks HTTP/1.1')],
    ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an expectation nobody knows', compose([AUTH, LENGTH, 'Expect: 200-maybe'])],
    ['two Authorization headers', compose([AUTH, AUTH, LENGTH])],
    ['two Authorization headers, one wrong', compose([AUTH, 'Authorization: Bearer x', LENGTH])],
    ['a gzip body', compose([AUTH, 'Content-Encoding: gzip', LENGTH], '\x1f\x8b')],
  ];

  it.each(refused)('%s is a 4xx and nothing is accepted', async (_what, text) => {
    const answer = await (await send(text)).readAnswer();
    expect(answer?.status).toBeGreaterThanOrEqual(400);
    expect(answer?.status).toBeLessThan(500);
    expect((await ingress.deliveries()).filter(({ label }) => label === 'Accepted')).toEqual([]);
    expect(ingress.seen.trouble).toEqual([]);
  });

  it.each([
    ['a body that ends with the connection', compose([AUTH, 'Transfer-Encoding: identity'])],
    ['gzip alone', compose([AUTH, 'Transfer-Encoding: gzip'])],
    ['gzip, then chunked', compose([AUTH, 'Transfer-Encoding: gzip, chunked'], '2\r\n\x1f\x8b\r\n0\r\n\r\n')],
    ['chunked and JSON that is not compressed', compose([AUTH, 'Transfer-Encoding: gzip, chunked'], CHUNKS)],
  ])('a transfer coding other than chunked (%s) is answered 501 and closed', async (_what, text) => {
    const connection = await send(text);
    expect(await connection.readAnswer()).toMatchObject({
      status: 501,
      head: expect.stringContaining('Connection: close'),
    });
    await connection.closed();
    expect(await ingress.deliveries()).toEqual([]);
  });

  const clear: [what: string, text: string][] = [
    ['an absolute-form target', compose([AUTH, LENGTH], '{}', 'POST http://other.example{path}?q HTTP/1.1')],
    ['HTTP/1.0', compose([AUTH, LENGTH], '{}', 'POST {path} HTTP/1.0')],
    ['an offer to upgrade to WebSocket', compose([AUTH, LENGTH, 'Connection: Upgrade', 'Upgrade: websocket'])],
    [
      'an offer to upgrade to HTTP/2',
      compose([
        AUTH,
        LENGTH,
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAAP__',
      ]),
    ],
    ['empty lines before it', `\r\n\r\n${compose([AUTH, LENGTH])}`],
    ['a chunk extension and trailers', compose([AUTH, CHUNKED], '2;a=b\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n')],
    ['Transfer-Encoding in capitals', compose([AUTH, 'TRANSFER-ENCODING: CHUNKED'], CHUNKS)],
    ['a leading zero in Content-Length', compose([AUTH, 'Content-Length: 002'])],
  ];

  it.each(clear)('%s is served as what it is', async (_what, text) => {
    const answer = await (await send(text)).readAnswer();
    expect(answer?.status).toBe(202);
    expect((await ingress.deliveries()).map(({ label, size }) => [label, size])).toEqual([['Accepted', 2]]);
  });

  it.each([
    ['a folded header line', compose([AUTH, 'X-Service-Delivery-Id: a', ' b', LENGTH])],
    ['HTTP/2.0 in the syntax of 1.1', compose([AUTH, LENGTH], '{}', 'POST {path} HTTP/2.0')],
    ['bare line feeds', compose([AUTH, LENGTH]).replaceAll('\r\n', '\n')],
  ])('%s is rejected, or accepted as one delivery', async (_what, text) => {
    const answer = await (await send(text)).readAnswer();
    expect([202, 400]).toContain(answer?.status);
    expect(await ingress.deliveries()).toHaveLength(answer?.status === 202 ? 1 : 0);
  });

  it('CONNECT is closed without a tunnel', async () => {
    const connection = await send(compose([AUTH], '', 'CONNECT 127.0.0.1:1 HTTP/1.1'));
    await connection.closed();
    expect(connection.received).not.toContain('200');
    expect(await ingress.deliveries()).toEqual([]);
  });
});

describe('several requests on one connection', () => {
  const numbered = (n: number) => compose([AUTH, 'Content-Length: 7', `X-Service-Delivery-Id: ${n}`], `{"n":${n}}`);

  it('that are pipelined are answered each, in order', async () => {
    const connection = await send(Array.from({ length: 5 }, (_, n) => numbered(n)).join(''));
    for (let n = 0; n < 5; n++) {
      expect(await connection.readAnswer()).toMatchObject({ status: 202, body: `{"delivery_id":"${n}"}` });
    }
    expect(await ingress.deliveries()).toHaveLength(5);
  });

  it('with invalid data after a delivery: the delivery gets its answer, then the connection ends', async () => {
    const connection = await send(`${numbered(1)}junk\r\n\r\n`);
    expect((await connection.readAnswer())?.status).toBe(202);
    await connection.closed();
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Accepted']);
  });

  it('with a broken delivery after a valid one: never a 4xx for a delivery that may be stored', async () => {
    const connection = await send(`${numbered(1)}${compose([AUTH, CHUNKED], 'zz\r\n')}`);
    const answer = await connection.readAnswer();
    expect(answer?.status ?? 202).toBe(202);
    await connection.closed();
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Accepted']);
  });

  it('with invalid data after a finished request: 400', async () => {
    const connection = await send(numbered(1));
    expect((await connection.readAnswer())?.status).toBe(202);
    expect((await connection.send('junk\r\n\r\n').readAnswer())?.status).toBe(400);
    await connection.closed();
  });

  it('cannot be smuggled in a rejected body', async () => {
    const inner = numbered(1).replaceAll('{path}', ingress.path());
    const connection = await send(compose([`Content-Length: ${inner.length}`, 'Authorization: Bearer wrong'], inner));
    expect((await connection.readAnswer())?.status).toBe(401);
    expect((await connection.send(numbered(2).replaceAll('{path}', ingress.path())).readAnswer())?.status).toBe(202);
    expect((await ingress.deliveries()).map(({ label }) => label)).toEqual(['Accepted', 'Rejected (auth)']);
  });

  it('whose rest breaks after an early answer get no second answer', async () => {
    const connection = await send(compose([CHUNKED, 'Authorization: Bearer wrong'], '2\r\n'));
    expect((await connection.readAnswer())?.status).toBe(401);
    connection.send('{}xx\r\n');
    await connection.closed();
    expect(connection.received).toBe('');
  });
});
