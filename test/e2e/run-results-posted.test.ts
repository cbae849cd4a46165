import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

const AUTOMATION = `---
triggers:
  - { provider: webhook, event: received, filter: { webhooks: [ci] } }
---
Do it.
`;
const SHA = 'a'.repeat(40);
const SIGNING = `whsec_${'QUJD'.repeat(8)}`;
const RESULT = '{"summary": "Fixed it", "links": [{"title": "Pull request", "url": "https://git.example.com/1"}]}';

interface Received {
  path: string;
  headers: Record<string, string>;
  text: string;
}

let repo: TempGitRepo;
let server: Server;
let received: Received[];
/** The next responses; 201 without any. */
let statuses: number[];
let options: TestDaemonOptions;
let daemon: TestDaemon;
let uid: string;

beforeAll(async () => {
  [received, statuses] = [[], []];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    received.push({ path: request.url!, headers, text: Buffer.concat(chunks).toString() });
    response.writeHead(statuses.shift() ?? 201, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n', 'automations/fix/automation.md': AUTOMATION });
  const host = { allowPrivateAddresses: true, secretName: 'HOST_TOKEN', repository: '{{ repository.full_name }}' };
  const results = [
    { type: 'github', url: `${base}/api/v3`, post: 'status', commit: '{{ head.sha }}', ...host },
    { type: 'gitlab', url: `${base}/api/v4`, post: 'comment', number: '{{ number }}', ...host },
    { type: 'webhook', url: `${base}/callback`, secretName: 'SIGNING', allowPrivateAddresses: true },
  ];
  const command = ['sh', '-c', `printf '%s' '${RESULT}' > result.json`];
  const runs = { executor: { type: 'command', command }, results };
  options = { config: { factories: [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }] } };
  daemon = await startTestDaemon(options);
  for (const [name, value] of [
    ['HOST_TOKEN', 'host-token-0123456789'],
    ['SIGNING', SIGNING],
  ]) {
    expect((await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value } })).status).toBeLessThan(300);
  }
  uid = await applyCiFactory(daemon);
});
afterAll(async () => {
  await daemon?.end('SIGTERM');
  server.close();
  repo.remove();
});

async function deliver(payload: object): Promise<void> {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })).status).toBe(202);
}

const find = (path: string) => eventually(async () => received.find((request) => request.path === path));

it('a run that ends becomes a commit status, a comment and a signed callback', async () => {
  await deliver({ repository: { full_name: 'acme/payments' }, head: { sha: SHA }, number: 7 });
  const status = await find(`/api/v3/repos/acme/payments/statuses/${SHA}`);
  expect(status.headers.authorization).toBe('Bearer host-token-0123456789');
  expect(JSON.parse(status.text)).toEqual({
    state: 'success',
    description: 'Fixed it',
    context: 'dockbell/payments/fix',
  });

  const comment = await find('/api/v4/projects/acme%2Fpayments/merge_requests/7/notes');
  expect(comment.headers['private-token']).toBe('host-token-0123456789');
  expect(JSON.parse(comment.text).body).toMatch(/^<!-- dockbell run_\w+ -->\n\*\*fix\*\* succeeded\n\nFixed it\n/);

  const callback = await find('/callback');
  const signed = `${callback.headers['webhook-id']}.${callback.headers['webhook-timestamp']}.${callback.text}`;
  const key = Buffer.from(SIGNING.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  expect(callback.headers['webhook-signature']).toBe(`v1,${signature}`);
  const body = JSON.parse(callback.text);
  expect(body).toMatchObject({
    type: 'run.succeeded',
    data: { run: { automation: 'fix', result: { summary: 'Fixed it' } } },
  });
});

/** The posts of the last run, as soon as it has this number of posts that do not wait. */
const findPosts = (count: number) =>
  eventually(async () => {
    const { data } = (await daemon.api('/factories/payments/runs?limit=1')).body;
    const posts = (await daemon.api(`/runs/${data[0].id}/posts`)).body.data;
    return posts.filter(({ state }: { state: string }) => state !== 'waiting').length === count ? posts : undefined;
  });

it('a run shows where its result was posted', async () => {
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await findPosts(3)).toMatchObject([
    {
      attempt: 1,
      target: `github status ${at}`,
      repository: 'acme/payments',
      commit: SHA,
      state: 'posted',
      problem: null,
    },
    { attempt: 1, target: `gitlab comment ${at}`, repository: 'acme/payments', number: '7', state: 'posted' },
    { attempt: 1, target: `webhook ${at}`, repository: null, commit: null, number: null, state: 'posted' },
  ]);
  const { stdout } = await daemon.cli('run', 'show', 'last');
  expect(stdout).toContain(`Posts:\n  github status ${at} acme/payments ${SHA.slice(0, 12)}: posted\n`);
  expect(stdout).toContain(`  gitlab comment ${at} acme/payments #7: posted\n  webhook ${at}: posted\n`);
});

it('a payload without a commit is not posted to a git host, but calls back', { tags: 'full' }, async () => {
  received.length = 0;
  await deliver({ repository: { full_name: '../../user' }, head: { sha: SHA }, number: 7 });
  await find('/callback');
  expect(received.map(({ path }) => path)).toEqual(['/callback']);
  expect(daemon.output()).toContain('repository: \\"../../user\\" is not a repository');
  const problem = 'repository: "../../user" is not a repository';
  expect(await findPosts(3)).toMatchObject([
    { state: 'skipped', problem, repository: null, commit: null, retry_at: null },
    { state: 'skipped', problem },
    { state: 'posted', problem: null },
  ]);
  const { stdout } = await daemon.cli('run', 'show', 'last');
  expect(stdout).toMatch(/ {2}github status [\d.:]+: not posted: repository: "\.\.\/\.\.\/user" is not a repository\n/);
  const failures = (await daemon.api('/factories/payments')).body.conditions;
  expect(JSON.stringify(failures)).not.toContain('not a repository');
});

it('a result that a killed daemon did not post is posted by the next one, and a posted one is not posted again', {
  tags: 'full',
}, async () => {
  received.length = 0;
  statuses.push(503);
  await deliver({ only: 'callback' });
  await find('/callback');
  await daemon.end('SIGKILL');
  received.length = 0;
  daemon = await startTestDaemon({ ...options, dataDir: daemon.dataDir });
  const callback = await find('/callback');
  expect(JSON.parse(callback.text)).toMatchObject({ type: 'run.succeeded' });
  await deliver({ last: true });
  await eventually(async () => (received.length === 2 ? true : undefined));
  expect(received.map(({ path }) => path)).toEqual(['/callback', '/callback']);
});
