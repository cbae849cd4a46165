import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  type SeededServices,
} from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let line: Server;
let posts: number;

/** A daemon behind a line that breaks after the daemon did what it was asked, before its answer to a `POST` arrives. */
async function serve(lost: number): Promise<Record<string, string>> {
  services = createSeededServices({}, { source: 'live' });
  app = createSeededServer(services);
  const daemon = await app.listen({ host: '127.0.0.1', port: 0 });
  posts = 0;
  line = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...sent } = headers;
    const answer = await fetch(`${daemon}${url}`, {
      method,
      headers: sent as Record<string, string>,
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    if (method === 'POST' && ++posts <= lost) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => {
    line.listen(0, '127.0.0.1', resolve);
  });
  const { port } = line.address() as AddressInfo;
  return { DOCKBELL_URL: `http://127.0.0.1:${port}`, DOCKBELL_TOKEN: services.grant('owner') };
}

afterEach(async () => {
  line.closeAllConnections();
  line.close();
  await app.close();
});

describe('a command whose answer is lost in transit', () => {
  it('creates a webhook once, and prints its generated secret', async () => {
    const env = await serve(1);
    const { code, stdout } = await runCli(['webhook', 'create', 'ci', '--json', '--factory', 'payments'], { env });
    expect([code, JSON.parse(stdout).secret, posts]).toEqual([0, expect.stringMatching(/^dbs_[\w-]{43}$/), 2]);
    expect(services.seen.edited).toEqual(['createWebhook']);
    const names = (await services.inventory.webhooks('payments')).map(({ name }) => name);
    expect(names.filter((name) => name === 'ci')).toHaveLength(1);
  });

  it('creates an API token once', async () => {
    const env = await serve(2);
    const before = (await services.tokens.list()).length;
    expect((await runCli(['token', 'create', 'ci'], { env })).code).toBe(0);
    expect([(await services.tokens.list()).length, posts]).toEqual([before + 1, 3]);
  });

  it('replays a delivery once', async () => {
    const env = await serve(1);
    expect((await runCli(['delivery', 'replay', DELIVERY_ID], { env })).code).toBe(0);
    expect(services.seen.replayed).toHaveLength(1);
  });

  it('does not repeat a request without an idempotency key', async () => {
    const env = await serve(1);
    const { code, stderr } = await runCli(['reconcile', '--factory', 'payments'], { env });
    expect([code, posts]).toEqual([3, 1]);
    expect(stderr).toContain('cannot be reached');
  });
});
