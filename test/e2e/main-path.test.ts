import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';
import { StandardWebhook, Stripe, signAsGitHub } from '../providers/senders.ts';

/** A body that any re-serialisation would change: spaces, escapes, a large number, equal keys, non-ASCII text. */
const BODY = '{ "level":"fatal", "n": 12345678901234567890, "e":1e2, "k":1, "k":2, "t":"\\u00e9 ü 東京" }\n';

const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const SECRETS: Record<string, string> = {
  TOKEN_SECRET: 'token-secret-of-32-characters-xx',
  URL_SECRET: 'url-secret_of.32~characters-xxxx',
  GITHUB_SECRET: 'github secret with spaces',
  STANDARD_SECRET,
  STRIPE_SECRET: 'whsec_stripe_is_taken_as_text',
};

/** Senders whose providers have an SDK. `ingress.signature-schemes.test.ts` covers every scheme. */
const SCHEMES = ['github', 'standard_webhooks', 'stripe'];

function declareFactory(): Record<string, string> {
  const files: Record<string, string> = {
    'webhooks/bearer.yaml': 'secretName: TOKEN_SECRET\n',
    'webhooks/by-url.yaml': 'authMode: url_token\nsecretName: URL_SECRET\n',
    'automations/look/automation.md': `---
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [bearer, by-url, ${SCHEMES.map((scheme) => `${scheme}-hook`).join(', ')}]
      payload: { level: [fatal] }
model: small
---
Look at it.
`,
  };
  for (const scheme of SCHEMES) {
    const secret = scheme === 'standard_webhooks' ? 'STANDARD_SECRET' : `${scheme.toUpperCase()}_SECRET`;
    files[`webhooks/${scheme}-hook.yaml`] = `authMode: signature\nsignatureScheme: ${scheme}\nsecretName: ${secret}\n`;
  }
  return files;
}

/** The headers of each sender, created by the provider's SDK. */
const SENDERS: Record<string, () => Promise<Record<string, string>>> = {
  bearer: async () => ({ authorization: `bearer ${SECRETS.TOKEN_SECRET}` }),
  'by-url': async () => ({}),
  'github-hook': async () => ({
    'x-hub-signature-256': await signAsGitHub(SECRETS.GITHUB_SECRET!, BODY),
    'x-github-delivery': randomUUID(),
  }),
  'standard_webhooks-hook': async () => {
    const at = new Date();
    const signature = new StandardWebhook(STANDARD_SECRET).sign('msg_1', at, BODY);
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds(at), 'webhook-signature': signature };
  },
  'stripe-hook': async () => ({
    'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: BODY, secret: SECRETS.STRIPE_SECRET! }),
  }),
};

function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

describe('from a commit to a run', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let revision: string;
  const uids = new Map<string, string>();

  const post = (name: string, headers: Record<string, string>, body: string = BODY) => {
    const token = name === 'by-url' ? `/${SECRETS.URL_SECRET}` : '';
    return fetch(`${daemon.ingressUrl}/webhooks/w/${uids.get(name)}${token}`, { method: 'POST', headers, body });
  };

  beforeAll(async () => {
    repo = await createTempGitRepo();
    revision = await repo.commit(declareFactory());
    daemon = await startDaemonHere({
      config: {
        factories: [
          {
            name: 'payments',
            source: { type: 'repository', url: repo.path },
            runs: {
              executor: { type: 'command', command: ['sh', '-c', 'sha256sum "$DOCKBELL_PAYLOAD"'] },
              concurrency: 4,
            },
          },
        ],
      },
    });
  });

  afterAll(async () => {
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });

  it('waits for its secrets, reports file and line, and applies automatically when the last one exists', async () => {
    const failed = await daemon.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    expect(failed.body.result).toBe('failed');
    expect(failed.body.diagnostics).toContainEqual(
      expect.objectContaining({ rule: 'secret/missing', file: 'webhooks/bearer.yaml', line: 1, column: 13 }),
    );
    expect((await daemon.cli('status', '--wait', revision, '--timeout', '1s')).code).toBe(1);
    for (const [name, value] of Object.entries(SECRETS)) {
      const put = await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value } });
      expect(put.status).toBeLessThan(300);
    }
    expect(await daemon.cli('status', '--wait', revision.slice(0, 8), '--timeout', '20s')).toMatchObject({ code: 0 });
    const { body } = await daemon.api('/factories/payments/webhooks');
    for (const webhook of body.data) uids.set(webhook.name, webhook.uid);
    expect([...uids.keys()].sort()).toEqual(Object.keys(SENDERS).sort());
    for (const uid of uids.values()) expect(uid).toMatch(/^wh_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it.each(Object.keys(SENDERS))('a delivery of %s is durable and starts a run with the exact bytes', async (name) => {
    const response = await post(name, await SENDERS[name]!());
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 202,
      body: { delivery_id: expect.any(String) },
    });
    const { body: log } = await daemon.api(`/factories/payments/webhooks/${uids.get(name)}/deliveries`);
    const [delivery] = log.data;
    expect(delivery).toMatchObject({
      label: 'Accepted',
      size: Buffer.byteLength(BODY),
      revision,
      client_address: '127.0.0.1',
    });
    const run = await eventually(async () => {
      const { body } = await daemon.api(`/runs/${delivery.runs[0]}`);
      return ['succeeded', 'failed'].includes(body.state) ? body : undefined;
    });
    expect(run).toMatchObject({ state: 'succeeded', exit_code: 0, automation: 'look', revision, attempt: 1 });
    const runLog = await daemon.api(`/runs/${run.id}/log`);
    expect(runLog.body).toContain(createHash('sha256').update(BODY).digest('hex'));
    const kept = readFileSync(join(daemon.dataDir, 'runs', run.id, '1', 'event-payload.json'), 'utf8');
    expect(kept).toBe(BODY);
  });

  it('returns the same response for a repeated delivery and starts nothing', async () => {
    const headers = { authorization: `Bearer ${SECRETS.TOKEN_SECRET}`, 'x-service-delivery-id': 'event-1' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('bearer', headers)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(202));
    const { body } = await daemon.api(`/factories/payments/webhooks/${uids.get('bearer')}/deliveries?limit=8`);
    const labels = body.data.map((delivery: { label: string }) => delivery.label).sort();
    expect(labels).toEqual(['Accepted', ...Array(7).fill('Duplicate')]);
    const first = body.data.find((delivery: { label: string }) => delivery.label === 'Accepted');
    const repeated = body.data.find((delivery: { label: string }) => delivery.label === 'Duplicate');
    expect(repeated).toMatchObject({ duplicate_of: first.id, runs: [], delivery_id_source: 'service_header' });
  });

  it('explains why nothing started', async () => {
    const body = '{"level":"warning"}';
    const answer = await post('bearer', { authorization: `Bearer ${SECRETS.TOKEN_SECRET}` }, body);
    expect(answer.status).toBe(202);
    const { body: log } = await daemon.api(`/factories/payments/webhooks/${uids.get('bearer')}/deliveries?limit=1`);
    const { body: explained } = await daemon.api(`/deliveries/${log.data[0].id}/explain`);
    expect(explained.decisions).toEqual([
      expect.objectContaining({ automation: 'look', outcome: 'filtered', run: null, path: 'level', actual: 'warning' }),
    ]);
    const shown = await daemon.cli('delivery', 'show', log.data[0].id, '--explain');
    expect(shown.stdout).toMatch(/look[\s\S]*level/);
  });

  it('applies a push to a local repository within a second', async () => {
    const pushedAt = Date.now();
    const next = await repo.commit({ 'webhooks/bearer.yaml': 'secretName: TOKEN_SECRET\nenabled: false\n' });
    await eventually(async () => (await daemon.api('/factories/payments')).body.applied_revision === next);
    const appliedAfterMs = Date.now() - pushedAt;
    expect((await post('bearer', { authorization: `Bearer ${SECRETS.TOKEN_SECRET}` })).status).toBe(404);
    // Measured from the commit. The limit allows for a busy machine.
    expect(appliedAfterMs).toBeLessThan(5_000);
  });

  it('keeps serving the last good definition while the branch is broken', async () => {
    const broken = await repo.commit({ 'webhooks/bearer.yaml': 'authmode: token\nsecretName: TOKEN_SECRET\n' });
    const waited = await daemon.cli('status', '--wait', broken, '--timeout', '20s');
    expect(waited.code).toBe(1);
    expect(waited.stdout + waited.stderr).toContain('webhooks/bearer.yaml');
    const { body } = await daemon.api('/factories/payments');
    expect(body.attempted_revision).toBe(broken);
    expect(body.applied_revision).not.toBe(broken);
    expect((await post('github-hook', await SENDERS['github-hook']!())).status).toBe(202);
  });

  it('never prints a secret', () => {
    for (const value of Object.values(SECRETS)) expect(daemon.output()).not.toContain(value);
  });
});
