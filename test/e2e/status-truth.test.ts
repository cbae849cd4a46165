import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

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
  let tokens = 0;
  const start = (name: string) =>
    startDaemonHere({
      dataDir,
      config: {
        factories: [
          {
            name,
            source: { type: 'repository', url: repo.path },
            runs: { executor: { type: 'command', command: ['sh', '-c', 'exit 3'] } },
          },
        ],
      },
    });
  const scrape = async () => {
    tokens += 1;
    const token = (await daemon.cli('token', 'create', `metrics-${tokens}`, '--role', 'viewer', '--json')).stdout;
    const headers = { authorization: `Bearer ${JSON.parse(token).token}` };
    return (await fetch(`${daemon.adminUrl}/metrics`, { headers })).text();
  };
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

  it('says which secrets of runs are missing now, not at the apply', { tags: 'full' }, async () => {
    const missing =
      'RunSecretMissing: every run of act fails: there is no team secret named RUN_TOKEN that runs of the factory may use';
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

  it('says when a sender was last accepted and since when its credential fails, also after a restart', {
    tags: 'full',
  }, async () => {
    const { body } = await daemon.api('/factories/web/webhooks');
    const post = async (secret: string, number: number) => {
      const headers = { authorization: `Bearer ${secret}` };
      const url = `${daemon.ingressUrl}/webhooks/w/${body.data[0].uid}`;
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ number }) })).status;
    };
    const health = async () => (await daemon.api('/factories/web')).body.health;
    expect(await post(SECRET, 1)).toBe(202);
    const accepted = (await health()).webhooks[0].traffic;
    expect(accepted).toMatchObject({ acceptance_rate: 1, credential_failing: null });
    for (const number of [2, 3]) expect(await post('an-old-secret', number)).toBe(401);
    expect(await status()).not.toContain('CredentialsFailing');
    expect(await post('an-old-secret', 4)).toBe(401);
    const scraped = await scrape();
    const names = '{factory="web",webhook="ci"}';
    expect(scraped).toContain(
      `dockbell_last_accepted_timestamp_seconds${names} ${Date.parse(accepted.last_accepted_at) / 1000}`,
    );
    expect(scraped).toMatch(new RegExp(`dockbell_credential_failing_since_timestamp_seconds${names} [0-9.]+$`, 'm'));
    expect(scraped).toContain('dockbell_deliveries_total{factory="web",webhook="ci",label="Rejected (auth)"} 3');
    const { traffic } = (await health()).webhooks[0];
    expect(traffic).toMatchObject({
      last_accepted_at: accepted.last_accepted_at,
      last_24_hours: { accepted: 1, duplicate: 0, rejected: 3 },
      credential_failing: { count: 3, reason: 'bad_credential' },
    });
    const { since } = traffic.credential_failing;
    const failing = `ci: 3 rejected since ${since} (bad_credential), last accepted ${accepted.last_accepted_at}`;
    expect(await status()).toContain(
      `CredentialsFailing=True CredentialRejected: senders do not have the right credential: ${failing}`,
    );
    expect(await status()).toMatch(
      new RegExp(
        `ci: last accepted [^;]*; rejected 3 of 4 requests in the last 24 hours, since ${since} [^;]*: The token`,
      ),
    );
    expect((await daemon.cli('webhook', 'list')).stdout).toContain(`3 rejected since ${since}`);
    await daemon.end('SIGTERM');
    daemon = await start('web');
    expect((await daemon.cli('webhook', 'show', 'ci')).stdout).toContain(`3 rejected since ${since}`);
    expect(await post(SECRET, 5)).toBe(202);
    expect(await status()).not.toContain('CredentialsFailing');
    expect((await health()).webhooks[0].traffic.credential_failing).toBeNull();
  });

  it('says which automations fail', { tags: 'full' }, async () => {
    const { body } = await daemon.api('/factories/web/webhooks');
    const headers = { authorization: `Bearer ${SECRET}` };
    const post = (number: number) =>
      fetch(`${daemon.ingressUrl}/webhooks/w/${body.data[0].uid}`, {
        method: 'POST',
        headers,
        body: `{"run":${number}}`,
      });
    await eventually(async () => (await status()).includes('act: all of the last 2 runs failed'));
    expect(await status()).not.toContain('RunsFailing');
    await post(1);
    await eventually(async () => (await status()).includes('RunsFailing=True LastRunsFailed'));
    expect(await status()).toContain('! web');
    const { results } = (await daemon.api('/factories/web/automations/act')).body;
    expect(results).toMatchObject({ recent_runs: 3, recent_failed: 3, failed_in_a_row: 3 });
    expect(await status()).toContain(`act: 3 since ${results.failing_since}`);
    const scraped = await scrape();
    expect(scraped).toContain('dockbell_runs_total{factory="web",automation="act",state="failed"} 3');
    expect(scraped).toContain('dockbell_recent_failed_runs{factory="web",automation="act"} 3');
    expect(scraped).toContain('dockbell_run_queue_age_seconds{factory="web"} 0');
    expect((await daemon.cli('automation', 'list')).stdout).toMatch(/failed (just now|\d+s ago) +3 of 3/);
    expect((await daemon.cli('automation', 'show', 'act')).stdout).toContain('all of the last 3 runs failed');
  });

  it('never reports a factory as ready that the configuration does not name', { tags: 'full' }, async () => {
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
    const why = (await daemon.cli('why', 'ci')).stdout;
    expect(why).toContain('The configuration has no factory web: senders of ci get 404.');
    expect(why).toContain('dockbell factory forget web');
    expect((await fetch(`${daemon.ingressUrl}/webhooks/w/${body.data[0].uid}`, { method: 'POST' })).status).toBe(404);
    expect(await scrape()).toContain('dockbell_factory_ready{factory="web"} 0');
    // The one factory of the configuration needs no --factory.
    const listed = await daemon.cli('webhook', 'list');
    expect([listed.code, listed.stdout.includes(body.data[0].uid)]).toEqual([0, false]);
  });
});
