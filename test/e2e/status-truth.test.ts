import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'a-secret-of-the-whole-team';
const FILES = {
  'webhooks/ci.yaml': 'secretName: CI\n',
  'automations/act/automation.md':
    '---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [ci]}}\nsecrets: [RUN_TOKEN]\n---\nAct.\n',
};

describe('the status of a daemon', () => {
  const dataDir = createTempDir('status-truth');
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  const start = (name: string) =>
    startTestDaemon({ dataDir, config: { factories: [{ name, source: { type: 'repository', url: repo.path } }] } });
  const status = async () => (await daemon.cli('status', '--factory', 'web')).stdout;

  beforeAll(async () => {
    repo = await createTempGitRepo();
    const revision = await repo.commit(FILES);
    daemon = await start('web');
    await daemon.cli('secret', 'create', 'CI', '--value', SECRET);
    expect((await daemon.cli('status', '--wait', revision, '--timeout', '20s')).code).toBe(0);
  });
  afterAll(async () => {
    await daemon.end('SIGTERM');
    repo.remove();
  });

  it('says which secrets of runs are missing now, not at the apply', async () => {
    const missing = 'RunSecretMissing: every run of act fails: there is no team secret named RUN_TOKEN';
    const show = async () => (await daemon.cli('automation', 'show', 'act')).stdout;
    expect(await status()).toContain(missing);
    expect(await show()).toContain('automations/act/automation.md:4:11');
    await daemon.cli('secret', 'create', 'RUN_TOKEN', '--value', SECRET);
    expect(await status()).not.toContain('RUN_TOKEN');
    expect(await show()).not.toContain('there is no team secret');
    await daemon.cli('secret', 'delete', 'RUN_TOKEN', '--force');
    expect(await status()).toContain(missing);
    expect(await status()).toContain('! web');
    expect(await show()).toContain('there is no team secret named RUN_TOKEN');
  });

  it('never reports a factory as ready that the configuration does not name', async () => {
    await daemon.end('SIGTERM');
    daemon = await start('shop');
    const { code, stdout } = await daemon.cli('status', '--factory', 'web');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ web');
    expect(stdout).toContain('Ready=False NotConfigured: the configuration names no factory web');
    expect(stdout).not.toContain('DefinitionLive');
    const { body } = await daemon.api('/factories/web/webhooks');
    expect(body.data).toMatchObject([{ name: 'ci', enabled: true, served: false }]);
    expect((await daemon.cli('webhook', 'show', 'ci', '--factory', 'web')).stdout).toContain('senders get 404');
    expect((await fetch(`${daemon.ingressUrl}/webhooks/w/${body.data[0].uid}`, { method: 'POST' })).status).toBe(404);
    const token = (await daemon.cli('token', 'create', 'metrics', '--role', 'viewer', '--json')).stdout;
    const headers = { authorization: `Bearer ${JSON.parse(token).token}` };
    const metrics = await (await fetch(`${daemon.adminUrl}/metrics`, { headers })).text();
    expect(metrics).toContain('dockbell_factory_ready{factory="web"} 0');
    // The one factory of the configuration needs no --factory.
    const listed = await daemon.cli('webhook', 'list');
    expect([listed.code, listed.stdout.includes(body.data[0].uid)]).toEqual([0, false]);
  });
});
