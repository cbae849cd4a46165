import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type GitlabHooks, startGitlabHooks } from '../helpers/hook-apis/gitlab-hooks.ts';
import { type LinearHook, type LinearHooks, startLinearHooks } from '../helpers/hook-apis/linear-hooks.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const GITLAB_TOKEN = 'glpat-the-token-of-the-test';
const LINEAR_KEY = 'lin_api_the-key-of-the-test';
const SECRET = 'the-secret-of-the-webhooks';
const SIGNING_TOKEN = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const automation = (...triggers: string[]) =>
  `---\ntriggers:\n${triggers.map((trigger) => `  - ${trigger}\n`).join('')}---\nDo it.\n`;
const FILES = {
  'webhooks/gitlab.yaml': 'authMode: signature\nsignatureScheme: gitlab\nsecretName: HOOKS\n',
  'webhooks/signed.yaml': 'authMode: signature\nsignatureScheme: gitlab_signing\nsecretName: SIGNING\n',
  'webhooks/linear.yaml': 'authMode: signature\nsignatureScheme: linear\nsecretName: HOOKS\n',
  'automations/review/automation.md': automation(
    '{ provider: gitlab, event: merge_request }',
    '{ provider: gitlab, event: bot_mentioned, filter: { mentioned: [factory-bot] } }',
  ),
  'automations/triage/automation.md': automation(
    '{ provider: linear, event: issue_created }',
    '{ provider: linear, event: agent_session_created }',
  ),
};

let repo: TempGitRepo;
let daemon: TestDaemon;
let gitlab: GitlabHooks;
let linear: LinearHooks;
/** URLs of the webhooks by name. */
let urls: Record<string, string>;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path } }];
  daemon = await startDaemonHere({ config: { factories, baseUrl: 'https://hooks.example.com' } });
  const put = (name: string, value: string) =>
    daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value, factories: ['payments'] } });
  await put('HOOKS', SECRET);
  await put('SIGNING', SIGNING_TOKEN);
  const listed = await eventually(async () => {
    const { data } = (await daemon.api('/factories/payments/webhooks')).body;
    return data?.length === 3 ? (data as { name: string; ingress_url: string }[]) : null;
  });
  urls = Object.fromEntries(listed.map(({ name, ingress_url }) => [name, ingress_url]));
  gitlab = await startGitlabHooks(GITLAB_TOKEN);
  linear = await startLinearHooks(LINEAR_KEY);
});
afterAll(async () => {
  await gitlab.close();
  await linear.close();
  await repo.remove();
});

const connect = async (api: string, token: string, [provider, ...args]: string[]) => {
  const run = await runCli(['connect', provider!, '--data-dir', daemon.dataDir, '--api-url', api, ...args], {
    env: { PATH: process.env.PATH ?? '', DOCKBELL_CONNECT_TOKEN: token },
  });
  for (const text of [run.stdout, run.stderr]) {
    for (const secret of [GITLAB_TOKEN, LINEAR_KEY, SECRET, SIGNING_TOKEN]) expect(text).not.toContain(secret);
  }
  return run;
};

describe('dockbell connect gitlab', () => {
  const run = (...args: string[]) => connect(`${gitlab.url}/api/v4`, GITLAB_TOKEN, ['gitlab', ...args]);
  const project = '/projects/acme%2Fapi';

  beforeEach(() => {
    gitlab.targets.clear();
    gitlab.targets.set(project, []);
    gitlab.targets.set('/groups/acme%2Fteam', []);
    gitlab.targets.set('/groups/acme', []);
    gitlab.script.length = 0;
    gitlab.hasSigningTokens = true;
    gitlab.takeChanges();
  });

  it('asks for the webhook if several serve GitLab', { tags: 'full' }, async () => {
    const { code, stderr } = await run('acme/api');
    expect([code, stderr]).toEqual([2, expect.stringContaining('2 webhooks of the factory payments serve GitLab.')]);
    expect(stderr).toContain('Add --webhook with one of: gitlab, signed.');
  });

  it('creates the webhook of a project once, with exactly the events that are needed', { tags: 'full' }, async () => {
    expect((await run('acme/api', '--webhook', 'gitlab', '--yes')).code).toBe(0);
    const [hook] = gitlab.targets.get(project)!;
    expect(hook).toMatchObject({ url: urls.gitlab, token: SECRET, enable_ssl_verification: true });
    const on = Object.entries(hook!).filter(([name, value]) => name.endsWith('_events') && value === true);
    expect(on.map(([name]) => name).sort()).toEqual([
      'confidential_note_events',
      'merge_requests_events',
      'note_events',
    ]);
    gitlab.takeChanges();
    const again = await run('acme/api', '--webhook', 'gitlab', '--yes');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Nothing to change.')]);
    expect(gitlab.takeChanges()).toEqual([]);
  });

  it('corrects the events and the URL of a webhook on a later page, and keeps its token', {
    tags: 'full',
  }, async () => {
    const hook = (id: number, url: string) =>
      ({
        id,
        url,
        enable_ssl_verification: false,
        alert_status: 'executable',
        push_events: true,
        note_events: true,
        merge_requests_events: false,
        token: SECRET,
      }) as const;
    const old = hook(3, urls.gitlab!.replace('hooks.', 'old.'));
    gitlab.targets.get(project)!.push(hook(1, 'https://a.example.com'), hook(2, 'https://b.example.com'), old);
    const check = await run('acme/api', '--webhook', 'gitlab', '--check');
    expect(check.code).toBe(1);
    for (const line of [
      '- events: push_events',
      '  events: note_events',
      '+ events: confidential_note_events, merge_requests_events',
    ]) {
      expect(check.stdout).toContain(line);
    }
    expect(gitlab.takeChanges()).toEqual([]);
    expect((await run('acme/api', '--webhook', 'gitlab', '--yes')).code).toBe(0);
    expect(old).toMatchObject({ url: urls.gitlab, push_events: false, merge_requests_events: true, token: SECRET });
  });

  it('registers at a group if no project has the path', { tags: 'full' }, async () => {
    expect((await run('acme/team', '--webhook', 'gitlab', '--yes')).code).toBe(0);
    expect((await run('acme', '--webhook', 'gitlab', '--yes')).code).toBe(0);
    expect([gitlab.targets.get('/groups/acme%2Fteam'), gitlab.targets.get('/groups/acme')]).toMatchObject([[{}], [{}]]);
  });

  it('says how to enable a webhook that GitLab has disabled', { tags: 'full' }, async () => {
    await run('acme/api', '--webhook', 'gitlab', '--yes');
    gitlab.targets.get(project)![0]!.alert_status = 'disabled';
    gitlab.takeChanges();
    const { code, stdout } = await run('acme/api', '--webhook', 'gitlab', '--yes');
    expect([code, stdout]).toEqual([1, expect.stringContaining('Open it at GitLab and select Test.')]);
    expect(gitlab.takeChanges()).toEqual([]);
  });

  it('sends a signing token, and reports an older version that ignores it', { tags: 'full' }, async () => {
    expect((await run('acme/api', '--webhook', 'signed', '--yes')).code).toBe(0);
    expect(gitlab.targets.get(project)![0]).toMatchObject({ signing_token: SIGNING_TOKEN });
    expect(gitlab.targets.get(project)![0]).not.toHaveProperty('token');
    gitlab.hasSigningTokens = false;
    const { code, stderr } = await run('acme', '--webhook', 'signed', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('reports other values than it was sent: secret')]);
  });

  it.each([
    ['an unknown path', 1, ['acme/none'], 'GitLab shows no webhooks of acme/none. Check the name'],
    ['a text that is no path', 2, ['acme//api'], 'The target has another form.'],
    ['the address of web pages', 2, ['acme', '--api-url', 'https://gitlab.example.com'], 'must end in /api/v4'],
  ])('rejects %s', { tags: 'full' }, async (_, exit, args, message) => {
    const { code, stderr } = await run('--webhook', 'gitlab', ...args);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });

  it('quotes what GitLab says about a field', { tags: 'full' }, async () => {
    gitlab.script.push(null, { status: 422, body: { message: { url: ['is blocked: local network'] } } });
    const { stderr } = await run('acme/api', '--webhook', 'gitlab', '--yes');
    expect(stderr).toContain('GitLab rejected the request: url is blocked: local network.');
  });
});

describe('dockbell connect linear', () => {
  const run = (...args: string[]) => connect(`${linear.url}/graphql`, LINEAR_KEY, ['linear', ...args]);
  const hook = (id: string, more: Partial<LinearHook>): LinearHook => ({
    id,
    url: 'https://other.example.com',
    enabled: true,
    resourceTypes: ['Issue'],
    secret: 'x',
    allPublicTeams: false,
    team: { key: 'ENG' },
    ...more,
  });

  beforeEach(() => {
    linear.hooks.length = 0;
    linear.script.length = 0;
    linear.takeChanges();
  });

  it('creates the webhook of a team once, and names the events of apps', { tags: 'full' }, async () => {
    const { code, stdout } = await run('eng', '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Created webhook hook-1.')]);
    expect(stdout).toContain('Linear sends AgentSessionEvent only to OAuth apps.');
    expect(linear.hooks).toMatchObject([
      { url: urls.linear, enabled: true, resourceTypes: ['Issue'], secret: SECRET, team: { key: 'ENG' } },
    ]);
    linear.takeChanges();
    expect((await run('ENG', '--yes')).stdout).toContain('Nothing to change.');
    expect(linear.takeChanges()).toEqual([]);
  });

  it('creates another webhook for all public teams', { tags: 'full' }, async () => {
    await run('ENG', '--yes');
    expect((await run('all', '--yes')).code).toBe(0);
    expect(linear.hooks).toMatchObject([{ team: { key: 'ENG' } }, { team: null, allPublicTeams: true }]);
  });

  it('compares the secret, which Linear shows, on a later page', { tags: 'full' }, async () => {
    linear.hooks.push(
      hook('a', {}),
      hook('b', {}),
      hook('c', { url: urls.linear!, resourceTypes: ['Comment'], enabled: false }),
    );
    const check = await run('ENG', '--check');
    expect(check.code).toBe(1);
    for (const line of ['- events: Comment', '+ events: Issue', '- active: no', '(now: another value)']) {
      expect(check.stdout).toContain(line);
    }
    expect((await run('ENG', '--yes')).code).toBe(0);
    expect(linear.hooks[2]).toMatchObject({ enabled: true, resourceTypes: ['Issue'], secret: SECRET });
  });

  it.each([
    ['an unknown team', 1, 'OPS', null, 'Linear shows no team with the key OPS.'],
    ['a text that is no key', 2, 'the team', null, 'The target has another form. Use the key of a team'],
    [
      'a rate limit',
      3,
      'ENG',
      {
        status: 400,
        body: { errors: [{ message: 'x', extensions: { code: 'RATELIMITED' } }] },
        headers: { 'x-ratelimit-requests-reset': '1900000000000' },
      },
      'Repeat the request after 2030-03-17',
    ],
    [
      'a missing permission',
      4,
      'ENG',
      { status: 200, body: { errors: [{ message: 'x', extensions: { code: 'FORBIDDEN' } }] } },
      'It needs an API key of a workspace admin',
    ],
    [
      'an invalid key',
      4,
      'ENG',
      { status: 401, body: { errors: [{ message: 'x', extensions: { code: 'AUTHENTICATION_ERROR' } }] } },
      'Linear rejected the token.',
    ],
    [
      'an error of the request',
      2,
      'ENG',
      {
        status: 400,
        body: {
          errors: [
            { message: 'Argument Validation Error', extensions: { userPresentableMessage: 'url must be public' } },
          ],
        },
      },
      'Linear rejected the request: url must be public.',
    ],
    ['data of another form', 2, 'ENG', { status: 200, body: { data: {} } }, 'The answer of Linear has no list.'],
  ])('explains %s', { tags: 'full' }, async (_, exit, target, reply, message) => {
    linear.script.push(reply);
    const { code, stderr } = await run(target, '--yes');
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });
});
