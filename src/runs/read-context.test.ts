import { describe, expect, it } from 'vitest';
import { makeRunInput } from '../../test/helpers/command-runs.ts';
import type { DeliveryFilter } from '../domain/definitions/trigger.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Serves } from '../domain/resources/webhook.ts';
import type { RunContext } from '../domain/runs/run-context.ts';
import { readRunContext } from './read-context.ts';

const SHA = '6113728f27ae82c7b1a177c8d03f9e96e0adf246';

interface Delivered {
  headers?: { [name: string]: string };
  filters?: DeliveryFilter[];
}

function read(scheme: string | null, payload: Json, { headers = {}, filters = [] }: Delivered = {}): RunContext {
  const origin = { webhook: { serves: null, signatureScheme: scheme }, headers, filters };
  return readRunContext(makeRunInput({ origin, payload: Buffer.from(JSON.stringify(payload)) }));
}

const github = (event: string, payload: JsonObject, filters: DeliveryFilter[] = []) =>
  read('github', payload, { headers: { 'x-github-event': event }, filters });

const trigger = (event: string, filter: JsonObject = {}): DeliveryFilter => ({
  trigger: { provider: 'github', event, filter },
});

const repository = { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' };
const sender = { login: 'ann', id: 7 };
const issue = { number: 12, html_url: 'https://github.com/acme/shop/issues/12' };
const labeled = { action: 'labeled', label: { name: 'bug' }, issue, repository, sender };

describe('the context of a delivery of GitHub', () => {
  it('has the issue, who labeled it, and the event of the trigger that matched', () => {
    expect(github('issues', labeled, [trigger('issue_labeled')])).toEqual({
      provider: 'github',
      event: 'issue_labeled',
      events: ['issue_labeled'],
      provider_event: 'issues.labeled',
      repository: 'acme/shop',
      number: 12,
      url: 'https://github.com/acme/shop/issues/12',
      actor: 'ann',
    });
  });

  it('names the trigger that matched first in the file, and all that matched', () => {
    const body = { ...labeled, action: 'opened', issue: { ...issue, body: '@ann, please', user: { type: 'User' } } };
    const filters = [
      {},
      trigger('issue_labeled'),
      trigger('issue_mentioned'),
      trigger('issue_created', { labels: ['other'] }),
      trigger('issue_created'),
      trigger('issue_created', {}),
    ];
    expect(github('issues', body, filters)).toMatchObject({
      event: 'issue_mentioned',
      events: ['issue_mentioned', 'issue_created'],
    });
  });

  it('has no event of a trigger if only a webhook trigger matched', () => {
    const context = github('issues', labeled, [{}]);
    expect(context).toMatchObject({ provider: 'github', provider_event: 'issues.labeled', number: 12 });
    expect(Object.keys(context)).not.toEqual(expect.arrayContaining(['event']));
  });

  const pullRequest = { number: 3, html_url: 'https://github.com/acme/shop/pull/3', head: { sha: SHA } };
  it.each<[string, string, JsonObject, RunContext]>([
    [
      'a pull request',
      'pull_request',
      { pull_request: pullRequest },
      { number: 3, url: pullRequest.html_url, commit: SHA },
    ],
    [
      'a comment',
      'issue_comment',
      { issue, comment: { html_url: `${issue.html_url}#issuecomment-1` } },
      { number: 12, url: `${issue.html_url}#issuecomment-1` },
    ],
    [
      'a review',
      'pull_request_review',
      { pull_request: pullRequest, review: { html_url: `${pullRequest.html_url}#r1` } },
      { number: 3, url: `${pullRequest.html_url}#r1`, commit: SHA },
    ],
    [
      'a push',
      'push',
      { after: SHA, compare: 'https://github.com/acme/shop/compare/a...b' },
      { url: 'https://github.com/acme/shop/compare/a...b', commit: SHA },
    ],
    ['a deleted branch', 'push', { after: '0'.repeat(40) }, {}],
    [
      'a check suite, which has no page',
      'check_suite',
      { check_suite: { head_sha: SHA, pull_requests: [{ number: 5 }, { number: 6 }] } },
      { number: 5, url: `https://github.com/acme/shop/commit/${SHA}`, commit: SHA },
    ],
    [
      'a workflow run of a fork',
      'workflow_run',
      { workflow_run: { head_sha: SHA, pull_requests: [], html_url: 'https://github.com/acme/shop/actions/runs/9' } },
      { url: 'https://github.com/acme/shop/actions/runs/9', commit: SHA },
    ],
  ])('has what %s is about', (_, event, payload, about) => {
    const known = { provider: 'github', provider_event: event, repository: 'acme/shop', actor: 'ann' };
    expect(github(event, { ...payload, repository, sender })).toEqual({ ...known, ...about });
  });
});

describe('the context of a delivery of other providers', () => {
  const azure = (payload: JsonObject) =>
    readRunContext({
      origin: { webhook: { serves: 'azure_devops', signatureScheme: null }, headers: {}, filters: [] },
      payload: Buffer.from(JSON.stringify(payload)),
    });

  it('azure_devops has the pull request of a comment, and the work item of an update', () => {
    const pullRequest = {
      pullRequestId: 5,
      repository: { name: 'shop', project: { name: 'Web' } },
      lastMergeSourceCommit: { commitId: SHA },
    };
    const comment = { author: { uniqueName: 'ann@example.com', displayName: 'Ann' } };
    const eventType = 'ms.vss-code.git-pullrequest-comment-event';
    expect(azure({ eventType, resource: { comment, pullRequest } })).toEqual({
      provider: 'azure_devops',
      provider_event: eventType,
      repository: 'Web/shop',
      number: 5,
      actor: 'ann@example.com',
      commit: SHA,
    });
    const fields = { 'System.ChangedBy': 'Ann <ann@example.com>' };
    expect(azure({ eventType: 'workitem.updated', resource: { id: 3, workItemId: 77, revision: { fields } } })).toEqual(
      {
        provider: 'azure_devops',
        provider_event: 'workitem.updated',
        number: 77,
        actor: 'ann@example.com',
      },
    );
  });

  it.each<[string, Json, Delivered['headers'], RunContext]>([
    [
      'gitlab',
      {
        project: { path_with_namespace: 'acme/web/shop' },
        user: { username: 'ann' },
        object_attributes: {
          iid: 4,
          url: 'https://gitlab.com/acme/web/shop/-/merge_requests/4',
          last_commit: { id: SHA },
        },
      },
      { 'x-gitlab-event': 'Merge Request Hook' },
      {
        provider_event: 'Merge Request Hook',
        repository: 'acme/web/shop',
        number: 4,
        url: 'https://gitlab.com/acme/web/shop/-/merge_requests/4',
        actor: 'ann',
        commit: SHA,
      },
    ],
    [
      'gitlab',
      {
        project: { path_with_namespace: 'acme/shop' },
        user: { username: 'ann' },
        object_attributes: { id: 99, url: 'https://gitlab.com/acme/shop/-/issues/8#note_99' },
        issue: { iid: 8 },
      },
      { 'x-gitlab-event': 'Note Hook' },
      {
        provider_event: 'Note Hook',
        repository: 'acme/shop',
        number: 8,
        url: 'https://gitlab.com/acme/shop/-/issues/8#note_99',
        actor: 'ann',
      },
    ],
    [
      'linear',
      {
        type: 'Issue',
        action: 'update',
        url: 'https://linear.app/acme/issue/ENG-12',
        data: { identifier: 'ENG-12' },
        actor: { id: 'u1', name: 'Ann' },
      },
      {},
      { provider_event: 'Issue.update', number: 'ENG-12', url: 'https://linear.app/acme/issue/ENG-12', actor: 'Ann' },
    ],
    [
      'linear',
      {
        type: 'AgentSessionEvent',
        action: 'created',
        agentSession: { url: 'https://linear.app/s/1', issue: { identifier: 'ENG-3' }, creatorId: 'u1' },
      },
      {},
      { provider_event: 'AgentSessionEvent.created', number: 'ENG-3', url: 'https://linear.app/s/1', actor: 'u1' },
    ],
    [
      'jira',
      {
        webhookEvent: 'jira:issue_updated',
        issue: { key: 'ENG-12', self: 'https://acme.atlassian.net/rest/api/2/issue/10002' },
        user: { displayName: 'Ann Ng', accountId: '5b10' },
      },
      {},
      {
        provider_event: 'jira:issue_updated',
        number: 'ENG-12',
        url: 'https://acme.atlassian.net/browse/ENG-12',
        actor: 'Ann Ng',
      },
    ],
    [
      'slack',
      {
        type: 'event_callback',
        event: { type: 'app_mention', channel: 'C1', ts: '17.2', thread_ts: '17.1', user: 'U1' },
      },
      {},
      { provider_event: 'app_mention', number: 'C1/17.1', actor: 'U1' },
    ],
    [
      'slack',
      { event: { type: 'reaction_added', item: { type: 'message', channel: 'C1', ts: '17.1' }, user: 'U1' } },
      {},
      { provider_event: 'reaction_added', number: 'C1/17.1', actor: 'U1' },
    ],
  ])('%s %#', (provider, payload, headers, context) => {
    expect(read(provider, payload, { headers })).toEqual({ provider, ...context });
  });
});

describe('values that a sender chose', () => {
  const withIssue = (changes: JsonObject, more: JsonObject = {}) =>
    github('issues', { ...labeled, issue: { ...issue, ...changes }, ...more });

  it.each<[string, Json]>([
    ['a script', 'javascript:alert(1)'],
    ['plain http', 'http://github.com/acme/shop'],
    ['a host behind a user', 'https://github.com@example.com/'],
    ['a list', ['https://github.com/']],
    ['a long URL', `https://github.com/${'a'.repeat(500)}`],
  ])('have no URL that is %s', (_, html_url) => {
    expect(withIssue({ html_url })).not.toHaveProperty('url');
  });

  it('have a URL without spaces and line breaks', () => {
    expect(withIssue({ html_url: 'https://github.com/a\n# New orders' }).url).toBe(
      'https://github.com/a#%20New%20orders',
    );
  });

  it.each<[string, Json]>([
    ['an object', { a: 1 }],
    ['a fraction', 1.5],
    ['more than a number can hold', 1e300],
    ['true', true],
    ['empty', ''],
  ])('have no number that is %s', (_, number) => {
    expect(withIssue({ number })).not.toHaveProperty('number');
  });

  it.each<[string, Json]>([
    ['an option of git', '--upload-pack=touch'],
    ['a branch', 'main'],
    ['short', SHA.slice(0, 12)],
  ])('have no commit that is %s', (_, sha) => {
    expect(withIssue({}, { pull_request: { head: { sha } } })).not.toHaveProperty('commit');
  });

  it('are one line, and as the provider wrote them otherwise', () => {
    expect(withIssue({}, { sender: { login: 'ann\n# Orders\u202e\0' } }).actor).toBe('ann\\n# Orders\\u{202e}\\x00');
    expect(withIssue({}, { sender: { login: 'CORP\\ann `x`' } }).actor).toBe('CORP\\ann `x`');
  });

  it('are omitted if they are longer than 512 characters', () => {
    expect(withIssue({}, { sender: { login: 'a'.repeat(512) } }).actor).toHaveLength(512);
    expect(withIssue({}, { sender: { login: 'a'.repeat(513) } })).not.toHaveProperty('actor');
    expect(withIssue({}, { sender: { login: '\u202e'.repeat(300) } })).not.toHaveProperty('actor');
  });

  it.each<[string, string | null, Json]>([
    ['a webhook that serves no provider', 'stripe', labeled],
    ['a webhook without a scheme', null, labeled],
    ['a payload that is no object', 'github', [labeled]],
  ])('are absent for %s', (_, scheme, payload) => {
    expect(read(scheme, payload, { filters: [trigger('issue_labeled')] })).toEqual({});
  });

  it('are read if the file names a provider, and absent if it names none', () => {
    const input = (serves: Serves, signatureScheme: string | null) => ({
      origin: { webhook: { serves, signatureScheme }, headers: {}, filters: [] },
      payload: Buffer.from(JSON.stringify(labeled)),
    });
    expect(readRunContext(input('github', null))).toMatchObject({ provider: 'github', number: 12 });
    expect(readRunContext(input('none', 'github'))).toEqual({});
    expect(readRunContext(input('schedule' as Serves, null))).toEqual({ provider: 'schedule', event: 'cron_fired' });
  });

  it('are absent if the payload is no JSON', () => {
    const origin = { webhook: { serves: null, signatureScheme: 'github' }, headers: {}, filters: [] };
    expect(readRunContext(makeRunInput({ origin, payload: Buffer.from('{') }))).toEqual({});
  });
});
