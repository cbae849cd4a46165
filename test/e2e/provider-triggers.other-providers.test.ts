import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { eventually } from '../helpers/eventually.ts';
import { findProviderDelivery, mergePatch } from '../helpers/provider-events.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = Buffer.from('a secret of all the providers').toString('base64');
/** Azure DevOps has a user and a password. */
const SECRETS = { SHARED: SECRET, BASIC: `dockbell:${SECRET}` };

const sign = (body: string, encoding: 'hex' | 'base64', key: string | Buffer = SECRET) =>
  createHmac('sha256', key).update(body).digest(encoding);

interface ProviderCase {
  provider: string;
  /** Of the trigger, without its filter. */
  event: string;
  filter: string;
  /** A payload of `test/vectors/provider-events/`. */
  payload: string;
  change?: JsonObject;
  /** The headers that prove who sent the body. */
  authenticate: (body: string) => { [name: string]: string };
  status: number;
  answer?: JsonObject;
  /** Keys of the webhook, in addition to those of all webhooks. Default: its secret. */
  keys?: string;
  /** What the provider calls the event, in the delivery log and in the run. */
  providerEvent: string;
  /** What `automation show` says about the event. */
  described: string;
  context: JsonObject;
  actor: string;
}

const CASES: ProviderCase[] = [
  {
    provider: 'gitlab',
    event: 'merge_request',
    filter: '{repos: [gitlabhq/gitlab-test], actions: [opened], base_branches: [master]}',
    payload: 'merge_request.open',
    authenticate: () => ({ 'X-Gitlab-Token': SECRET, 'Idempotency-Key': randomUUID() }),
    status: 202,
    providerEvent: 'Merge Request Hook',
    described: 'X-Gitlab-Event: Merge Request Hook',
    context: { repository: 'gitlabhq/gitlab-test', number: 1, commit: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7' },
    actor: 'user1',
  },
  {
    provider: 'linear',
    event: 'issue_labeled',
    filter: '{teams: [ENG], labels: [Agent]}',
    payload: 'Issue.update: a label',
    // The signature is valid for hours, not for years.
    change: { webhookTimestamp: Date.now() },
    authenticate: (body) => ({ 'Linear-Signature': sign(body, 'hex'), 'Linear-Delivery': randomUUID() }),
    status: 200,
    providerEvent: 'Issue.update',
    described: 'type: Issue, action update',
    context: { number: 'ENG-12', url: 'https://linear.app/acme/issue/ENG-12/orders-are-lost' },
    actor: 'Ann Lee',
  },
  {
    provider: 'jira',
    event: 'status_changed',
    filter: "{project_keys: [SHOP], status_ids: ['3']}",
    payload: 'issue_updated: the status',
    authenticate: (body) => ({ 'X-Hub-Signature': `sha256=${sign(body, 'hex')}` }),
    status: 202,
    providerEvent: 'jira:issue_updated',
    described: 'webhookEvent: jira:issue_updated',
    context: { number: 'SHOP-12', url: 'https://acme.atlassian.net/browse/SHOP-12' },
    actor: 'Ann Lee',
  },
  {
    provider: 'slack',
    event: 'app_mention',
    filter: '{channels: [triage], keywords: [build is red]}',
    payload: 'app_mention',
    authenticate: signAsSlack,
    status: 202,
    keys: 'secretName: SHARED\nnames: {channels: {triage: C024BE91L}}\n',
    providerEvent: 'app_mention',
    described: 'event.type: app_mention',
    context: { number: 'C024BE91L/1790928000.000200' },
    actor: 'U024BE91A',
  },
  {
    provider: 'teams',
    event: 'app_mention',
    filter: "{team_ids: ['19:team@thread.tacv2'], channel_ids: ['19:triage@thread.tacv2'], keywords: [red]}",
    payload: 'message',
    authenticate: (body) => ({ Authorization: `HMAC ${sign(body, 'base64', Buffer.from(SECRET, 'base64'))}` }),
    status: 200,
    answer: { type: 'message', text: 'Received.' },
    providerEvent: 'message',
    described: 'type: message',
    context: { number: '19:triage@thread.tacv2;messageid=1790928000000' },
    actor: 'Ann Lee',
  },
  {
    provider: 'azure_devops',
    event: 'work_item_assigned',
    filter: '{work_item_types: [bug], assignees: [bo@acme.example]}',
    payload: 'workitem.updated: the assignee',
    authenticate: () => ({ Authorization: `Basic ${Buffer.from(SECRETS.BASIC).toString('base64')}` }),
    status: 202,
    keys: 'secretName: BASIC\n',
    providerEvent: 'workitem.updated',
    described: 'eventType: workitem.updated',
    context: { number: 13, url: 'https://dev.azure.com/acme/Shop/_workitems/edit/13' },
    actor: 'ann@acme.example',
  },
];

function signAsSlack(body: string): { [name: string]: string } {
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = sign(`v0:${seconds}:${body}`, 'hex');
  return { 'X-Slack-Request-Timestamp': seconds, 'X-Slack-Signature': `v0=${signature}` };
}

const FILES = Object.fromEntries(
  CASES.flatMap(({ provider, event, filter, keys = 'secretName: SHARED\n' }) => [
    [`webhooks/${provider}.yaml`, `authMode: signature\nsignatureScheme: ${provider}\n${keys}`],
    [
      `automations/on-${provider}/automation.md`,
      `---\ntriggers:\n  - {provider: ${provider}, event: ${event}, filter: ${filter}}\n---\nDo it.\n`,
    ],
  ]),
);

let repo: TempGitRepo;
let daemon: TestDaemon;
let uids: Map<string, string>;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit({ 'factory.yaml': 'schemaVersion: v1alpha1\nname: all\n', ...FILES });
  const runs = { executor: { type: 'command', command: ['sh', '-c', 'true'] } };
  const factories = [{ name: 'all', source: { type: 'repository', url: repo.path }, runs }];
  daemon = await startDaemonHere({ config: { factories } });
  for (const [name, value] of Object.entries(SECRETS)) {
    await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value } });
  }
  uids = await eventually(async () => {
    const { body } = await daemon.api('/factories/all/webhooks');
    const found = body.data as { name: string; uid: string }[];
    return found.length === CASES.length && new Map(found.map(({ name, uid }) => [name, uid]));
  });
});
afterAll(() => repo.remove());

async function post(provider: string, body: string, headers: { [name: string]: string }) {
  const response = await fetch(`${daemon.ingressUrl}/webhooks/w/${uids.get(provider)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

it.each(CASES)('starts a run for an event of $provider, and explains it', { tags: 'full' }, async (one) => {
  const { provider, event, providerEvent, described } = one;
  const { headers, body } = findProviderDelivery(provider, one.payload);
  const text = JSON.stringify(mergePatch(body, one.change ?? {}));
  const answered = await post(provider, text, { ...headers, ...one.authenticate(text) });
  expect(answered.status, answered.text).toBe(one.status);
  if (one.answer !== undefined) expect(JSON.parse(answered.text)).toEqual(one.answer);
  expect((await post(provider, text, headers)).status).toBe(401);

  const run = await eventually(async () => {
    const { body: page } = await daemon.api('/factories/all/runs');
    const runs = page.data as { id: string; automation: string; delivery: string; state: string }[];
    return runs.find(({ automation, state }) => automation === `on-${provider}` && state === 'succeeded');
  });
  const { body: input } = await daemon.api(`/runs/${run.id}/input`);
  expect(input.context).toEqual({
    provider,
    event,
    events: [event],
    provider_event: providerEvent,
    actor: one.actor,
    ...one.context,
  });

  const shown = await daemon.cli('delivery', 'show', run.delivery);
  expect(shown.stdout).toMatch(new RegExp(`Event: +${providerEvent.replaceAll('.', '\\.')}\\n`));
  const why = await daemon.cli('why', run.delivery);
  expect(why.stdout).toContain(`${provider} received ${providerEvent}.`);
  expect(why.stdout).toContain(`on-${provider}`);
  const automation = await daemon.cli('automation', 'show', `on-${provider}`);
  expect(automation.stdout).toContain(`event ${described}`);
  expect(automation.stdout).toContain(`served by ${provider}`);

  const sample = JSON.parse((await daemon.cli('delivery', 'show', run.delivery, '--as-sample')).stdout);
  expect(sample.starts).toEqual([`on-${provider}`]);
  expect(JSON.stringify(sample)).not.toContain(SECRET);
  if (provider === 'gitlab') expect(sample.headers).toMatchObject({ 'X-Gitlab-Event': providerEvent });
});

it('answers the challenge of Slack, which is no delivery', { tags: 'full' }, async () => {
  const { body } = findProviderDelivery('slack', 'url_verification');
  const text = JSON.stringify(body);
  const { status, text: answer } = await post('slack', text, signAsSlack(text));
  expect(status).toBe(200);
  expect(answer).toContain(body.challenge);
});
