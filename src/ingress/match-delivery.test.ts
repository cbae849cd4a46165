import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createIdSource } from '../core/ids.ts';
import type { Listener, LiveWebhook, Verdict } from '../registry/live-webhook.ts';
import { matchDelivery } from './match-delivery.ts';

const ids = createIdSource(randomBytes);
const listener = (automation: string, verdict: Verdict): Listener => ({
  automation,
  version: 7,
  decide: () => verdict,
});
const match = (listeners: Listener[]) => matchDelivery({ listeners } as unknown as LiveWebhook, {}, ids, 1_000);

const FILTERED: Verdict = {
  ...{ fires: false, outcome: 'filtered', path: 'a.b', expected: ['x'], actual: 'y', message: 'a.b is not x' },
};

describe('a delivery before the automations of its webhook', () => {
  it('starts nothing where nobody listens', () => {
    expect(match([])).toEqual({ decisions: [], runs: [] });
  });

  it('starts one run for each automation that fires, and keeps why the others do not', () => {
    const { decisions, runs } = match([
      listener('first', { fires: true }),
      listener('second', FILTERED),
      listener('third', { fires: true }),
    ]);
    expect(runs).toMatchObject([
      { automation: 'first', version: 7 },
      { automation: 'third', version: 7 },
    ]);
    expect(decisions.map(({ automation, outcome, run }) => [automation, outcome, run])).toEqual([
      ['first', 'started', runs[0]!.id],
      ['second', 'filtered', null],
      ['third', 'started', runs[1]!.id],
    ]);
    expect(decisions[1]).toMatchObject({ path: 'a.b', expected: ['x'], actual: 'y', message: 'a.b is not x' });
  });
});
