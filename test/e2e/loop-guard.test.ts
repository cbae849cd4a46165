import { createHmac, randomUUID } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'a-secret-of-more-than-16-characters';
const WEBHOOK = 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_SECRET\n';
const AUTOMATION =
  '---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [github] }\n---\nAnswer.\n';

/** An agent that answers each event about an issue with a comment on it, of which GitHub sends an event. */
const AGENT = `
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
const { DOCKBELL_PAYLOAD: file, DOCKBELL_RUN_ID: id } = process.env;
const body = JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), action: 'created', comment: { body: 'Done by ' + id } });
const signature = createHmac('sha256', '${SECRET}').update(body).digest('hex');
const headers = { 'x-github-event': 'issue_comment', 'x-github-delivery': id, 'x-hub-signature-256': 'sha256=' + signature };
const { status } = await fetch(readFileSync(process.argv[2], 'utf8'), { method: 'POST', headers, body });
process.exitCode = status === 202 ? 0 : 1;
`;

let repo: TempGitRepo;
let daemon: TestDaemon;
let folder: string;
let url: string;

async function openIssue(number: number): Promise<void> {
  const issue = { number, html_url: `https://github.com/acme/shop/issues/${number}` };
  const body = JSON.stringify({
    action: 'opened',
    issue,
    repository: { full_name: 'acme/shop' },
    sender: { login: 'ann' },
  });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = {
    'x-github-event': 'issues',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': signature,
  };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202);
}

interface ListedDelivery {
  id: string;
  event: string;
  runs: string[];
}

const listDeliveries = async () =>
  (await daemon.api('/factories/payments/deliveries?limit=100')).body.data as ListedDelivery[];
const listRuns = async () => (await daemon.api('/factories/payments/runs?limit=100')).body.data as { id: string }[];
/** The newest delivery has started nothing. */
const isStopped = () =>
  eventually(async () => {
    const [newest] = await listDeliveries();
    return newest?.runs.length === 0 && newest;
  }, 40_000);

async function start(dataDir?: string): Promise<void> {
  const command = [process.execPath, join(folder, 'agent.mjs'), join(folder, 'url')];
  const runs = { executor: { type: 'command', command }, concurrency: 2 };
  daemon = await startDaemonHere({
    ...(dataDir === undefined ? {} : { dataDir }),
    config: {
      alerts: { interval: '1s', groupWait: '0s' },
      factories: [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }],
    },
  });
  if (dataDir === undefined)
    await daemon.cli('secret', 'create', 'GITHUB_SECRET', '--value', SECRET, '--all-factories');
  const { uid } = await eventually(async () => (await daemon.api('/factories/payments/webhooks')).body.data[0]);
  url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  writeFileSync(join(folder, 'url'), url);
}

beforeAll(async () => {
  folder = createTempDir('loop');
  writeFileSync(join(folder, 'agent.mjs'), AGENT);
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/github.yaml': WEBHOOK, 'automations/answer/automation.md': AUTOMATION });
  await start();
});

afterAll(async () => {
  await daemon?.end('SIGINT');
  repo?.remove();
});

describe('an automation that comments on its own issue', () => {
  const REASON = 'it has had 10 runs for github acme/shop 12 within 10 minutes, the limit of the loop guard';

  it('is started ten times, and then no more, with the reason and an alert', async () => {
    await openIssue(12);
    const { id } = await isStopped();
    expect(await listRuns()).toHaveLength(10);
    expect((await daemon.api(`/deliveries/${id}/explain`)).body.decisions).toMatchObject([
      { automation: 'answer', outcome: 'loop_guard', run: null, message: REASON },
    ]);
    expect((await daemon.cli('why', id)).stdout).toContain(`answer did not start: ${REASON}.`);
    const shown = await daemon.cli('delivery', 'show', id, '--explain');
    expect(shown.stdout).toContain('answer: not started: too many runs for the same subject');
    expect(daemon.output()).toContain('loop guard held back runs');
    const alert = await eventually(async () => {
      const { body } = await daemon.api('/alerts?state=open&rule=loopGuard');
      return body.data[0];
    }, 40_000);
    expect(alert).toMatchObject({
      object: { name: 'answer' },
      summary: '1 delivery about github acme/shop 12 did not start it.',
    });
  });

  it('is started for another issue', { tags: ['full', 'continues'] }, async () => {
    await openIssue(13);
    await eventually(async () => (await listRuns()).length === 20, 40_000);
    expect((await isStopped()).event).toBe('issue_comment.created');
  });

  it('is started as often as the configuration allows, after a reload', { tags: 'full' }, async () => {
    appendFileSync(join(daemon.dataDir, 'dockbell.yaml'), 'limits: { loopGuardRuns: 3, loopGuardWindow: 1h }\n');
    expect((await daemon.cli('reload')).stdout).toBe('Applied: limits.loopGuardRuns, limits.loopGuardWindow\n');
    const before = (await listRuns()).length;
    await openIssue(14);
    const { id } = await eventually(async () => {
      const newest = await isStopped();
      return (await listRuns()).length === before + 3 && newest;
    }, 40_000);
    const { body } = await daemon.api(`/deliveries/${id}/explain`);
    expect(body.decisions[0].message).toBe(
      'it has had 3 runs for github acme/shop 14 within 60 minutes, the limit of the loop guard',
    );
  });

  it('is not started after a restart either, unless a person replays the event', {
    tags: ['full', 'continues'],
  }, async () => {
    const before = (await listRuns()).length;
    await daemon.end('SIGTERM');
    await start(daemon.dataDir);
    await openIssue(12);
    const { id, event } = await isStopped();
    expect(event).toBe('issues.opened');
    expect(await listRuns()).toHaveLength(before);
    expect((await daemon.cli('delivery', 'replay', id)).code).toBe(0);
    await eventually(async () => (await listRuns()).length === before + 1, 40_000);
    expect((await isStopped()).event).toBe('issue_comment.created');
    expect(await listRuns()).toHaveLength(before + 1);
  });
});
