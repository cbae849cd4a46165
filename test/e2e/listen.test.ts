import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type StartedProgram, startProgram } from '../helpers/start-program.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'the-secret-of-the-provider';
const AUTOMATION = `---
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [github]
      headers: { X-GitHub-Event: [push] }
      payload: { n: [7] }
---
Look at the push.
`;
const WEBHOOK = 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_SECRET\n';

const home = createTempDir('listen');
const programs: StartedProgram[] = [];
let daemon: TestDaemon;
let ingressUrl: string;
let token: string;
/** What the daemon accepted, in order. */
const accepted: { id: string; body: string }[] = [];

beforeAll(async () => {
  daemon = await startDaemonHere({
    config: { limits: { deliveriesPerMinute: 10_000 }, factories: [{ name: 'shop', source: { type: 'live' } }] },
  });
  const post = (path: string, body: unknown) => daemon.api(path, { method: 'POST', body });
  const webhook = { name: 'github', auth_mode: 'signature', signature_scheme: 'github', secret: SECRET };
  const made = await post('/factories/shop/webhooks', webhook);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  ingressUrl = made.body.ingress_url;
  token = (await post('/tokens', { name: 'listener', role: 'viewer' })).body.token;
});

afterAll(async () => {
  for (const program of programs) await program.end('SIGKILL');
  proxy?.close();
  target.close();
  expect(await daemon.end('SIGTERM')).toBe(0);
});

/** Posts as GitHub does. The body is JSON with unusual spaces. */
async function deliver(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) {
    const n = accepted.length;
    const body = `{"n" : ${n},\r\n "text": "\u00e9"}\n`;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'GitHub-Hookshot/abc',
      'x-github-event': 'push',
      'x-github-delivery': `guid-${n}`,
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    };
    const answer = await fetch(ingressUrl, { method: 'POST', headers, body });
    expect(answer.status).toBe(202);
    accepted.push({ id: `guid-${n}`, body });
    // A duplicate is not listed.
    expect((await fetch(ingressUrl, { method: 'POST', headers, body })).status).toBe(202);
  }
}

/** A proxy in front of the admin listener, which can cut all connections and reject new ones. */
class CuttingProxy {
  readonly #open = new Set<Socket>();
  readonly #server = createTcpServer((client) => {
    if (this.isDown) return client.destroy();
    const upstream = connect(Number(new URL(daemon.adminUrl).port), '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#open.add(one);
      one
        .on('error', () => {})
        .once('close', () => {
          this.#open.delete(one);
          other.destroy();
        });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      client.write(chunk);
      if (this.cutAfter !== null && chunk.includes(this.cutAfter)) this.cut();
    });
    return client;
  });
  isDown = false;
  /** Cuts all connections when the daemon has sent this text. */
  cutAfter: string | null = null;

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.cutAfter = null;
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}
const received: Received[] = [];
let answer: (count: number) => number = () => 200;
const target = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const status = answer(received.length);
  if (status < 300) received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
  response.writeHead(status).end();
});
let targetUrl: string;
let proxy: CuttingProxy | undefined;

beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hooks`;
});

function listen(url: string, args: string[], env: Record<string, string> = {}): StartedProgram {
  const common = ['--url', url, '--factory', 'shop'];
  const program = startProgram(['listen', 'github', ...common, ...args], {
    cwd: home,
    env: { HOME: home, DOCKBELL_TOKEN: token, ...env },
  });
  programs.push(program);
  return program;
}

describe('dockbell listen', () => {
  it('forwards each delivery once and in order, through cut connections and restarts of the command', async () => {
    proxy = new CuttingProxy();
    const url = await proxy.listen();
    await deliver(2);
    let program = listen(url, ['--forward', targetUrl]);
    await program.shows('Listening to github.');
    await deliver(2);
    await eventually(() => received.length === 2);
    // In the middle of a body, then for longer.
    proxy.cutAfter = '"n" : 5';
    await deliver(3);
    await eventually(() => received.length === 5);
    proxy.isDown = true;
    proxy.cut();
    await deliver(3);
    await program.shows('The daemon does not answer');
    proxy.isDown = false;
    await eventually(() => received.length === 8);
    expect(await program.end('SIGINT')).toBe(0);
    await deliver(60);
    program = listen(url, ['--forward', targetUrl, '--since', 'last']);
    await eventually(() => received.length === 68);
    await deliver(1);
    await eventually(() => received.length === 69);
    expect(await program.end('SIGTERM')).toBe(0);
    expect(received.map(({ body }) => body)).toEqual(accepted.slice(2).map(({ body }) => body));
    expect(program.output()).toMatch(/^\S+Z {2}push {2}dlv_\w+ {2}\d+ B.*\n {2}→ 200 \d+ms$/m);
  });

  it('has one audit entry for each payload that it read', async () => {
    const objects = await eventually(async () => {
      const { body } = await daemon.api('/audit?include=reads&object=deliveries&limit=200');
      return body.data.length >= received.length
        ? body.data.map(({ object }: { object: string }) => object)
        : undefined;
    });
    expect(new Set(objects).size).toBe(objects.length);
    const { stdout } = await daemon.cli('audit', 'list', '--include', 'reads', '--actor', 'listener');
    expect(stdout).toMatch(/listener +Read payload +deliveries\/dlv_\w+\/payload +done/);
    expect((await daemon.cli('audit', 'list', '--object', 'deliveries')).stdout).toBe('No matching entries.\n');
  });

  it('sends the recorded headers and no signature, unless it has a secret to sign with', {
    tags: ['full', 'continues'],
  }, async () => {
    const { headers } = received[0]!;
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'GitHub-Hookshot/abc',
      'x-github-event': 'push',
      'x-github-delivery': 'guid-2',
      'content-length': String(Buffer.byteLength(accepted[2]!.body)),
    });
    expect(Object.keys(headers).filter((name) => name.includes('signature'))).toEqual([]);
    const from = received.length;
    const before = listen(daemon.adminUrl, ['--forward', targetUrl]);
    await before.shows('Listening to github.');
    await before.end('SIGINT');
    await deliver();
    const secretFile = join(home, 'local.secret');
    writeFileSync(secretFile, 'local-secret\n');
    const signing = ['--forward', targetUrl, '--since', 'last', '--secret-file', secretFile];
    const program = listen(daemon.adminUrl, signing);
    await eventually(() => received.length > from);
    await program.end('SIGINT');
    const signed = received[from]!;
    const signature = createHmac('sha256', 'local-secret').update(signed.body).digest('hex');
    expect(signed).toMatchObject({
      body: accepted.at(-1)!.body,
      headers: { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': accepted.at(-1)!.id },
    });
  });

  it('repeats a forward on request only, and prints what the target answered', { tags: 'full' }, async () => {
    let failures = 0;
    const from = received.length;
    answer = (count) => (count === from && failures++ < 1 ? 503 : 200);
    const program = listen(daemon.adminUrl, ['--forward', targetUrl, '--json', '--retry', '2']);
    await program.shows('Listening to github.');
    await deliver(2);
    await eventually(() => received.length === from + 2);
    await program.shows(/"attempts":1\}\}\n$/);
    await program.end('SIGINT');
    const lines = program
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { delivery: { delivery_id: accepted.at(-2)!.id }, forward: { status: 200, error: null, attempts: 2 } },
      { delivery: { delivery_id: accepted.at(-1)!.id }, forward: { status: 200, error: null, attempts: 1 } },
    ]);
    answer = () => 500;
    const once = listen(daemon.adminUrl, ['--forward', targetUrl, '--since', '1h']);
    await once.shows(/→ 500/);
    await once.end('SIGINT');
    answer = () => 200;
  });

  it('continues with the delivery that had no answer, and says if retention removed the last one', {
    tags: 'full',
  }, async () => {
    const unreachable = ['--forward', 'http://127.0.0.1:1/', '--retry', '9', '--since', 'last'];
    let program = listen(daemon.adminUrl, unreachable);
    await program.shows('No earlier call is known');
    await program.shows('Listening to github.');
    await deliver();
    await program.shows(/→ .*ECONNREFUSED/);
    await program.end('SIGINT');
    program = listen(daemon.adminUrl, unreachable);
    await program.shows(/dlv_\w+.*\n.*→/);
    await program.end('SIGINT');
    const folder = join(home, '.local/state/dockbell/listen');
    for (const file of readdirSync(folder)) {
      const position = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      if (position.target !== 'http://127.0.0.1:1/') continue;
      writeFileSync(join(folder, file), JSON.stringify({ ...position, id: `dlv_${'0'.repeat(26)}` }));
    }
    program = listen(daemon.adminUrl, unreachable);
    await program.shows('The log no longer contains dlv_0');
    await program.shows(/dlv_\w+ {2}\d+ B/);
    await program.end('SIGINT');
  });

  it('posts to the dockbell dev of a folder, which signs with its own secret and decides by the headers', {
    tags: ['full', 'continues'],
  }, async () => {
    const dir = join(home, 'factory');
    mkdirSync(join(dir, 'webhooks'), { recursive: true });
    mkdirSync(join(dir, 'automations/look'), { recursive: true });
    writeFileSync(join(dir, 'webhooks/github.yaml'), WEBHOOK);
    writeFileSync(join(dir, 'automations/look/automation.md'), AUTOMATION);
    const dev = startProgram(['dev'], { cwd: dir, env: { HOME: home } });
    programs.push(dev);
    await dev.shows('dockbell send github');
    const program = listen(daemon.adminUrl, ['--forward', 'factory', '--since', '1h']);
    await dev.shows(/✓ look starts run_/);
    await program.shows(/→ 202/);
    expect(await program.end('SIGINT')).toBe(0);
    await dev.shows(/would execute this prompt:\n {2}\| Look at the push/);
    expect(dev.output()).toContain('✗ look: n is 0, expected 7');
    expect(await dev.end('SIGINT'), dev.output()).toBe(0);
  });

  it('ends with an error if the token is revoked, or if the webhook does not exist', { tags: 'full' }, async () => {
    const { body } = await daemon.api('/tokens', { method: 'POST', body: { name: 'short', role: 'viewer' } });
    const program = listen(daemon.adminUrl, [], { DOCKBELL_TOKEN: body.token });
    await program.shows('Listening to github.');
    expect((await daemon.api(`/tokens/${body.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await program.exited).toBe(4);
    expect(program.output()).toContain('token');
    const wrong = startProgram(['listen', 'gitlab', '--data-dir', daemon.dataDir], { cwd: home, env: { HOME: home } });
    expect(await wrong.exited).toBe(1);
    expect(wrong.output()).toContain("has no webhook 'gitlab'. It has: github.".replace('. It', '.\nIt'));
  });
});
