import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type GitHost, HOST_TOKEN, HOST_WEBHOOK_SECRET, startGitHost } from '../helpers/git-host.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const WEBHOOK = 'secretName: CI_SECRET\n';

describe('a git host', () => {
  let repo: TempGitRepo;
  let host: GitHost;
  let daemon: TestDaemon;
  let dataDir: string | undefined;
  let good: string;
  let bad: string;

  const start = async () => {
    const url = host.url;
    const notify = [
      { type: 'github', url: `${url}/github`, repository: 'team/factory', secretName: 'HOST_TOKEN' },
      { type: 'webhook', url: `${url}/webhook`, secretName: 'HOST_SIGNING' },
    ];
    const factory = { name: 'payments', source: { type: 'repository', url: repo.path }, notify };
    daemon = await startTestDaemon({ config: { factories: [factory] }, ...(dataDir && { dataDir }) });
    dataDir = daemon.dataDir;
  };
  const pass = () => daemon.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
  const putSecret = (name: string, value: string) => daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value } });
  const notified = (api: string) =>
    host.statuses
      .filter((status) => status.api === api)
      .map(({ sha, body }) => [sha, body.state ?? body.data.state] as const);

  beforeAll(async () => {
    repo = await createTempGitRepo();
    good = await repo.commit({ 'webhooks/ci.yaml': WEBHOOK });
    host = await startGitHost();
    await start();
    await putSecret('CI_SECRET', 'a-secret-that-is-long-enough');
    await putSecret('HOST_SIGNING', HOST_WEBHOOK_SECRET);
  });

  afterAll(async () => {
    expect(await daemon?.end('SIGTERM')).toBe(0);
    await host?.close();
    repo?.remove();
  });

  it('that cannot be notified does not delay an apply, and status reports it', { tags: 'full' }, async () => {
    expect(await daemon.cli('status', '--wait', good, '--timeout', '20s')).toMatchObject({ code: 0 });
    await eventually(() => notified('webhook').some(([sha, state]) => sha === good && state === 'success'));
    const { code, stdout } = await eventually(async () => {
      const status = await daemon.cli('status');
      return status.stdout.includes('NotifyFailing') && status;
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('dockbell secret create HOST_TOKEN')]);
    expect(host.statuses.filter(({ api }) => api === 'github')).toEqual([]);
  });

  it('is notified of a live commit as soon as a token exists', async () => {
    await putSecret('HOST_TOKEN', HOST_TOKEN);
    await eventually(() => notified('github').length === 1);
    expect(notified('github')).toEqual([[good, 'success']]);
    const status = await eventually(async () => {
      const { stdout } = await daemon.cli('status');
      return !stdout.includes('NotifyFailing') && stdout;
    });
    expect(status).toContain('Reconciled=True');
  });

  it('is notified of an invalid commit, with file and line and the commit that stays live', async () => {
    bad = await repo.commit({ 'webhooks/ci.yaml': `${WEBHOOK}enabld: false\n` });
    await eventually(() => notified('github').length === 2);
    expect(notified('github')[1]).toEqual([bad, 'failure']);
    const { body } = host.statuses.findLast(({ api }) => api === 'github')!;
    expect(body).toMatchObject({
      context: 'dockbell/payments',
      description: expect.stringMatching(new RegExp(`^webhooks/ci\\.yaml:2:1: .*; ${good.slice(0, 12)} stays live$`)),
    });
    const notice = await eventually(() => host.statuses.find(({ api, sha }) => api === 'webhook' && sha === bad));
    expect(notice.body.data).toMatchObject({
      applied_revision: good,
      diagnostics: [{ file: 'webhooks/ci.yaml', line: 2 }],
    });
  });

  it('is not notified again by more passes or by a restart after a kill', { tags: ['full', 'continues'] }, async () => {
    const before = host.requests;
    for (let i = 0; i < 3; i += 1) expect((await pass()).body.result).toBe('invalid');
    await daemon.end('SIGKILL');
    await start();
    for (let i = 0; i < 2; i += 1) await pass();
    expect(host.requests).toBe(before);
  });

  it('that is down is notified by the next daemon', { tags: ['full', 'continues'] }, async () => {
    const { port, violations } = host;
    await host.close();
    const fixed = await repo.commit({ 'webhooks/ci.yaml': `${WEBHOOK}enabled: false\n` });
    expect(await daemon.cli('status', '--wait', fixed, '--timeout', '20s')).toMatchObject({ code: 0 });
    await eventually(async () => (await daemon.cli('status')).stdout.includes('ECONNREFUSED'));
    await daemon.end('SIGKILL');
    host = await startGitHost(port);
    await start();
    await eventually(() => notified('github').length === 1 && notified('webhook').length === 1);
    expect([notified('github'), notified('webhook')]).toEqual([[[fixed, 'success']], [[fixed, 'success']]]);
    expect([...violations, ...host.violations]).toEqual([]);
    const metrics = (await daemon.api('/../../metrics')).body;
    expect(metrics).toMatch(/dockbell_commit_statuses_total\{factory="payments",type="github",outcome="posted"\} 1/);
    expect(daemon.output()).not.toContain(HOST_TOKEN);
  });
});
