import { expect, it } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import { compileTrigger } from './compile-trigger.ts';
import { TRIGGER_PROVIDERS } from './providers.ts';

const compile = (
  provider: string,
  event: string,
  filter: JsonObject = {},
  context: Partial<Parameters<typeof compileTrigger>[0]> = {},
) => compileTrigger({ provider, event, filter, ...context });

const GITLAB_ACCOUNTS = TRIGGER_PROVIDERS.get('gitlab')!.actors.accounts;

/** The lists of each pattern, by key. */
const lists = (provider: string, event: string, filter: JsonObject) =>
  compile(provider, event, filter).map(({ values }) =>
    Object.fromEntries(values.map(({ key, in: included, notIn }) => [key, { in: included, notIn }])),
  );

it('requires the name of the event in a header, and the action in the payload', () => {
  expect(compile('github', 'issue_labeled')).toEqual([
    {
      event: {
        trigger: 'github issue_labeled',
        name: 'issues.labeled',
        place: ['headers', 'x-github-event'],
        value: 'issues',
      },
      headers: { 'x-github-event': ['issues'] },
      payload: { action: ['labeled'] },
      values: [],
    },
  ]);
});

it('requires the name of the event in the payload of providers without such a header', () => {
  expect(compile('slack', 'reaction_added')).toMatchObject([
    { headers: {}, payload: { event: { type: ['reaction_added'], item: { type: ['message'] } } } },
  ]);
});

it('has one pattern for each kind of delivery of the event', () => {
  const names = compile('github', 'pull_request_mentioned').map(({ event }) => event.name);
  expect(names).toEqual([
    'pull_request.opened',
    'issue_comment.created',
    'pull_request_review_comment.created',
    'pull_request_review.submitted',
  ]);
});

it('requires a mention in the text of each kind of delivery', () => {
  const texts = compile('github', 'issue_mentioned').map(({ values }) =>
    values.map(({ exists, from }) => [exists, from]),
  );
  expect(texts).toEqual([
    [[true, [{ path: 'issue.body', read: 'mentions' }]]],
    [[true, [{ path: 'comment.body', read: 'mentions' }]]],
  ]);
});

it('reads a list as "in", and imposes nothing for null and empty lists', () => {
  expect(
    lists('github', 'issue_created', { labels: ['bug'], authors: { not_in: [' ann '] }, assignees: null }),
  ).toEqual([{ labels: { in: ['bug'], notIn: null }, authors: { in: null, notIn: ['ann'] } }]);
  expect(lists('github', 'issue_created', { labels: [], authors: { in: [], not_in: null } })).toEqual([{}]);
});

it('reads "not_in" elsewhere from the place in the table', () => {
  const [pattern] = compile('github', 'issue_labeled', { labels: { in: ['bug'], not_in: ['wontfix'] } });
  expect(pattern!.values).toMatchObject([
    {
      subject: 'the added label',
      from: [{ path: 'label.name' }],
      notInFrom: [{ path: 'pull_request.labels[*].name' }, { path: 'issue.labels[*].name' }],
    },
  ]);
});

it('takes either of two keys that never hold together', () => {
  const filter = { reviewers: ['ann'], reviewer_teams: { in: ['core'], not_in: ['ops'] } };
  expect(lists('github', 'pull_request_review_requested', filter)).toEqual([
    { reviewer_teams: { in: ['core'], notIn: ['ops'] } },
    { reviewers: { in: ['ann'], notIn: null }, reviewer_teams: { in: null, notIn: ['ops'] } },
  ]);
});

it('takes an ID or its name form as one list, and excludes both', () => {
  expect(lists('linear', 'issue_created', { team_ids: ['t1'], teams: ['Core'] })).toEqual([
    { teams: { in: ['Core'], notIn: null } },
    { team_ids: { in: ['t1'], notIn: null } },
  ]);
  const excluded = { team_ids: { not_in: ['t1'] }, teams: { not_in: ['Core'] } };
  expect(lists('linear', 'issue_created', excluded)).toEqual([
    { team_ids: { in: null, notIn: ['t1'] }, teams: { in: null, notIn: ['Core'] } },
  ]);
});

it('matches the repositories of the factory if the filter names none', () => {
  const repos = (filter: JsonObject) =>
    compile('github', 'push', filter, { repositories: ['acme/web'] })[0]!.values.map(({ in: listed }) => listed);
  expect(repos({})).toContainEqual(['acme/web']);
  expect(repos({ repos: [] })).toContainEqual(['acme/web']);
  expect(repos({ repos: ['acme/api'] })).not.toContainEqual(['acme/web']);
  expect(compile('github', 'push', {}, { repositories: [] })).toEqual([]);
});

it('listens for the bot of the webhook instead of the accounts in the filter, and ignores what the bot does', () => {
  const [pattern] = compile('gitlab', 'bot_mentioned', { mentioned: ['ann'] }, { botUsername: 'dockbell' });
  expect(pattern!.values.map(({ key, in: listed, notIn }) => [key, listed, notIn])).toContainEqual([
    'mentioned',
    ['dockbell'],
    null,
  ]);
  expect(pattern!.values).toContainEqual(
    expect.objectContaining({ key: 'ignoreActors', notIn: ['dockbell'], notInFrom: GITLAB_ACCOUNTS }),
  );
});

it('ignores what the app of a Slack webhook does', () => {
  const [own] = compile('slack', 'app_mention')[0]!.values;
  expect(own).toMatchObject({
    key: 'ignoreActors',
    exists: false,
    from: TRIGGER_PROVIDERS.get('slack')!.actors.ownApp,
  });
});

it('accepts withdrawn approvals only for a filter that names the action', () => {
  const payload = (filter: JsonObject) => compile('gitlab', 'merge_request', filter)[0]!.payload;
  expect(payload({})).toEqual({
    object_kind: ['merge_request'],
    object_attributes: { action: { not_in: ['unapproved', 'unapproval'] } },
  });
  expect(payload({ actions: ['unapproved'] })).toEqual({ object_kind: ['merge_request'] });
});

it('replaces the words of the dashboard of GitLab by those of its payloads', () => {
  expect(lists('gitlab', 'merge_request', { actions: ['Opened', 'approved'] })).toEqual([
    { actions: { in: ['open', 'approved'], notIn: null } },
  ]);
});

it('strips what people write in front of IDs', () => {
  expect(lists('slack', 'app_mention', { channels: ['#C01234567'] })).toMatchObject([
    { channels: { in: ['C01234567'], notIn: null } },
  ]);
});

it('replaces names by the IDs that the webhook maps them to', () => {
  const channels = (listed: string[]) =>
    compile('slack', 'app_mention', { channels: listed }, { names: { channels: { triage: 'C01234567' } } }).map(
      ({ values }) => values.find(({ key }) => key === 'channels')!.in,
    );
  expect(channels(['#Triage', 'C09999999'])).toEqual([['C01234567', 'C09999999']]);
  expect(channels(['triage', 'ops'])).toEqual([]);
});

it('takes a team of Teams by its ID in Microsoft Graph and by that of payloads', () => {
  const names = { teams: { 'fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1': '19:a@thread.tacv2' } };
  const filter = { team_ids: ['fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1'], channel_ids: ['19:b@thread.tacv2'] };
  const [pattern] = compile('teams', 'app_mention', filter, { names });
  expect(pattern!.values.find(({ key }) => key === 'team_ids')!.in).toEqual([
    'fce9ccd5-cbc5-4e4a-9a4a-3b4ef0e1d6a1',
    '19:a@thread.tacv2',
  ]);
});

it.each([
  ['an unknown provider', 'gitea', 'push', {}],
  ['an unknown event', 'github', 'toString', {}],
  ['an unknown key', 'github', 'push', { actors: ['ann'] }],
  ['a key that no payload has', 'github', 'pull_request_opened', { paths: ['src/**'] }],
  ['a value that is no list', 'github', 'push', { branches: 'main' }],
  ['a value of another type', 'github', 'pull_request_opened', { pr_numbers: ['12'] }],
  ['a name without an ID', 'slack', 'app_mention', { channels: ['triage'] }],
  ['a mention of nobody in particular', 'gitlab', 'bot_mentioned', {}],
  ['an event that no webhook delivers', 'teams', 'message_posted', {}],
])('has no pattern for %s', (_, provider, event, filter) => {
  expect(compile(provider, event, filter)).toEqual([]);
});

it('has a pattern for every event that webhooks deliver', () => {
  for (const [provider, { events }] of TRIGGER_PROVIDERS) {
    for (const [event, { deliveries, unserved, needsName }] of Object.entries(events)) {
      const filter: JsonObject = needsName === true ? { mentioned: ['bot'] } : {};
      expect(compile(provider, event, filter), `${provider} ${event}`).toHaveLength(
        unserved === undefined ? deliveries.length : 0,
      );
    }
  }
});
