import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';
import { signAsGitHub } from '../providers/senders.ts';

const SECRET = 'the secret of the git host';
const WEBHOOK = 'authMode: signature\nsignatureScheme: github\nsecretName: GIT_PUSH_SECRET\n';

describe('a repository that is polled once an hour', () => {
  let repo: TempGitRepo;
  let server: GitHttpServer;
  let daemon: TestDaemon;
  let url: string;

  beforeAll(async () => {
    repo = await createTempGitRepo({ bare: true });
    await repo.commit({ 'webhooks/git-push.yaml': WEBHOOK });
    server = await startGitHttpServer({ root: repo.root });
    const source = { type: 'repository', url: `${server.url}/origin.git`, pollInterval: '1h', pushWebhook: 'git-push' };
    daemon = await startTestDaemon({ config: { factories: [{ name: 'payments', source }] } });
    await daemon.api('/secrets/GIT_PUSH_SECRET', { method: 'PUT', body: { value: SECRET } });
    url = await eventually(async () => {
      const { body } = await daemon.api('/factories/payments/webhooks');
      return body.data[0]?.ingress_url;
    });
  });

  afterAll(async () => {
    expect(await daemon?.end('SIGTERM')).toBe(0);
    await server?.close();
    repo?.remove();
  });

  const appliedRevision = async () => (await daemon.api('/factories/payments')).body.applied_revision;
  const fetches = () => server.requests.filter(({ url: path }) => path.includes('/info/refs')).length;

  async function push(ref: string, after: string, secret = SECRET): Promise<number> {
    const body = JSON.stringify({ ref, after });
    const headers = { 'x-hub-signature-256': await signAsGitHub(secret, body), 'x-github-event': 'push' };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  it('is reconciled immediately when its host reports a push to the branch', async () => {
    const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: GIT_PUSH_SECRET\n' });
    expect(await push('refs/heads/main', revision)).toBe(202);
    await eventually(async () => (await appliedRevision()) === revision);
    const status = await daemon.cli('status');
    expect([status.code, status.stdout]).toEqual([0, expect.not.stringContaining('PushWebhookMissing')]);
  });

  it('is not fetched for pushes to other branches, forged ones and repeated ones', async () => {
    const before = fetches();
    const live = await appliedRevision();
    expect(await push('refs/heads/feature', 'c0ffee')).toBe(202);
    expect(await push('refs/heads/main', 'c0ffee', 'another secret')).toBe(401);
    expect(await push('refs/heads/main', live)).toBe(202);
    // This pass runs after any pass that those deliveries would have started.
    await daemon.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    expect(fetches() - before).toBe(1);
  });

  it('has a condition if the webhook was deleted', async () => {
    const revision = await repo.commit({ 'webhooks/git-push.yaml': null });
    expect(await push('refs/heads/main', revision)).toBe(202);
    await eventually(async () => (await appliedRevision()) === revision);
    const status = await daemon.cli('status');
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/PushWebhookMissing.*git-push/)]);
  });
});
