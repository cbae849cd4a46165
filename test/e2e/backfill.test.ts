import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type GithubApi, type ReportedDelivery, startGithubApi } from '../helpers/github-api.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'the-secret-of-the-webhook';
const TOKEN = 'ghp_the-token-of-the-test';
const FILES = {
  'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_SECRET\n',
  'webhooks/named.yaml': 'authMode: url_token\nsecretName: GITHUB_SECRET\ndeliveryIdHeader: X-GitHub-Delivery\n',
  'webhooks/plain.yaml': 'authMode: url_token\nsecretName: GITHUB_SECRET\n',
  'automations/triage/automation.md': `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [github, named, plain], headers: { X-GitHub-Event: [issues] } }
---
Triage it.
`,
};

let repo: TempGitRepo;
let daemon: TestDaemon;
let github: GithubApi;
/** UIDs by name. */
let uids: Record<string, string>;
let deliveries: ReportedDelivery[];

/** What GitHub posts for an event, and reports later. */
function makeDelivery(id: number, payload: string, more: Partial<ReportedDelivery> = {}): ReportedDelivery {
  const guid = more.guid ?? `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
  const signature = `sha256=${createHmac('sha256', SECRET).update(payload).digest('hex')}`;
  const event = more.event ?? 'issues';
  const headers = {
    'X-GitHub-Delivery': guid,
    'X-GitHub-Event': event,
    'X-Hub-Signature-256': signature,
    'User-Agent': 'GitHub-Hookshot/044aadd',
    'content-type': 'application/json',
    Host: 'hooks.example.com',
  };
  const delivered_at = new Date(Date.now() - (100 - id) * 1000).toISOString();
  return { id, guid, event, status_code: 502, delivered_at, headers, payload, ...more };
}

async function post(
  { headers, payload }: ReportedDelivery,
  more: Record<string, string> = {},
  path = uids.github,
): Promise<void> {
  const { Host: _, ...sent } = headers;
  const url = `${daemon.ingressUrl}/webhooks/w/${path}`;
  expect((await fetch(url, { method: 'POST', headers: { ...sent, ...more }, body: payload })).status).toBe(202);
}

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path } }];
  daemon = await startDaemonHere({ config: { factories, limits: { deliveriesPerMinute: 1000 } } });
  const secret = { value: SECRET, factories: ['payments'] };
  await daemon.api('/secrets/GITHUB_SECRET', { method: 'PUT', body: secret });
  const list = async () =>
    (await daemon.api('/factories/payments/webhooks')).body.data as { name: string; uid: string }[];
  const listed = await eventually(async () => ((await list())?.length === 3 ? await list() : null));
  uids = Object.fromEntries(listed.map(({ name, uid }) => [name, uid]));
  github = await startGithubApi(TOKEN);
  const old = new Date(Date.now() - 5 * 86_400_000).toISOString();
  // Newest first. The bytes of 6 cannot be known from the parsed payload.
  deliveries = [
    makeDelivery(7, '{"action":"opened","number":7}', { status_code: 200 }),
    makeDelivery(6, '{"action":"opened","number":6.0,"title":"\\u00e9"}'),
    makeDelivery(5, '{"action":"opened","number":5,"title":"été"}'),
    makeDelivery(4, '{"action":"opened","number":4}', { status_code: 200 }),
    makeDelivery(3, '{"action":"opened","number":4}', { guid: '00000000-0000-4000-8000-000000000004' }),
    makeDelivery(2, '{"zen":"Keep it logically awesome."}', { event: 'ping' }),
    makeDelivery(1, '{"action":"opened","number":1}', { delivered_at: old }),
  ];
  const url = `https://hooks.example.com/webhooks/w/${uids.github}`;
  github.hooks.set('/repos/acme/api/hooks/11', { url: 'https://other.example.com/hook', deliveries: [] });
  github.hooks.set('/repos/acme/api/hooks/12', { url, deliveries });
  github.hooks.set('/orgs/acme/hooks/13', { url, deliveries: deliveries.slice(0, 2) });
  await post(deliveries[0]!, { 'X-Dockbell-Backfill': 'guessed' });
});
afterAll(async () => {
  await github.close();
  await repo.remove();
});

const backfill = (target: string, ...more: string[]) =>
  runCli(['backfill', 'github', target, '--api-url', github.url, '--data-dir', daemon.dataDir, ...more], {
    env: { PATH: process.env.PATH ?? '', DOCKBELL_CONNECT_TOKEN: TOKEN },
  });
const find = async (guid: string) => {
  const { body } = await daemon.api(`/factories/payments/deliveries?delivery_id=${guid}`);
  return body.data;
};

it('shows what is missing, and posts nothing', async () => {
  github.failures.push({ status: 429, headers: { 'retry-after': '0' } }, { status: 502 });
  const { code, stdout, stderr } = await backfill('acme/api', '--dry-run');
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'GitHub made 4 deliveries. The daemon did not accept 3 of them.']);
  for (const place of [1, 2, 3]) expect(stdout).toContain(deliveries[place]!.guid);
  expect(stdout).not.toContain(deliveries[6]!.guid);
  expect(`${stdout}${stderr}`).not.toContain(TOKEN);
  expect(await find(deliveries[1]!.guid)).toEqual([]);
  const withoutYes = await backfill('acme/api');
  expect([withoutYes.code, withoutYes.stderr]).toEqual([2, expect.stringContaining('Add --yes')]);
});

it('posts them with their original IDs, and with the original signature if it fits', async () => {
  const { code, stdout } = await backfill('acme/api', '--yes');
  expect([code, stdout.trim().split('\n').at(-1)]).toEqual([
    0,
    'Posted 3: 2 with the original signature, 1 signed again.',
  ]);
  const [[seven], [six], [five]] = await Promise.all(deliveries.slice(0, 3).map(({ guid }) => find(guid)));
  expect(seven).toMatchObject({ label: 'Accepted', reason: null });
  expect(six).toMatchObject({ label: 'Accepted', reason: 'backfilled_signed_again', event: 'issues.opened' });
  expect(five).toMatchObject({ label: 'Accepted', reason: 'backfilled', event: 'issues.opened' });
  for (const delivery of [six, five]) {
    expect(delivery.reason_text).toContain('missed');
    expect(delivery.runs).toHaveLength(1);
    expect(delivery.headers).not.toHaveProperty('x-dockbell-backfill');
  }
  const { stdout: payload } = await daemon.cli('delivery', 'show', five.id, '--payload');
  expect(payload).toBe(deliveries[2]!.payload);
  expect((await daemon.api('/audit')).body.data[0]).toMatchObject({
    route: '/api/v1/factories/:factory/webhooks/:uid/backfills',
    changes: expect.objectContaining({ status: 202 }),
  });
});

it('finds nothing the second time, also for the organization', async () => {
  for (const target of ['acme/api', 'acme']) {
    const { code, stdout } = await backfill(target, '--yes', '--json');
    expect([code, JSON.parse(stdout).missed]).toEqual([0, []]);
  }
  for (const { guid } of deliveries.slice(0, 5)) expect(await find(guid)).toHaveLength(1);
});

it('looks back further with --since', { tags: ['full', 'continues'] }, async () => {
  const { stdout } = await backfill('acme/api', '--since', '7d', '--dry-run', '--json');
  expect(JSON.parse(stdout).missed).toMatchObject([{ delivery_id: deliveries[6]!.guid, webhook: 'github' }]);
});

it('recognizes a delivery that a webhook without a scheme has accepted, if it reads the ID of GitHub', {
  tags: 'full',
}, async () => {
  const payload = '{"action":"opened","number":8}';
  for (const [hook, name] of [
    [14, 'named'],
    [15, 'plain'],
  ] as const) {
    const delivery = makeDelivery(hook, payload);
    const url = `https://hooks.example.com/webhooks/w/${uids[name]}/${SECRET}`;
    github.hooks.set(`/repos/acme/${name}/hooks/${hook}`, { url, deliveries: [delivery] });
    await post(delivery, {}, `${uids[name]}/${SECRET}`);
  }
  const named = await backfill('acme/named', '--yes', '--json');
  expect([named.code, JSON.parse(named.stdout).missed]).toEqual([0, []]);
  const plain = await backfill('acme/plain', '--yes');
  expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('deliveryIdHeader: X-GitHub-Delivery')]);
  const { body } = await daemon.api(`/factories/payments/webhooks/${uids.plain}/deliveries`);
  expect(body.data).toHaveLength(1);
});

it('rejects a list that is too long, instead of omitting the oldest deliveries', { tags: 'full' }, async () => {
  const url = `https://hooks.example.com/webhooks/w/${uids.github}`;
  const many = Array.from({ length: 401 }, (_, number) => makeDelivery(1000 + number, '{}'));
  github.hooks.set('/repos/acme/busy/hooks/16', { url, deliveries: many });
  const { code, stderr } = await backfill('acme/busy', '--dry-run');
  expect([code, stderr]).toEqual([2, expect.stringContaining('Use a later time for --since')]);
});

it.each([
  ['an unknown repository', 1, ['acme/none'], 'GitHub answered 404 to GET /repos/acme/none/hooks'],
  ['a path', 2, ['acme/../x'], 'is neither an organization nor a repository'],
  ['dots', 2, ['acme/..'], 'is neither an organization nor a repository'],
  ['an unencrypted address', 2, ['acme', '--api-url', 'http://192.0.2.1'], 'without encryption'],
  ['an unknown webhook', 1, ['acme', '--webhook', 'none'], "has no webhook 'none'"],
])('rejects %s', { tags: 'full' }, async (_, exit, [target, ...more], message) => {
  const { code, stderr } = await backfill(target!, ...more);
  expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  expect(stderr).not.toContain(TOKEN);
});

it('reports a long rate limit with its end, instead of waiting for it', { tags: 'full' }, async () => {
  const reset = String(Math.floor(Date.now() / 1000) + 3600);
  github.failures.push({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
  const { code, stderr } = await backfill('acme/api');
  expect([code, stderr]).toEqual([3, expect.stringContaining('The rate limit of GitHub is used up until 20')]);
});
