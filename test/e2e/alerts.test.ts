import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const TOKEN = 'a-token-of-more-than-16-characters';
const AUTOMATION =
  '---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [ci] }\n---\nDo it.\n';
/** Rules whose condition begins only with an action of a test. */
const RULES = { deadLetter: 2, rejectionBurst: 3, queueAge: '1s', probe: '1s', disk: 'off', failureRate: 'off' };

let repo: TempGitRepo;
let daemon: TestDaemon;
let config: Record<string, unknown>;
let folder: string;
let proxy: Server;
/** Where the public URL leads; `null`: to a server that is not the daemon. */
let behindProxy: string | null = null;
const urls = new Map<string, string>();

/** What the next runs do. */
const setMode = (mode: 'ok' | 'fail' | 'slow') => writeFileSync(join(folder, 'mode'), mode);

const post = async (webhook: string, token = TOKEN) =>
  (await fetch(urls.get(webhook)!, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: body() }))
    .status;
let bodies = 0;
const body = () => JSON.stringify({ n: bodies++ });

// biome-ignore lint/suspicious/noExplicitAny: a test reads the configuration that it wrote
async function reload(change: (config: any) => void): Promise<void> {
  const file = join(daemon.dataDir, 'dockbell.yaml');
  const config = parse(readFileSync(file, 'utf8'));
  change(config);
  writeFileSync(file, stringify(config));
  expect(await daemon.cli('reload')).toMatchObject({ code: 0 });
}

async function listAlerts(query: string) {
  const { body } = await daemon.api(`/alerts?${query}`);
  return body.data as { id: string; rule: string; state: string; summary: string; object: { name: string } | null }[];
}

const isOpen = (rule: string) => eventually(async () => (await listAlerts(`state=open&rule=${rule}`))[0], 40_000);
const isResolved = (rule: string) =>
  eventually(async () => {
    const active = await listAlerts(`state=active&rule=${rule}`);
    const resolved = await listAlerts(`state=resolved&rule=${rule}`);
    return active.length === 0 && resolved[0];
  }, 40_000);

beforeAll(async () => {
  folder = createTempDir('alerts');
  setMode('ok');
  const script = join(folder, 'agent');
  writeFileSync(script, `#!/bin/sh\ncase "$(cat ${folder}/mode)" in fail) exit 3;; slow) sleep 4;; esac\n`);
  chmodSync(script, 0o755);
  proxy = createServer(async (request, response) => {
    if (behindProxy === null) return void response.writeHead(404).end();
    const answer = await fetch(`${behindProxy}${request.url}`, { method: 'POST' }).catch(() => null);
    response.writeHead(answer?.status ?? 502).end();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  repo = await createTempGitRepo();
  const secret = 'secretName: CI_SECRET\n';
  await repo.commit({
    'webhooks/ci.yaml': secret,
    'webhooks/nightly.yaml': `${secret}expectEvery: 3s\n`,
    'automations/act/automation.md': AUTOMATION,
  });
  config = {
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    alerts: { interval: '1s', resolveAfter: '0s', groupWait: '0s', rules: RULES },
    factories: [
      {
        name: 'payments',
        source: { type: 'repository', url: repo.path },
        runs: { executor: { type: 'command', command: [script] }, concurrency: 1 },
      },
    ],
  };
  daemon = await startTestDaemon({ config });
  await findUrls();
});

/** Each start of a daemon has another port. */
async function findUrls(): Promise<void> {
  await daemon.cli('secret', 'create', 'CI_SECRET', '--value', TOKEN, '--all-factories');
  const { data } = await eventually(async () => {
    const { body } = await daemon.api('/factories/payments/webhooks');
    return body.data.length === 2 && body;
  });
  for (const { name, uid } of data) urls.set(name, `${daemon.ingressUrl}/webhooks/w/${uid}`);
}

afterAll(async () => {
  await daemon?.end('SIGKILL');
  repo?.remove();
  proxy?.closeAllConnections();
  proxy?.close();
});

describe('a daemon opens and resolves an alert', () => {
  it('probe, while another server answers at the public URL', { tags: 'full' }, async () => {
    const { summary } = await isOpen('probe');
    expect(summary).toMatch(/is answered \(status 404\), but deliveries to it do not reach this daemon/);
    behindProxy = daemon.ingressUrl;
    await isResolved('probe');
  });

  it('silent, until a delivery is accepted', { tags: 'full' }, async () => {
    const { object, summary } = await isOpen('silent');
    expect(object).toMatchObject({ name: 'nightly' });
    expect(summary).toBe('No delivery was ever accepted, and one is expected every 3s.');
    expect(await post('nightly')).toBe(202);
    await isResolved('silent');
    await reload((config) => {
      config.alerts.rules.silent = 'off';
    });
  });

  it('runFailed, until a run of the automation succeeds', async () => {
    setMode('fail');
    expect(await post('ci')).toBe(202);
    const failed = await isOpen('runFailed');
    expect(failed).toMatchObject({ object: { name: 'act' } });
    expect(failed.summary).toMatch(
      /^The last run failed\. Last failure: run_\S+ for \S+\. The command ended with exit code \d+\./,
    );
    setMode('ok');
    expect(await post('ci')).toBe(202);
    await isResolved('runFailed');
  });

  it('deadLetter, until the failed runs are retried', { tags: ['full', 'continues'] }, async () => {
    setMode('fail');
    expect(await post('ci')).toBe(202);
    expect((await isOpen('deadLetter')).summary).toMatch(
      /^2 runs failed in the last 24 hours and were not retried\. Last failure: run_\S+ for /,
    );
    setMode('ok');
    const retried = await daemon.cli('run', 'retry', '--dead-letter', '--yes', '--factory', 'payments');
    expect(retried).toMatchObject({ code: 0 });
    await isResolved('deadLetter');
  });

  it('failureRate, while the share of failed runs is high', { tags: ['full', 'continues'] }, async () => {
    await reload((config) => {
      config.alerts.rules.failureRate = 20;
    });
    const { summary } = await isOpen('failureRate');
    expect(summary).toMatch(/^\d of the last \d runs failed\.( Last failure: run_.*)?$/);
    await reload((config) => {
      config.alerts.rules.failureRate = 90;
    });
    await isResolved('failureRate');
  });

  it('queueAge, while a run waits for a slot', { tags: 'full' }, async () => {
    setMode('slow');
    expect([await post('ci'), await post('ci')]).toEqual([202, 202]);
    expect((await isOpen('queueAge')).summary).toMatch(/^The oldest waiting run has waited for /);
    setMode('ok');
    await isResolved('queueAge');
  });

  it('applyFailed, until a commit is applied', { tags: 'full' }, async () => {
    await repo.commit({ 'webhooks/broken.yaml': 'secretName: [\n' });
    expect((await isOpen('applyFailed')).summary).toMatch(/^The last revision was not applied \(ValidationFailed\)/);
    await repo.commit({ 'webhooks/broken.yaml': null });
    await isResolved('applyFailed');
  });

  it('disk, while less than the share is free', { tags: 'full' }, async () => {
    await reload((config) => {
      config.alerts.rules.disk = 99;
    });
    expect((await isOpen('disk')).summary).toMatch(/^Little space is free: [\d.]+ \w+ of [\d.]+ \w+ at \//);
    await reload((config) => {
      config.alerts.rules.disk = 1;
    });
    await isResolved('disk');
  });

  it('backupOverdue, until a backup is stored', { tags: 'full' }, async () => {
    const blocked = join(folder, 'file');
    writeFileSync(blocked, 'no folder');
    await reload((config) => {
      config.backup = { every: '10m', dir: join(blocked, 'backups') };
    });
    expect((await isOpen('backupOverdue')).summary).toMatch(/^the scheduled backup failed/);
    await reload((config) => {
      config.backup.dir = join(folder, 'backups');
    });
    await isResolved('backupOverdue');
  });

  it('tokenExpiring, until the token is revoked', { tags: 'full' }, async () => {
    const created = await daemon.cli('token', 'create', 'grafana', '--expires', '2h', '--json');
    expect((await isOpen('tokenExpiring')).object).toMatchObject({ name: 'grafana' });
    await daemon.cli('token', 'revoke', JSON.parse(created.stdout).id, '--yes');
    await isResolved('tokenExpiring');
  });

  it('rejectionBurst, and it ends with the requests', async () => {
    for (let i = 0; i < 3; i++) expect(await post('ci', 'a-token-that-is-wrong')).toBe(401);
    expect(await isOpen('rejectionBurst')).toMatchObject({
      object: { name: 'ci' },
      summary: expect.stringMatching(
        /^3 requests were rejected in the last 5 minutes\. The webhook rejected 3 requests since \S+ from 127\.0\.0\.1: The token is not the secret/,
      ),
    });
  });
});

describe('the alerts', () => {
  it('are listed, shown and acknowledged by the command line, once', async () => {
    const list = await daemon.cli('alert', 'list', '--state', 'open');
    expect(list).toMatchObject({ code: 0 });
    const [, id = ''] = /^(alt_\S+).*rejectionBurst/m.exec(list.stdout)!;
    const shown = await daemon.cli('alert', 'show', id);
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('payments/ci') });
    const acknowledged = await daemon.cli('alert', 'acknowledge', id, '--note', 'the sender rotates its secret');
    expect(acknowledged).toMatchObject({
      code: 0,
      stdout: `Acknowledged ${id}: Rejected requests (payments/ci).\n`,
    });
    expect((await daemon.cli('alert', 'acknowledge', id)).stderr).toContain('The alert is acknowledged');
    expect((await daemon.cli('alert', 'show', id)).stdout).toContain('the sender rotates its secret');
    const { body: audit } = await daemon.api(`/audit?object=alerts/${id}`);
    expect(audit.data[0].action).toBe('Acknowledge alert');
    expect((await daemon.cli('status')).stdout).toMatch(/Alerts: +\d+ active, \d+ of them not acknowledged/);
  });

  it('are counted by the metrics', async () => {
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    const answer = await fetch(`${daemon.adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.text()).toContain('dockbell_alerts_open{rule="rejectionBurst",factory="payments"} 1');
  });

  it('continue after a restart, which counts the requests that were rejected before', {
    tags: ['full', 'continues'],
  }, async () => {
    for (let i = 0; i < 2; i++) expect(await post('nightly', 'a-token-that-is-wrong')).toBe(401);
    const [before] = await listAlerts('state=active&rule=rejectionBurst');
    await daemon.end('SIGKILL');
    daemon = await startTestDaemon({ config, dataDir: daemon.dataDir });
    await findUrls();
    expect(await post('nightly', 'a-token-that-is-wrong')).toBe(401);
    const [burst] = await eventually(async () => {
      const open = await listAlerts('state=open&rule=rejectionBurst');
      return open.length === 1 && open;
    });
    expect(burst).toMatchObject({
      object: { name: 'nightly' },
      summary: expect.stringMatching(
        /^3 requests were rejected in the last 5 minutes\. The webhook rejected 3 requests since /,
      ),
    });
    const active = await listAlerts('state=active&rule=rejectionBurst');
    expect(active).toContainEqual(before);
    expect(active.length).toBe(2);
  });
});
