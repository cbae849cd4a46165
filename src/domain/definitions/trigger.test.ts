import { describe, expect, it } from 'vitest';
import { type Listening, triggerFilters, triggerFiltersByWebhook } from './trigger.ts';

const LISTENING: Listening = {
  triggers: [
    { provider: 'webhook', payload: { level: ['fatal'] } },
    {
      provider: 'github',
      declared: { provider: 'github', event: 'push', filter: { branches: ['main'] } },
      repositories: ['acme/site'],
      accounts: { c: { provider: 'github', ignoreActors: ['bot'] } },
    },
    { provider: 'webhook', payload: null },
  ],
  listensTo: [['a', 'b'], ['c'], ['b']],
};

const PUSH = {
  trigger: { provider: 'github', event: 'push', filter: { branches: ['main'] }, repositories: ['acme/site'] },
};

describe('triggerFilters', () => {
  it('lists the filters of the triggers that listen to the webhook, with {} for a trigger without filter', () => {
    expect(triggerFilters(LISTENING, 'a')).toEqual([{ payload: { level: ['fatal'] } }]);
    expect(triggerFilters(LISTENING, 'b')).toEqual([{ payload: { level: ['fatal'] } }, {}]);
  });

  it('is empty for a webhook that no trigger listens to', () => {
    expect(triggerFilters(LISTENING, 'd')).toEqual([]);
  });

  it('describes a trigger of a provider, with what the factory and the webhook say about it', () => {
    expect(triggerFilters(LISTENING, 'c')).toEqual([{ ...PUSH, ignored: { provider: 'github', actors: ['bot'] } }]);
  });

  it('returns every trigger if no webhook is named, without what webhooks say', () => {
    expect(triggerFilters(LISTENING, null)).toEqual([{ payload: { level: ['fatal'] } }, PUSH, {}]);
  });

  it('returns nothing for a trigger of a provider that has no event', () => {
    const broken = { triggers: [{ provider: 'github', declared: { provider: 'github' } }], listensTo: [['a']] };
    expect(triggerFilters(broken, 'a')).toEqual([]);
  });

  it('is the same for each webhook in triggerFiltersByWebhook', () => {
    expect(triggerFiltersByWebhook(LISTENING)).toEqual(
      new Map([
        ['a', triggerFilters(LISTENING, 'a')],
        ['b', triggerFilters(LISTENING, 'b')],
        ['c', triggerFilters(LISTENING, 'c')],
      ]),
    );
  });
});
