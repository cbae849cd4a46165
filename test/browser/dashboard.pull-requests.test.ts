import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitOnto } from '../helpers/commit-onto.ts';
import { checkWidth, describeDashboard, lookAt, NARROW } from '../helpers/dashboard.ts';
import { type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts';
import { REQUEST_TOKEN, type RequestHost, startRequestHost } from '../helpers/request-host.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const CI = 'secretName: CI_SECRET\n';
const HOSTILE = `<img src=x onerror="globalThis.hasRun = true">\u202etxt.exe ${'x'.repeat(200)}`;
const PATIENCE = { timeout: 60_000 };

describeDashboard('open pull requests', ({ signIn }) => {
  let repo: TempGitRepo;
  let git: GitHttpServer;
  let host: RequestHost;
  let daemon: TestDaemon;
  let good: string;

  /** A new value of the secret makes the daemon ask the host immediately. */
  const giveToken = (value: string) => daemon.api('/secrets/CHECKS', { method: 'PUT', body: { value } });
  const propose = async (
    number: number,
    files: Record<string, string>,
    more: Partial<Parameters<RequestHost['open']>[0]> = {},
  ) => {
    const commit = await commitOnto(repo, good, files);
    await repo.git(['update-ref', `refs/pull/${number}/head`, commit]);
    host.open({ number, commit, ...more });
  };

  beforeAll(async () => {
    repo = await createTempGitRepo({ bare: true });
    good = await repo.commit({ 'webhooks/ci.yaml': CI, 'README.md': 'a factory\n' });
    [git, host] = [await startGitHttpServer({ root: repo.root }), await startRequestHost('github')];
    const pullRequests = {
      type: 'github',
      url: host.url,
      repository: 'team/factory',
      secretName: 'CHECKS',
      pollInterval: '1h',
    };
    const source = { type: 'repository', url: `${git.url}/origin.git` };
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source, pullRequests }] } });
    await daemon.api('/secrets/CI_SECRET', { method: 'PUT', body: { value: 'a-secret-that-is-long-enough' } });
    expect(await daemon.cli('status', '--wait', good, '--timeout', '20s')).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    await host?.close();
    await git?.close();
    repo?.remove();
  });

  it('appear with their last checks as the daemon checks them, and their titles are only text', {
    tags: 'full',
  }, async () => {
    const page = await signIn(daemon);
    const card = page.getByRole('region', { name: 'Open pull requests' });
    await card.getByText('The git host has not listed its pull requests yet').waitFor();
    await giveToken(REQUEST_TOKEN);
    await card.getByText('No open pull requests').waitFor(PATIENCE);
    await propose(7, { 'webhooks/deploy.yaml': CI }, { title: 'Add the webhook deploy' });
    await propose(8, { 'webhooks/ci.yaml': `${CI}enabld: false\n` }, { title: HOSTILE, isFork: true });
    await propose(9, { 'README.md': 'other words\n' }, { title: '', page: 'javascript:globalThis.hasRun=true' });
    await giveToken(`${REQUEST_TOKEN}\n`);
    const row = (text: string | RegExp) => card.getByRole('row').filter({ hasText: text });
    await row('Add the webhook deploy').getByText('1 to create').waitFor(PATIENCE);
    await row('Add the webhook deploy').getByText('yes').waitFor(PATIENCE);
    await row('onerror=').getByText('failure').waitFor(PATIENCE);
    await row('onerror=').getByText('fork').waitFor();
    await row('#9').getByText('untouched').waitFor(PATIENCE);
    expect(await row('#9').getByRole('link').count()).toBe(0);
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
    const link = row('Add the webhook deploy').getByRole('link');
    expect(await link.getAttribute('href')).toBe('https://github.example/team/factory/pull/7');
    await lookAt(page, 'pull-requests');
  });

  it('show what could not be posted, and why the git host could not be asked', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    const card = page.getByRole('region', { name: 'Open pull requests' });
    host.script({ at: 'POST /repos/team/factory/issues', status: 403 });
    await propose(10, { 'webhooks/locked.yaml': CI }, { title: 'Locked conversation' });
    await giveToken(REQUEST_TOKEN);
    await card.getByText(/^the comment is not posted \(given up\): it responded with 403/).waitFor(PATIENCE);
    await giveToken('expired-token');
    await card.getByText(/^The git host could not be asked last\./).waitFor(PATIENCE);
    await page.getByText('Requests to a git host or receiver fail').waitFor(PATIENCE);
    await page.getByText(/the pull requests could not be listed: it responded with 401: /).waitFor(PATIENCE);
    await checkWidth(page);
    await lookAt(page, 'pull-requests-rejected');
  });

  it('are cut to eight rows until the user asks for all', { tags: 'full' }, async () => {
    for (let number = 20; number < 30; number++) {
      await propose(number, { 'README.md': `words ${number}\n` }, { title: `Correct the README ${number}` });
    }
    await giveToken(REQUEST_TOKEN);
    const page = await signIn(daemon, '/', NARROW);
    const card = page.getByRole('region', { name: 'Open pull requests' });
    await card.getByRole('button', { name: /^Show \d+ more$/ }).click(PATIENCE);
    await card.getByText('Add the webhook deploy').waitFor();
    await checkWidth(page);
    await lookAt(page, 'pull-requests-narrow');
  });
});
