import { describe, expect, it } from 'vitest';
import { type Listening, triggerFilters, triggerFiltersByWebhook } from './trigger.ts';

const LISTENING: Listening = {
  triggers: [
    { provider: 'webhook', payload: { level: ['fatal'] } },
    { provider: 'github' },
    { provider: 'webhook', payload: null },
  ],
  listensTo: [['a', 'b'], [], ['b']],
};

describe('triggerFilters', () => {
  it('lists the filters of the triggers that listen to the webhook, with {} for a trigger without filter', () => {
    expect(triggerFilters(LISTENING, 'a')).toEqual([{ payload: { level: ['fatal'] } }]);
    expect(triggerFilters(LISTENING, 'b')).toEqual([{ payload: { level: ['fatal'] } }, {}]);
  });

  it('is empty for a webhook that no trigger listens to', () => {
    expect(triggerFilters(LISTENING, 'c')).toEqual([]);
  });

  it('returns every webhook trigger if no webhook is named, and never a trigger of another provider', () => {
    expect(triggerFilters(LISTENING, null)).toEqual([{ payload: { level: ['fatal'] } }, {}]);
  });

  it('is the same for each webhook in triggerFiltersByWebhook', () => {
    expect(triggerFiltersByWebhook(LISTENING)).toEqual(
      new Map([
        ['a', triggerFilters(LISTENING, 'a')],
        ['b', triggerFilters(LISTENING, 'b')],
      ]),
    );
  });
});
