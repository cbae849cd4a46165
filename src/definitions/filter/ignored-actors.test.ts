import { expect, it } from 'vitest';
import { compileFilters } from './evaluate-filters.ts';
import { ListenerIndex } from './listeners/listener-index.ts';

const bot = {
  headers: { 'x-github-event': 'issues' },
  payload: { action: 'opened', sender: { login: 'Bot[bot]', id: 7 } },
};
const ann = { ...bot, payload: { action: 'opened', sender: { login: 'ann', id: 8 } } };
const trigger = { provider: 'github', event: 'issue_created', filter: {} };

it.each([
  ['a provider trigger', { trigger }],
  ['a webhook trigger with a filter', { payload: { action: ['opened'] } }],
  ['a webhook trigger without filter', {}],
])('excludes ignored accounts from %s, by login or ID', (_, filter) => {
  for (const actors of [['@bot[bot]'], ['7']]) {
    const filters = [{ ...filter, ignored: { provider: 'github', actors } }];
    const index = new ListenerIndex();
    index.add({ automation: 'a', version: 1, enabled: true, filters });
    expect([index.match(bot).length, index.match(ann).length]).toEqual([0, 1]);
    expect(compileFilters(filters).decide(bot)).toMatchObject({
      outcome: 'filtered',
      decidedBy: { path: 'ignoreActors', operator: 'not_in', message: expect.stringMatching(/ignoreActors excludes/) },
    });
    expect(compileFilters(filters).decide(ann).outcome).toBe('matched');
  }
});

it('ignores events of the own app of Slack, and no others', () => {
  const filters = [{ trigger: { provider: 'slack', event: 'app_mention', filter: {} } }];
  const mention = (app?: string) => ({
    headers: {},
    payload: { api_app_id: 'A1', event: { type: 'app_mention', bot_profile: { app_id: app } } },
  });
  expect(compileFilters(filters).decide(mention('A1'))).toMatchObject({
    outcome: 'filtered',
    decidedBy: { path: 'ignoreActors', message: 'the delivery has the app of the webhook as its author' },
  });
  expect([mention('A2'), mention()].map((one) => compileFilters(filters).matches(one))).toEqual([true, true]);
});
