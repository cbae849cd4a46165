import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../helpers/otlp-receiver.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';
import { signAsGitHub } from '../providers/senders.ts';

const SECRET = 'the secret of the git host';
const WEBHOOK = 'authMode: signature\nsignatureScheme: github\nsecretName: GIT_PUSH_SECRET\n';

describe('a repository that is polled once an hour', () => {
  let repo: TempGitRepo;
  let server: GitHttpServer;
  let daemon: TestDaemon;
  let receiver: OtlpReceiver;
  let url: string;

  beforeAll(async () => {
    repo = await createTempGitRepo({ bare: true });
    await repo.commit({ 'webhooks/git-push.yaml': WEBHOOK });
    server = await startGitHttpServer({ root: repo.root });
    const source = { type: 'repository', url: `${server.url}/origin.git`, pollInterval: '1h', pushWebhook: 'git-push' };
    receiver = await startOtlpReceiver();
    const telemetry = { otlpEndpoint: receiver.url };
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source }], telemetry } });
    await daemon.api('/secrets/GIT_PUSH_SECRET', { method: 'PUT', body: { value: SECRET } });
    url = await eventually(async () => {
      const { body } = await daemon.api('/factories/payments/webhooks');
      return body.data[0]?.ingress_url;
    });
  });

  afterAll(async () => {
    expect(await daemon?.end('SIGTERM')).toBe(0);
    await receiver?.close();
    await server?.close();
    repo?.remove();
  });

  const appliedRevision = async () => (await daemon.api('/factories/payments')).body.applied_revision;
  const fetches = () => server.requests.filter(({ url: path }) => path.includes('/info/refs')).length;

  async function push(
    ref: string,
    after: string,
    secret = SECRET,
    trace: Record<string, string> = {},
  ): Promise<number> {
    const body = JSON.stringify({ ref, after });
    const headers = {
      ...trace,
      'x-hub-signature-256': await signAsGitHub(secret, body),
      'x-github-event': 'push',
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  it('is reconciled immediately when its host reports a push to the branch', async () => {
    const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: GIT_PUSH_SECRET\n' });
    expect(await push('refs/heads/main', revision)).toBe(202);
    await eventually(async () => (await appliedRevision()) === revision);
    const status = await daemon.cli('status');
    expect([status.code, status.stdout]).toEqual([0, expect.not.stringContaining('PushWebhookMissing')]);
  });

  it('has a reconciliation whose span links to the delivery that reported the push', { tags: 'full' }, async () => {
    const revision = await repo.commit({ 'webhooks/second.yaml': 'secretName: GIT_PUSH_SECRET\n' });
    const traceId = crypto.randomUUID().replaceAll('-', '');
    const trace = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    expect(await push('refs/heads/main', revision, SECRET, trace)).toBe(202);
    const isOfPush = ({ name, attributes }: ReceivedSpan) =>
      name === 'reconcile' && attributes['vcs.ref.head.revision'] === revision;
    const reconcile = await eventually(() => receiver.spans.find(isOfPush));
    const receive = await eventually(() => receiver.spans.find((span) => span.traceId === traceId && span.kind === 2));
    expect(receive.name).toBe('receive');
    expect(reconcile.links).toMatchObject([{ traceId, spanId: receive.spanId }]);
    expect(reconcile.traceId).not.toBe(traceId);
    expect(reconcile.parentSpanId).toBeUndefined();
    // The first pass of the daemon had no push.
    expect(receiver.spans.find((span) => span.name === 'reconcile')!.links).toEqual([]);
  });

  it('is not fetched for pushes to other branches, forged ones and repeated ones', { tags: 'full' }, async () => {
    const before = fetches();
    const live = await appliedRevision();
    expect(await push('refs/heads/feature', 'c0ffee')).toBe(202);
    expect(await push('refs/heads/main', 'c0ffee', 'another secret')).toBe(401);
    expect(await push('refs/heads/main', live)).toBe(202);
    // This pass runs after any pass that those deliveries would have started.
    await daemon.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    expect(fetches() - before).toBe(1);
  });

  it('has a condition if the webhook was deleted', { tags: 'full' }, async () => {
    const revision = await repo.commit({ 'webhooks/git-push.yaml': null });
    expect(await push('refs/heads/main', revision)).toBe(202);
    await eventually(async () => (await appliedRevision()) === revision);
    const status = await daemon.cli('status');
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/PushWebhookMissing.*git-push/)]);
  });
});
