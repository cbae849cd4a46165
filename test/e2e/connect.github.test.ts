import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type GithubHook, type GithubHooks, startGithubHooks } from '../helpers/hook-apis/github-hooks.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'the-secret-of-the-webhook';
const TOKEN = 'ghp_the-token-of-the-test';
const WEBHOOK = 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_SECRET\n';

const automation = (trigger: string) => `---\ntriggers:\n  - ${trigger}\n---\nDo it.\n`;
const FILES = {
  'webhooks/github.yaml': WEBHOOK,
  'webhooks/open.yaml': 'authMode: url_token\nsecretName: GITHUB_SECRET\n',
  'automations/triage/automation.md': automation('{ provider: github, event: issue_mentioned }'),
  'automations/review/automation.md': automation(
    '{ provider: webhook, event: received, filter: { webhooks: [github], headers: { X-GitHub-Event: [pull_request] } } }',
  ),
};
const EVENTS = ['issue_comment', 'issues', 'pull_request', 'push'];

let repo: TempGitRepo;
let daemon: TestDaemon;
let github: GithubHooks;
let uid: string;
let url: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const source = { type: 'repository', url: repo.path, pushWebhook: 'github' };
  const factories = [{ name: 'payments', source }];
  daemon = await startDaemonHere({ config: { factories, baseUrl: 'https://hooks.example.com' } });
  await daemon.api('/secrets/GITHUB_SECRET', { method: 'PUT', body: { value: SECRET, factories: ['payments'] } });
  const webhooks = await eventually(async () => {
    const { data } = (await daemon.api('/factories/payments/webhooks')).body;
    return data?.length === 2 ? data : null;
  });
  uid = webhooks.find(({ name }: { name: string }) => name === 'github').uid;
  url = `https://hooks.example.com/webhooks/w/${uid}`;
  github = await startGithubHooks(TOKEN);
});
afterAll(async () => {
  await github.close();
  await repo.remove();
});

const other = (id: number): GithubHook => ({
  id,
  name: 'web',
  active: true,
  events: ['push'],
  config: { url: `https://ci.example.com/${id}` },
});
beforeEach(() => {
  github.targets.clear();
  github.targets.set('/repos/acme/api', [other(1), other(2), other(3)]);
  github.targets.set('/orgs/acme', []);
  github.script.length = 0;
  github.takeChanges();
});

const connect = async (target: string, ...more: string[]) => {
  const args = ['connect', 'github', target, '--api-url', github.url, '--data-dir', daemon.dataDir, ...more];
  const run = await runCli(args, { env: { PATH: process.env.PATH ?? '', DOCKBELL_CONNECT_TOKEN: TOKEN } });
  for (const text of [run.stdout, run.stderr]) {
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(SECRET);
  }
  return run;
};
const own = () => github.targets.get('/repos/acme/api')!.at(-1)!;

describe('dockbell connect github', () => {
  it('shows the difference and changes nothing without --yes', async () => {
    const { code, stdout, stderr } = await connect('acme/api');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Add --yes to make the change.')]);
    expect(stdout).toContain(`+ events: ${EVENTS.join(', ')}`);
    expect(stdout).toMatch(/^issue_comment +triage +github issue_mentioned$/m);
    expect(stdout).toMatch(/^pull_request +review +webhook$/m);
    expect(stdout).toMatch(/^push +\(the factory\) +pushWebhook$/m);
    expect(github.takeChanges()).toEqual([]);
  });

  it('creates the webhook once, with the secret that the daemon checks', async () => {
    const { code, stdout } = await connect('acme/api', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Created webhook \d+\.$/m)]);
    expect(own()).toMatchObject({
      active: true,
      events: EVENTS,
      config: { url, content_type: 'json', insecure_ssl: '0' },
    });
    const body = '{"action":"opened"}';
    const signature = `sha256=${createHmac('sha256', own().config.secret!).update(body).digest('hex')}`;
    const headers = { 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': 'one', 'X-Hub-Signature-256': signature };
    const posted = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body });
    expect(posted.ok).toBe(true);
    github.takeChanges();
    const again = await connect('acme/api', '--yes');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Nothing to change.')]);
    expect(again.stdout).not.toContain('AUTOMATION');
    expect((await connect('acme/api', '--check')).code).toBe(0);
    expect(github.takeChanges()).toEqual([]);
  });

  it('finds the webhook on any page by its UID, and changes exactly what differs', async () => {
    const config = {
      url: `http://old.example.com/webhooks/w/${uid}/former-token`,
      content_type: 'form',
      insecure_ssl: '1',
    };
    github.targets
      .get('/repos/acme/api')!
      .push({ id: 9, name: 'web', active: false, events: ['check_suite', 'issues'], config });
    const check = await connect('acme/api', '--check');
    expect(check.code).toBe(1);
    const lines = [
      `- URL: http://old.example.com/webhooks/w/${uid}/{token}`,
      `+ URL: ${url}`,
      '- content type: form',
      '- events: check_suite',
      '  events: issues',
      '+ events: issue_comment, pull_request, push',
      '- active: no',
      '- TLS verification: no',
      '+ secret: GITHUB_SECRET, version 1 (now: none)',
    ];
    for (const line of lines) expect(check.stdout).toContain(line);
    expect(check.stdout).not.toContain('former-token');
    expect(github.takeChanges()).toEqual([]);
    const { code, stdout } = await connect('acme/api', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Changed webhook 9.')]);
    expect(own()).toMatchObject({
      active: true,
      events: EVENTS,
      config: { url, secret: SECRET, content_type: 'json' },
    });
    expect((await connect('acme/api', '--check')).code).toBe(0);
  });

  it('sends the secret again for a change of events, which would remove it otherwise', { tags: 'full' }, async () => {
    await connect('acme/api', '--yes');
    own().events = ['push'];
    const { stdout } = await connect('acme/api', '--yes');
    expect(stdout).toContain('secret: GITHUB_SECRET, version 1 (sent again');
    expect(own().config.secret).toBe(SECRET);
    own().config.secret = 'an older secret';
    expect((await connect('acme/api', '--check')).code).toBe(0);
    expect((await connect('acme/api', '--yes', '--send-secret')).code).toBe(0);
    expect(own().config.secret).toBe(SECRET);
  });

  it('reports further webhooks with the same UID, which a person has to delete', { tags: 'full' }, async () => {
    await connect('acme/api', '--yes');
    github.targets
      .get('/repos/acme/api')!
      .unshift({ ...own(), id: 7, config: { ...own().config, url: `http://old/webhooks/w/${uid}` } });
    const { code, stdout } = await connect('acme/api', '--yes');
    expect([code, stdout]).toEqual([1, expect.stringContaining('other webhooks: 7')]);
    expect(stdout).toContain('Delete them at the provider.');
  });

  it('prints JSON for programs', { tags: 'full' }, async () => {
    const { code, stdout } = await connect('acme', '--json', '--check');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { applied: false, action: 'create', in_sync: false, target: 'acme' },
    ]);
    const applied = await connect('acme', '--json', '--yes');
    expect(JSON.parse(applied.stdout)).toMatchObject({
      applied: true,
      hook: String(github.targets.get('/orgs/acme')![0]!.id),
    });
  });

  it('registers all events for a trigger that lists none, and names it', { tags: 'full' }, async () => {
    const open = automation('{ provider: webhook, event: received, filter: { webhooks: [github] } }');
    await repo.commit({ ...FILES, 'automations/all/automation.md': open });
    await daemon.cli('reconcile', '--wait');
    const { stdout } = await connect('acme/api', '--yes');
    expect(stdout).toContain(
      'The automation all has a webhook trigger that lists no values of the header X-GitHub-Event',
    );
    expect(own().events).toEqual(['*']);
    expect((await connect('acme/api', '--check')).code).toBe(0);
    await repo.commit({ 'automations/all/automation.md': null });
    await daemon.cli('reconcile', '--wait');
    const narrowed = await connect('acme/api', '--yes');
    expect(narrowed.stdout).toContain('- events: *');
    expect(own().events).toEqual(EVENTS);
  });
});

describe('errors', () => {
  it.each([
    [
      'a token that GitHub rejects',
      4,
      { status: 401 },
      'GitHub rejected the token. Use a valid token with the scope admin:repo_hook',
    ],
    [
      'a missing permission',
      4,
      { status: 403, body: { message: 'Resource not accessible' } },
      'It needs the scope admin:repo_hook',
    ],
    [
      'a rate limit',
      3,
      { status: 403, headers: { 'retry-after': '60' } },
      'The rate limit of GitHub is used up. Repeat the request after 20',
    ],
    ['a secondary rate limit', 3, { status: 429 }, 'Repeat the request later.'],
    ['a moved repository', 2, { status: 301, headers: { location: '/x' } }, 'Redirects are not followed'],
    ['a failure of GitHub', 3, { status: 502, body: '<html>' }, 'GitHub failed with 502. Repeat the request later.'],
    [
      'a page instead of JSON',
      2,
      { status: 200, body: '<html>' },
      'The answer of GitHub is not JSON. Check the URL http://127.0.0.1:',
    ],
    ['another JSON', 2, { status: 200, body: {} }, 'The answer of GitHub has no list of webhooks.'],
    [
      'an answer without end',
      2,
      { status: 200, body: `"${'x'.repeat(5_000_000)}"` },
      'The answer of GitHub is longer than 4 MiB.',
    ],
  ])('explains %s', { tags: 'full' }, async (_, exit, reply, message) => {
    github.script.push(reply);
    const { code, stderr } = await connect('acme/api', '--yes');
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });

  it('warns that a change without an answer may have been made', { tags: 'full' }, async () => {
    github.script.push(null, null, null, null, 'hold');
    const { code, stderr } = await connect('acme/api', '--yes');
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('no answer within 15 s. The change may have been made'),
    ]);
  });

  it('explains a rejected webhook, without the secrets that an API repeats', { tags: 'full' }, async () => {
    github.script.push(null, null, null, null, {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ message: 'Hook already exists' }] },
    });
    expect((await connect('acme/api', '--yes')).stderr).toContain(
      'GitHub rejected the request: Validation Failed; Hook already exists.',
    );
    for (const value of [TOKEN, SECRET]) {
      github.script.push(null, null, null, null, { status: 422, body: { message: `no ${value}` } });
      expect((await connect('acme/api', '--yes')).stderr).toContain(
        'its text is not shown, because it contains a secret',
      );
    }
  });

  it.each([
    ['an unknown repository', 1, ['acme/none'], 'GitHub shows no webhooks of acme/none. Check the name'],
    ['a path', 2, ['acme/../x'], 'The target has another form. Use ORG for an organization, or ORG/REPO'],
    ['an unencrypted address', 2, ['acme', '--api-url', 'http://192.0.2.1'], 'must use https'],
    [
      'a URL with credentials',
      2,
      ['acme', '--api-url', 'https://ann:pw@example.com'],
      'must have no user, query or fragment',
    ],
    [
      'an unreachable API',
      3,
      ['acme', '--api-url', 'http://127.0.0.1:1'],
      'could not be reached at http://127.0.0.1:1: ECONNREFUSED',
    ],
    ['an unknown webhook', 1, ['acme', '--webhook', 'none'], "has no webhook 'none'"],
    ['a webhook with the secret in its URL', 2, ['acme', '--webhook', 'open'], 'its URL contains the secret'],
  ])('rejects %s', { tags: 'full' }, async (_, exit, [target, ...more], message) => {
    const { code, stderr } = await connect(target!, ...more);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });

  it('names the variable of the token', { tags: 'full' }, async () => {
    const { code, stderr } = await daemon.cli('connect', 'github', 'acme/api');
    expect([code, stderr]).toEqual([4, expect.stringContaining('DOCKBELL_CONNECT_TOKEN is not set.')]);
  });
});

describe('the management API', () => {
  const post = (path: string, body: object, token?: string) =>
    daemon.api(`/factories/payments/webhooks/${uid}${path}`, {
      method: 'POST',
      body,
      ...(token === undefined ? {} : { token }),
    });
  const order = () => ({ provider: 'github', target: 'acme/api', token: TOKEN, api_url: github.url });

  it('applies only the difference that was shown', async () => {
    const { body: plan } = await post('/connection/plan', order());
    github.targets.get('/repos/acme/api')!.push({ ...other(4), config: { url: `http://old/webhooks/w/${uid}` } });
    const { status, body } = await post('/connection', { ...order(), digest: plan.digest });
    expect([status, body.code]).toEqual([412, 'precondition_failed']);
    expect(github.takeChanges()).toEqual([]);
  });

  it('sends the secret to another API only for owners', { tags: 'full' }, async () => {
    const { body: created } = await daemon.api('/tokens', { method: 'POST', body: { name: 'm', role: 'manager' } });
    const before = github.requests.length;
    const { status, body } = await post('/connection/plan', order(), created.token);
    expect([status, body.detail]).toEqual([403, expect.stringContaining('needs the role owner')]);
    expect(github.requests).toHaveLength(before);
  });

  it('records who sent which version of the secret, and no value', async () => {
    await connect('acme/api', '--yes');
    const { body } = await daemon.api('/audit');
    expect(body.data[0]).toMatchObject({
      route: '/api/v1/factories/:factory/webhooks/:uid/connection',
      changes: {
        token: '[not shown]',
        provider: 'github',
        target: 'acme/api',
        api_url: github.url,
        action: 'create',
        secret_sent: 'GITHUB_SECRET, version 1',
      },
    });
    for (const text of [JSON.stringify(body), daemon.output()]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(SECRET);
    }
  });
});
