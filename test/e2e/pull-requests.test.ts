import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitOnto, type ProposedFiles } from '../helpers/commit-onto.ts';
import { eventually } from '../helpers/eventually.ts';
import { type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts';
import { REQUEST_TITLE, REQUEST_TOKEN, type RequestHost, startRequestHost } from '../helpers/request-host.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

/** A check starts several processes, and a new revision repeats the checks of all open requests. That takes long on a busy machine. */
const PATIENCE_MS = 90_000;
const TEST_MS = 3 * PATIENCE_MS;
const until = <T>(look: () => T | Promise<T>) => eventually(look, PATIENCE_MS);
const HOOK_SECRET = 'a-secret-of-the-host-0123456789';
const CI = 'secretName: CI_SECRET\n';
const WITH_DEPLOY = { 'webhooks/deploy.yaml': 'secretName: CI_SECRET\n' };

describe.each(['github', 'gitlab'] as const)('a pull request on %s', { timeout: TEST_MS }, (type) => {
  let repo: TempGitRepo;
  let git: GitHttpServer;
  let host: RequestHost;
  let daemon: TestDaemon;
  let good: string;
  const refOf = (number: number) =>
    type === 'github' ? `refs/pull/${number}/head` : `refs/merge-requests/${number}/head`;

  /** The host reports that a pull request has changed. */
  const deliver = async (body: string) => {
    const { body: webhooks } = await daemon.api('/factories/payments/webhooks');
    const url = webhooks.data.find(({ name }: { name: string }) => name === 'host').ingress_url;
    const signature = `sha256=${createHmac('sha256', HOOK_SECRET).update(body).digest('hex')}`;
    const headers: Record<string, string> =
      type === 'github'
        ? { 'X-GitHub-Event': 'pull_request', 'X-Hub-Signature-256': signature }
        : { 'X-Gitlab-Event': 'Merge Request Hook', 'X-Gitlab-Token': HOOK_SECRET };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    expect(response.status).toBe(202);
  };
  /** Commits files on top of a commit, without moving a branch, and opens or moves a request to it. */
  const propose = async (number: number, files: ProposedFiles, options: { from?: string; isFork?: boolean } = {}) => {
    const commit = await commitOnto(repo, options.from ?? good, files);
    await repo.git(['update-ref', refOf(number), commit]);
    host.open({ number, commit, isFork: options.isFork ?? false });
    await deliver(JSON.stringify({ number, commit }));
    return commit;
  };
  const start = (dataDir?: string) => {
    const pullRequests = { type, url: host.url, repository: 'team/factory', secretName: 'CHECKS', pollInterval: '1h' };
    const source = { type: 'repository', url: `${git.url}/origin.git`, pollInterval: '1s' };
    const alerts = { interval: '1s', resolveAfter: '5s', rules: { notifyFailing: '2s' } };
    const config = { factories: [{ name: 'payments', source, pullRequests }], alerts };
    return startDaemonHere({ config, ...(dataDir === undefined ? {} : { dataDir }) });
  };
  const statesOf = (commit: string) => host.statuses.filter(({ sha }) => sha === commit).map(({ state }) => state);
  const ended = (commit: string) =>
    until(() => host.statuses.findLast(({ sha, state }) => sha === commit && state !== 'pending'));
  const alerts = async (state: string) => (await daemon.cli('alert', 'list', '--state', state)).stdout;
  const failed = type === 'github' ? 'failure' : 'failed';

  beforeAll(async () => {
    repo = await createTempGitRepo({ bare: true });
    const hook = `authMode: signature\nsignatureScheme: ${type}\nsecretName: HOOK\n`;
    good = await repo.commit({ 'webhooks/ci.yaml': CI, 'webhooks/host.yaml': hook, 'README.md': 'a factory\n' });
    git = await startGitHttpServer({ root: repo.root });
    host = await startRequestHost(type);
    daemon = await start();
    await daemon.api('/secrets/CI_SECRET', { method: 'PUT', body: { value: 'a-secret-that-is-long-enough' } });
    await daemon.api('/secrets/HOOK', { method: 'PUT', body: { value: HOOK_SECRET } });
    await daemon.api('/secrets/CHECKS', { method: 'PUT', body: { value: REQUEST_TOKEN } });
    expect(await daemon.cli('status', '--wait', good, '--timeout', '60s')).toMatchObject({ code: 0 });
  });

  afterAll(async () => {
    expect(await daemon?.end('SIGTERM')).toBe(0);
    await host?.close();
    await git?.close();
    repo?.remove();
  });

  it('gets a commit status and a comment with the plan', type === 'github' ? {} : { tags: 'full' }, async () => {
    const head = await propose(7, WITH_DEPLOY);
    const status = await ended(head);
    expect(status).toMatchObject({ state: 'success', context: 'dockbell/payments/plan', description: '1 to create' });
    expect(statesOf(head)).toEqual(['pending', 'success']);
    const [comment] = await until(() => host.comments(7).length === 1 && host.comments(7));
    expect(comment!.body).toContain('### Dockbell plan for `payments`: 1 to create');
    expect(comment!.body).toContain('| create | webhook `deploy` |');
    expect(host.violations).toEqual([]);
    const { body: list } = await until(async () => {
      const answer = await daemon.api('/factories/payments/pull-requests');
      return answer.body.data[0].posts.every(({ state }: { state: string }) => state === 'posted') && answer;
    });
    expect(list).toMatchObject({ problem: null, repository: 'team/factory', branch: 'main' });
    expect(list.data).toMatchObject([
      {
        number: 7,
        head,
        title: REQUEST_TITLE,
        url: expect.stringMatching(/^https:\/\/git(hub|lab)\.example\/team\/factory\/.*\/7$/),
        fork: false,
        state: 'success',
        description: '1 to create',
        posts: [{ kind: 'status' }, { kind: 'comment' }],
      },
    ]);
    const { stdout } = await daemon.cli('pull-request', 'list');
    expect(stdout).toMatch(/^7 +\S+ +no +success +yes +.* +<!-- dockbell --> @everyone +1 to create$/m);
  });

  it('is checked again when its head moves, and the comment is updated', { tags: ['full', 'continues'] }, async () => {
    const head = await propose(7, { ...WITH_DEPLOY, 'webhooks/billing.yaml': 'secretName: BILLING\n' });
    expect(await ended(head)).toMatchObject({
      state: 'success',
      description: '2 to create; waits for the secret BILLING',
    });
    await until(() => host.comments(7)[0]!.body.includes('2 to create'));
    expect(host.comments(7)).toHaveLength(1);
    expect(host.comments(7)[0]!.body).toContain('dockbell secret create BILLING');
  });

  it('is checked again when a missing secret is created', { tags: 'full' }, async () => {
    await daemon.api('/secrets/BILLING', { method: 'PUT', body: { value: 'another-secret-that-is-long' } });
    await until(() => host.statuses.at(-1)!.description === '2 to create');
    await until(() => !host.comments(7)[0]!.body.includes('secret create'));
  });

  it('fails if its definition is invalid, with file and line', { tags: 'full' }, async () => {
    const head = await propose(8, { 'webhooks/ci.yaml': `${CI}enabld: false\n` });
    const status = await ended(head);
    expect(status).toMatchObject({ state: failed, description: expect.stringMatching(/^webhooks\/ci\.yaml:2:1: /) });
    const [comment] = await until(() => host.comments(8).length === 1 && host.comments(8));
    expect(comment!.body).toMatch(/Dockbell plan: invalid[\s\S]*enabld: false/);
  });

  it('gets nothing if it does not change the factory', { tags: 'full' }, async () => {
    const other = await propose(9, { 'README.md': 'other words\n' });
    const last = await propose(10, { 'webhooks/last.yaml': CI });
    await ended(last);
    expect([statesOf(other), host.comments(9)]).toEqual([[], []]);
  });

  it('is planned as merged: what the branch did not change is that of production', { tags: 'full' }, async () => {
    await ended(await propose(17, { 'webhooks/behind.yaml': CI }));
    const moved = await repo.commit({ 'webhooks/newer.yaml': CI });
    expect(await daemon.cli('status', '--wait', moved, '--timeout', '60s')).toMatchObject({ code: 0 });
    await until(() => host.comments(17)[0]!.body.includes(moved.slice(0, 12)));
    expect(host.comments(17)[0]!.body).toContain('1 to create');
    expect(host.comments(17)[0]!.body).not.toContain('newer');
    good = moved;
  });

  it('of a fork is only read: links, submodules and names have no effect, and its texts none in the comment', {
    tags: 'full',
  }, async () => {
    const nasty = 'x](https://evil.example) @team <img src=x> `--> /merge';
    const head = await propose(
      11,
      {
        'webhooks/link.yaml': { mode: '120000', content: '/etc/passwd' },
        'automations/module': { mode: '160000', content: '1'.repeat(40) },
        'webhooks/a\u001b[31m\n\n## forged\n/merge.yaml': CI,
        [`webhooks/${'~'.repeat(3)}.yaml`]: `secretName: "${nasty}"\n`,
        '.gitattributes': '* filter=evil\n',
        '.gitmodules': '[submodule "evil"]\n\tpath = automations/module\n\turl = https://evil.example/x\n',
      },
      { isFork: true },
    );
    expect(await ended(head)).toMatchObject({ state: failed });
    const [comment] = await until(() => host.comments(11).length === 1 && host.comments(11));
    const [marker, ...lines] = comment!.body.split('\n');
    expect(marker).toMatch(/^<!-- dockbell:[0-9a-f]{24} -->$/);
    const [before, quoted, after] = lines.join('\n').split(/^~~~.*$/m);
    expect(quoted).toContain('link.yaml');
    expect(`${before}${after}`).not.toMatch(/evil|@team|<img|forged/);
    expect(comment!.body).not.toMatch(/^\s*\/merge|\u001b/m);
    expect(comment!.body).not.toContain('root:');
  });

  it('of a fork gets no backtest', { tags: 'full' }, async () => {
    const head = await propose(12, { 'webhooks/fork.yaml': 'secretName: CI_SECRET\n' }, { isFork: true });
    expect(await ended(head)).toMatchObject({ state: 'success' });
    const [comment] = await until(() => host.comments(12).length === 1 && host.comments(12));
    expect(comment!.body).toContain('No backtest: the commit is from a fork.');
  });

  it('cannot be answered in place of Dockbell, by a comment of another account', { tags: 'full' }, async () => {
    await until(() => host.comments(7).length === 1);
    const marker = host.comments(7)[0]!.body.split('\n')[0]!;
    host.comment(13, `${marker}\nall good`);
    const head = await propose(13, WITH_DEPLOY);
    await ended(head);
    await until(() => host.comments(13).length === 2);
    expect(host.comments(13)[0]!.body).toBe(`${marker}\nall good`);
  });

  it('that is closed is not checked any more', { tags: 'full' }, async () => {
    await ended(await propose(16, { 'webhooks/w.yaml': CI }));
    host.closeRequest(16);
    const before = host.statuses.length;
    await repo.git(['update-ref', refOf(16), await commitOnto(repo, good, { 'webhooks/x.yaml': CI })]);
    const last = await propose(14, { 'webhooks/y.yaml': CI });
    await ended(last);
    await until(() => host.comments(14).length === 1);
    expect(host.statuses.slice(before).every(({ sha }) => sha === last)).toBe(true);
    expect(host.violations).toEqual([]);
  });

  it('is not reported again by the next daemon', { tags: 'full' }, async () => {
    const written = () => JSON.stringify([7, 8, 10, 11, 12, 13, 14, 16, 17].map(host.comments));
    const [statuses, comments] = [host.statuses.length, written()];
    expect(await daemon.end('SIGTERM')).toBe(0);
    const asked = host.asked.length;
    daemon = await start(daemon.dataDir);
    const last = await propose(15, { 'webhooks/z.yaml': CI });
    await ended(last);
    await until(() => host.comments(15).length === 1);
    expect(host.statuses.slice(statuses).map(({ sha }) => sha)).toEqual([last, last]);
    expect(written()).toBe(comments);
    expect(host.asked.slice(asked).filter((line) => /^(POST|PUT|PATCH)/.test(line))).toHaveLength(3);
  });

  it('that cannot be commented on is listed with the reason, and with its status', { tags: 'full' }, async () => {
    host.script({
      at: type === 'github' ? 'POST /repos/team/factory/issues' : '/merge_requests/18/notes',
      status: 403,
    });
    const head = await propose(18, { 'webhooks/locked.yaml': CI });
    expect(await ended(head)).toMatchObject({ state: 'success' });
    const { stdout } = await until(async () => {
      const listed = await daemon.cli('pull-request', 'list');
      return listed.stdout.includes('given up') && listed;
    });
    const line = stdout.split('\n').find((text) => text.startsWith('18 '));
    expect(line).toMatch(
      / success +no .* 1 to create; the comment is not posted \(given up\): it responded with 403: /,
    );
    expect(line).toContain('has no permission to comment on pull requests. It needs ');
    await ended(await propose(18, { 'webhooks/unlocked.yaml': CI }));
    await until(async () => !(await daemon.cli('status')).stdout.includes('NotifyFailing'));
    await until(async () => !(await alerts('active')).includes('notifyFailing'));
  });

  it('cannot be checked with a rejected token, which the condition and an alert report until it is replaced', {
    tags: 'full',
  }, async () => {
    await daemon.api('/secrets/CHECKS', { method: 'PUT', body: { value: 'expired-token' } });
    const status = await until(async () => {
      const { stdout } = await daemon.cli('status');
      return stdout.includes('NotifyFailing') && stdout;
    });
    expect(status).toContain('the pull requests could not be listed');
    expect(status).toContain('the team secret CHECKS is wrong or has expired. It needs ');
    expect(status).toContain('Store a new one: dockbell secret update CHECKS');
    const opened = await until(async () => {
      const text = await alerts('open');
      return text.includes('notifyFailing') && text;
    });
    expect(opened).toContain('the pull requests could not be listed');
    expect((await daemon.cli('pull-request', 'list')).stdout).toMatch(
      /^Problem: +it responded with 401: the token in /m,
    );
    expect(daemon.output()).not.toContain('expired-token');
    // A restart does not know since when, and does not resolve the alert.
    expect(await daemon.end('SIGTERM')).toBe(0);
    daemon = await start(daemon.dataDir);
    await until(async () => (await daemon.cli('status')).stdout.includes('NotifyFailing'));
    expect(await alerts('open')).toContain('notifyFailing');
    await daemon.api('/secrets/CHECKS', { method: 'PUT', body: { value: REQUEST_TOKEN } });
    await until(async () => !(await daemon.cli('status')).stdout.includes('NotifyFailing'));
    await until(async () => !(await alerts('active')).includes('notifyFailing'));
    expect(await alerts('resolved')).toContain('notifyFailing');
  });
});
