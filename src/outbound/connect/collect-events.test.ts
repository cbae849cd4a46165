import { expect, it } from 'vitest';
import type { Trigger, WebhookTrigger } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { collectEvents } from './collect-events.ts';
import { GITHUB } from './providers/github.ts';
import { GITLAB } from './providers/gitlab.ts';
import { LINEAR } from './providers/linear.ts';

const UID: WebhookUid = 'wh_0123456789abcdefghjkmnpqrs';
const TABLES = { github: GITHUB.events, gitlab: GITLAB.events, linear: LINEAR.events };

const triggerOf = (provider: string, event: string, filter: JsonObject = {}): Trigger => ({
  provider,
  declared: { provider, event, filter },
});
const webhookTrigger = (filter: Pick<WebhookTrigger, 'headers'> & { payload?: JsonObject }): WebhookTrigger => ({
  provider: 'webhook',
  event: 'received',
  webhookIds: [],
  webhooks: ['here'],
  payload: null,
  at: { line: 1, column: 1 },
  ...filter,
});

function collect(
  provider: keyof typeof TABLES,
  triggers: Trigger[],
  more: {
    enabled?: boolean;
    listensTo?: WebhookUid[];
    settings?: ('pushWebhook' | 'pullRequests')[];
  } = {},
) {
  const { enabled = true, listensTo = [UID], settings = [] } = more;
  const automation = { name: 'triage', enabled, triggers, listensTo: triggers.map(() => listensTo) };
  const webhook = { uid: UID, settings };
  return collectEvents(provider, TABLES[provider], webhook, [automation]);
}
const eventsOf = (...args: Parameters<typeof collect>) => collect(...args).events;

it('needs the provider events of each trigger event, once', () => {
  const triggers = [triggerOf('github', 'issue_mentioned'), triggerOf('github', 'issue_labeled')];
  const { events, neededBy } = collect('github', triggers);
  expect(events).toEqual(['issue_comment', 'issues']);
  expect(neededBy).toEqual([
    { event: 'issue_comment', automation: 'triage', trigger: 'github issue_mentioned' },
    { event: 'issues', automation: 'triage', trigger: 'github issue_labeled' },
    { event: 'issues', automation: 'triage', trigger: 'github issue_mentioned' },
  ]);
});

it.each([
  ['GitLab', 'gitlab', triggerOf('gitlab', 'merge_request'), ['merge_requests_events']],
  ['Linear', 'linear', triggerOf('linear', 'comment_created'), ['Comment']],
] as const)('uses the names of %s', (_, provider, trigger, events) => {
  expect(eventsOf(provider, [trigger])).toEqual(events);
});

it.each([
  ['a disabled automation', [triggerOf('github', 'push')], { enabled: false }],
  ['a trigger of another provider', [triggerOf('slack', 'app_mention')], {}],
  ['a trigger that can never start', [triggerOf('github', 'pull_request_opened', { paths: ['src/**'] })], {}],
  ['an unknown event', [triggerOf('github', 'toString')], {}],
  ['a provider that the webhook does not serve', [triggerOf('github', 'push')], { listensTo: [] }],
  ['a trigger of another webhook', [webhookTrigger({ headers: { 'X-GitHub-Event': ['push'] } })], { listensTo: [] }],
] as const)('needs nothing for %s', (_, triggers, more) => {
  expect(collect('github', [...triggers], { ...more, listensTo: 'listensTo' in more ? [] : [UID] })).toEqual({
    events: [],
    isAll: false,
    neededBy: [],
    notes: [],
  });
});

it.each([
  ['a list of the header', 'github', { headers: { 'x-GITHUB-event': ['push', 'issues'] } }, ['issues', 'push']],
  ['"in" of the header', 'github', { headers: { 'X-GitHub-Event': { in: ['push'], not_in: ['ping'] } } }, ['push']],
  ['the header of GitLab', 'gitlab', { headers: { 'X-Gitlab-Event': ['Tag Push Hook'] } }, ['tag_push_events']],
  [
    'the kind in the payload',
    'gitlab',
    { payload: { object_kind: ['note'] } },
    ['confidential_note_events', 'note_events'],
  ],
  ['the type in the payload', 'linear', { payload: { type: ['Issue'] } }, ['Issue']],
] as const)('reads %s of a webhook trigger', (_, provider, filter, events) => {
  const { isAll, ...collected } = collect(provider, [webhookTrigger(filter as object)]);
  expect([collected.events, isAll, collected.notes]).toEqual([events, false, []]);
});

it.each([
  ['no filter', {}],
  ['excluded events', { headers: { 'X-GitHub-Event': { not_in: ['ping'] } } }],
  ['another header', { headers: { 'X-Other': ['push'] } }],
])('needs all events for a webhook trigger with %s, and names the automation', (_, filter) => {
  const { events, isAll, notes } = collect('github', [webhookTrigger(filter), triggerOf('github', 'push')]);
  expect([events, isAll]).toEqual([['*'], true]);
  expect(notes).toEqual([expect.stringContaining('The automation triage has a webhook trigger that lists no values')]);
});

it('names events that the API cannot register', () => {
  const { events, notes } = collect('linear', [
    triggerOf('linear', 'agent_session_created'),
    webhookTrigger({ payload: { type: ['Nothing\u001b'] } }),
  ]);
  expect(events).toEqual([]);
  expect(notes).toEqual([
    expect.stringContaining('Linear sends AgentSessionEvent only to OAuth apps.'),
    'The event "Nothing\\u001b" cannot be registered. The automation triage needs it.',
  ]);
});

it('counts what the webhook says about accounts', () => {
  const mention = {
    ...triggerOf('gitlab', 'bot_mentioned'),
    accounts: { [UID]: { provider: 'gitlab', botUsername: 'bot' } },
  };
  expect(eventsOf('gitlab', [mention])).toEqual(['confidential_note_events', 'note_events']);
  expect(eventsOf('gitlab', [triggerOf('gitlab', 'bot_mentioned')])).toEqual([]);
});

it('needs what settings of the factory need', () => {
  const settings = ['pushWebhook' as const, 'pullRequests' as const];
  expect(collect('gitlab', [], { settings })).toMatchObject({
    events: ['merge_requests_events', 'push_events'],
    neededBy: [
      { event: 'merge_requests_events', automation: null, trigger: 'pullRequests' },
      { event: 'push_events', automation: null, trigger: 'pushWebhook' },
    ],
  });
  expect(eventsOf('linear', [], { settings })).toEqual([]);
});
