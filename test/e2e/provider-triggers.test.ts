import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'it is a secret of GitHub';
const automation = (triggers: string) => `---\ntriggers:\n${triggers}\n---\nDo it.\n`;
const FILES = {
  'factory.yaml': 'schemaVersion: v1alpha1\nname: payments\nrepositories: [{owner: acme, name: payments}]\n',
  'webhooks/github.yaml':
    'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_SECRET\nignoreActors: [factory-bot]\n',
  'automations/triage/automation.md': automation(
    '  - {provider: github, event: issue_labeled, filter: {labels: [factory-ready]}}\n  - {provider: github, event: issue_created}',
  ),
  'automations/merge/automation.md': automation('  - {provider: github, event: pull_request_merged}'),
  'automations/chat/automation.md': automation('  - {provider: slack, event: app_mention}'),
};

let repo: TempGitRepo;
let daemon: TestDaemon;
let url: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const runs = { executor: { type: 'command', command: ['sh', '-c', 'true'] } };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }];
  daemon = await startDaemonHere({ config: { factories } });
  await daemon.api('/secrets/GITHUB_SECRET', { method: 'PUT', body: { value: SECRET } });
  url = await eventually(async () => {
    const { body } = await daemon.api('/factories/payments/webhooks');
    const [webhook] = body.data as { uid: string }[];
    return webhook === undefined ? undefined : `${daemon.ingressUrl}/webhooks/w/${webhook.uid}`;
  });
});
afterAll(() => repo.remove());

interface Issue {
  action?: string;
  label?: string;
  labels?: string[];
  repository?: string;
  sender?: string;
}

/** Sends an event as GitHub does. Returns the decisions by automation. */
async function send(event: string, { action = 'opened', label, labels = [], repository, sender }: Issue = {}) {
  const body = JSON.stringify({
    action,
    ...(label === undefined ? {} : { label: { name: label } }),
    issue: { number: 12, labels: labels.map((name) => ({ name })), user: { login: 'ann' } },
    repository: { full_name: repository ?? 'Acme/Payments', owner: { login: 'acme' } },
    sender: { login: sender ?? 'ann', id: 1, type: 'User' },
  });
  const id = randomUUID();
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': signature };
  const response = await fetch(url, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
  const { body: found } = await daemon.api(`/factories/payments/deliveries?delivery_id=${id}`);
  const [delivery] = found.data as { id: string; event: string }[];
  const { body: shown } = await daemon.api(`/deliveries/${delivery!.id}/explain`);
  const decisions = shown.decisions as { automation: string; outcome: string; message: string }[];
  return {
    event: delivery!.event,
    outcomes: Object.fromEntries(decisions.map((one) => [one.automation, one.outcome])),
    started: decisions.filter(({ outcome }) => outcome === 'started').map((one) => one.automation),
    messages: Object.fromEntries(decisions.map((one) => [one.automation, one.message])),
  };
}

it('starts the automations of an event of GitHub, and names the key that decided for others', async () => {
  expect(await send('issues', { action: 'labeled', label: 'Factory-Ready' })).toMatchObject({
    event: 'issues.labeled',
    started: ['triage'],
  });
  const other = await send('issues', { action: 'labeled', label: 'bug', labels: ['factory-ready'] });
  expect(other.started).toEqual([]);
  expect(other.messages).toEqual({
    triage: 'labels expected "factory-ready", the added label is "bug"',
    merge: expect.stringMatching(/^the delivery is not the event pull_request\.closed of github pull_request_merged/),
  });
});

it('starts nothing for other repositories, for ignored accounts, and for events that no trigger has', {
  tags: 'full',
}, async () => {
  expect((await send('issues')).started).toEqual(['triage']);
  expect((await send('issues', { repository: 'acme/site' })).messages.triage).toMatch(
    /^repos expected "acme\/payments"/,
  );
  const ignored = await send('issues', { sender: 'Factory-Bot' });
  expect([ignored.outcomes.triage, ignored.messages.triage]).toEqual([
    'ignored_actor',
    expect.stringMatching(/^ignoreActors excludes "factory-bot"/),
  ]);
  expect((await send('ping')).started).toEqual([]);
});

it('lists which automations have a filter, also of provider triggers', async () => {
  const { data } = JSON.parse((await daemon.cli('automation', 'list', '--json')).stdout);
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['chat', 'merge', 'triage']);
  const [header = '', ...rows] = (await daemon.cli('automation', 'list')).stdout.trimEnd().split('\n');
  const column = header.indexOf('FILTER');
  expect(rows.map((row) => row.slice(column).split(' ', 1)[0])).toEqual(['no', 'no', 'yes']);
});

it('shows which webhook serves each trigger, and what is missing', async () => {
  const cli = await daemon.cli('automation', 'show', 'triage');
  expect(cli.stdout).toContain('event X-GitHub-Event: issues, action labeled');
  expect(cli.stdout).toContain('served by github');
  const chat = await daemon.cli('automation', 'show', 'chat');
  expect(chat.stdout).toContain('The trigger slack app_mention cannot start here: no webhook serves it.');
  const why = await daemon.cli('why', 'chat');
  expect(why.stdout).toContain('no webhook serves it');
});
