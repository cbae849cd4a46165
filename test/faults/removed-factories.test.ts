import { cpSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'a-secret-of-the-whole-team';
const FILES = {
  'webhooks/ci.yaml': 'secretName: CI\n',
  'automations/act/automation.md':
    '---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [ci]}}\n---\nAct.\n',
};

describe('a factory that the configuration no longer names', () => {
  let repo: TempGitRepo;
  let dataDir: string;
  /** Data directory of a daemon that served `web` and was stopped. Each test starts with a copy. */
  let served: string;
  let daemon: TestDaemon;
  let uid: string;
  /** Of a viewer of `web` alone. */
  let token: string;

  beforeAll(async () => {
    repo = await createTempGitRepo();
    await repo.commit(FILES);
    served = createTempDir('served');
    dataDir = served;
    await start('web');
    await daemon.cli('secret', 'create', 'CI', '--value', SECRET);
    await waitUntilLive('web');
    uid = await findUid('web');
    expect(await post(uid)).toBe(202);
    const body = { name: 'ci', role: 'viewer', factories: ['web'] };
    token = (await daemon.api('/tokens', { method: 'POST', body })).body.token;
    await daemon.end('SIGTERM');
  });
  afterAll(() => repo.remove());
  beforeEach(() => {
    dataDir = createTempDir('removed-factories');
    cpSync(served, dataDir, { recursive: true });
  });
  afterEach(() => daemon.end('SIGTERM'));

  /** Ends the daemon, and starts one with another configuration. */
  async function start(name: string, type = 'repository'): Promise<void> {
    await daemon?.end('SIGTERM');
    const source = type === 'repository' ? { type, url: repo.path } : { type };
    daemon = await startTestDaemon({ dataDir, config: { factories: [{ name, source }] } });
  }

  async function restartAs(name: string, type?: string): Promise<void> {
    await start(name, type);
    await eventually(async () => (await daemon.api(`/factories/${name}`)).status === 200);
    // The scope of the secret is the earlier name.
    await daemon.cli('secret', 'update', 'CI', '--factory', name, '--add');
    await daemon.cli('reconcile', '--wait', '--factory', name);
  }

  async function waitUntilLive(factory: string): Promise<void> {
    const revision = await repo.git(['rev-parse', 'HEAD']);
    expect((await daemon.cli('status', '--factory', factory, '--wait', revision, '--timeout', '20s')).code).toBe(0);
  }

  async function findUid(factory: string): Promise<string> {
    return (await daemon.api(`/factories/${factory}/webhooks`)).body.data[0].uid;
  }

  async function post(to: string): Promise<number> {
    const headers = { authorization: `Bearer ${SECRET}`, 'x-service-delivery-id': `${Math.random()}` };
    const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${to}`, { method: 'POST', headers, body: '{}' });
    await answer.arrayBuffer();
    return answer.status;
  }

  async function readMetrics(): Promise<string> {
    const made = await daemon.api('/tokens', { method: 'POST', body: { name: 'metrics', role: 'viewer' } });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const answer = await fetch(`${daemon.adminUrl}/metrics`, { headers });
    return answer.text();
  }

  const countRuns = async (factory: string) => (await daemon.api(`/factories/${factory}/runs`)).body.data.length;

  it('is listed, and gives its URLs, history and runs to its new name', async () => {
    await restartAs('shop');
    const listed = (await daemon.cli('factory', 'list')).stdout;
    expect(listed).toMatch(/^shop +yes +repository +\w{12} +NoExecutorConfigured +1 +1 /m);
    expect(listed).toMatch(/^web +no +- +\w{12} +NotConfigured +1 +1 +-/m);
    expect((await daemon.cli('status', '--factory', 'web')).stdout).toContain("run 'dockbell factory rename web NEW'");
    expect(await post(uid)).toBe(404);
    const newUid = await findUid('shop');

    expect((await daemon.cli('pause', '--factory', 'web', '--reason', 'Moving')).code).toBe(0);
    const renamed = await daemon.cli('factory', 'rename', 'web', 'shop');
    expect((await daemon.api('/factories/shop')).body.pause).toMatchObject({ factory: 'shop', reason: 'Moving' });
    expect((await daemon.cli('resume', '--factory', 'shop')).code).toBe(0);
    expect(renamed).toMatchObject({ code: 0, stdout: 'Renamed factory web to shop: 1 webhook keeps its URL.\n' });
    expect([await post(uid), await post(newUid)]).toEqual([202, 404]);
    expect(await countRuns('shop')).toBe(2);
    const names = (await daemon.api('/factories')).body.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['shop']);
    expect((await daemon.api('/factories/shop', { token })).status).toBe(200);
    const audited = (await daemon.cli('audit', 'list', '--object', 'factories/shop')).stdout;
    expect(audited).toMatch(/Rename factory +factories\/web\/rename/);
    expect(audited.match(/Apply definition +factories\/web/g)).toHaveLength(1);

    await restartAs('shop');
    expect([await post(uid), await post(newUid), await findUid('shop')]).toEqual([202, 404, uid]);
    await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI\ndescription: Changed\n' });
    await daemon.cli('reconcile', '--wait');
    await waitUntilLive('shop');
    expect(await post(uid)).toBe(202);
  });

  it('keeps its URLs when the new name already receives something, and says what to do', async () => {
    await restartAs('shop');
    expect(await post(await findUid('shop'))).toBe(202);
    const { code, stderr } = await daemon.cli('factory', 'rename', 'web', 'shop');
    expect(code).toBe(1);
    expect(stderr).toContain('Senders already use the new URLs of shop for ci');
    await restartAs('third');
    expect((await daemon.cli('factory', 'rename', 'web', 'third')).code).toBe(0);
    expect(await post(uid)).toBe(202);
    expect((await daemon.cli('factory', 'forget', 'shop')).code).toBe(0);
    expect((await daemon.cli('factory', 'list', '--json')).stdout).not.toContain('shop');
  });

  it('is forgotten, and its name is used again with new URLs', async () => {
    await start('web');
    const refused = await daemon.cli('factory', 'forget', 'web');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('The factory web is in the configuration: remove it in dockbell.yaml');
    const reversed = await daemon.cli('factory', 'rename', 'web', 'shop');
    expect(reversed.stderr).toContain('The factory web is in the configuration: rename it in dockbell.yaml');

    await restartAs('shop');
    expect((await daemon.cli('factory', 'rename', 'web', 'nobody')).stderr).toContain(
      'The configuration names no factory nobody.',
    );
    expect(await post(uid)).toBe(404);
    expect(await readMetrics()).toContain('factory="web"');
    const [delivery] = (await daemon.api('/factories/web/deliveries')).body.data;
    expect((await daemon.cli('factory', 'forget', 'web')).stdout).toBe(
      'Forgot factory web. 1 queued run was cancelled.\n',
    );
    expect(await post(uid)).toBe(404);
    expect((await daemon.cli('factory', 'list')).stdout).not.toMatch(/^web /m);
    expect((await daemon.cli('status')).stdout).not.toMatch(/ web$/m);
    expect((await daemon.api('/factories/web')).status).toBe(404);
    expect((await daemon.api(`/deliveries/${delivery.id}`)).body).toMatchObject({ label: 'Accepted', factory: 'web' });
    expect(await readMetrics()).not.toContain('factory="web"');
    expect((await daemon.cli('factory', 'forget', 'web')).stderr).toContain("There is no factory 'web'.");

    await restartAs('web');
    await waitUntilLive('web');
    const newUid = await findUid('web');
    expect(newUid).not.toBe(uid);
    expect([await post(uid), await post(newUid)]).toEqual([404, 202]);
  });

  const revisions = async (factory: string) => (await daemon.api(`/factories/${factory}/history`)).body.data;

  it('keeps the definition and the revisions of a managed factory', async () => {
    await restartAs('web', 'managed');
    await daemon.cli('webhook', 'create', 'more', '--factory', 'web');
    const before = await revisions('web');
    expect(before.length).toBeGreaterThan(1);
    await restartAs('shop', 'managed');
    expect((await daemon.cli('factory', 'rename', 'web', 'shop')).code).toBe(0);
    expect(await post(uid)).toBe(202);
    await restartAs('shop', 'managed');
    expect(await post(uid)).toBe(202);
    expect(await revisions('shop')).toEqual(before);
    expect((await daemon.cli('webhook', 'list')).stdout).toMatch(/^more /m);
  });

  it('keeps them if the daemon crashed before it moved the repository', async () => {
    await restartAs('web', 'managed');
    const before = await revisions('web');
    await restartAs('shop', 'managed');
    await daemon.end('SIGKILL');
    const storage = openSqliteStorage(`${dataDir}/dockbell.db`);
    const order = { from: 'web', to: 'shop', isHosted: true, at: Date.now() };
    expect(await storage.factoryNames.rename(order)).toEqual({ kind: 'ok' });
    storage.close();
    await restartAs('shop', 'managed');
    expect(await post(uid)).toBe(202);
    expect(await revisions('shop')).toEqual(before);
    expect((await daemon.cli('webhook', 'list')).stdout).toMatch(/^ci /m);
  });
});
