import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { buildSenderRequest } from '../../src/ingress/sender/build-request.ts';
import { postDelivery } from '../../src/ingress/sender/post-delivery.ts';

let server: Server | null = null;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

async function listen(handler: RequestListener): Promise<string> {
  const started = createServer(handler);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('posting a delivery', () => {
  it('puts headers and the exact bytes on the wire and gives the answer back', async () => {
    const bytes = Buffer.from([0x7b, 0x7d, 0x0d, 0x0a, 0xff]);
    let seen: { method?: string; headers: IncomingMessage['headers']; body: Buffer } | null = null;
    const base = await listen(async (request, response) => {
      seen = { method: request.method, headers: request.headers, body: await readBody(request) };
      response.writeHead(202, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
      response.end('{"delivery_id":"x"}');
    });
    const target = {
      ingressUrl: base,
      authMode: 'token',
      signatureScheme: null,
      signature: null,
      bodyFormat: 'json',
      deliveryIdHeader: null,
      deliveryIdPath: null,
      formField: null,
    } as const;
    const delivery = { body: bytes, deliveryId: 'żółw', nowMs: 0, newId: () => '' };
    const answer = await postDelivery(buildSenderRequest(target, 'dbs_abc', delivery));

    expect(answer).toMatchObject({ status: 202, body: '{"delivery_id":"x"}' });
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'set-cookie': 'a=1, b=2' });
    expect(seen!.method).toBe('POST');
    expect(seen!.body).toEqual(bytes);
    expect(seen!.headers.authorization).toBe('Bearer dbs_abc');
    const id = seen!.headers['x-service-delivery-id'] as string;
    expect(Buffer.from(id, 'latin1').toString('utf8')).toBe('żółw');
  });

  it('does not follow a redirect, which would hand the credential to another host', async () => {
    const paths: (string | undefined)[] = [];
    const base = await listen((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const answer = await postDelivery({ url: `${base}/start`, headers: {}, body: Buffer.from('{}') });
    expect(answer).toMatchObject({ status: 307, headers: { location: '/elsewhere' } });
    expect(paths).toEqual(['/start']);
  });

  it('names the host, never the path with its token, where nobody answers', async () => {
    const base = await listen((request) => request.socket.destroy());
    const sent = postDelivery({ url: `${base}/webhooks/w/wh_x/dbs_secret`, headers: {}, body: Buffer.from('{}') });
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: 'ingress_unreachable',
      message: expect.stringContaining(`No response from ${base}`),
    });
    expect((error as AppError).message).not.toContain('dbs_secret');
  });

  it('stops reading an endless answer', async () => {
    const base = await listen((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const write = () => {
        while (response.write(chunk));
        response.once('drain', write);
      };
      write();
    });
    await expect(postDelivery({ url: base, headers: {}, body: Buffer.from('{}') })).rejects.toThrow(
      /longer than 1048576 bytes/,
    );
  });
});
