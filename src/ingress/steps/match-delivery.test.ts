import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createIdSource } from '../../core/ids.ts';
import type { Listener, ListenerResult, LiveWebhook } from '../../registry/live-webhook.ts';
import { matchDelivery } from './match-delivery.ts';

const ids = createIdSource(randomBytes);
const listener = (automation: string, result: ListenerResult): Listener => ({
  automation,
  version: 7,
  decide: () => result,
});
const match = (listeners: Listener[]) => matchDelivery({ listeners } as unknown as LiveWebhook, {}, ids, 1_000);

const MATCHED: ListenerResult = { fires: true, message: 'all filter conditions matched' };
const FILTERED: ListenerResult = {
  fires: false,
  outcome: 'filtered',
  path: 'a.b',
  expected: ['x'],
  actual: 'y',
  message: 'a.b is not x',
};

describe('a delivery before the automations of its webhook', () => {
  it('starts nothing where nobody listens', () => {
    expect(match([])).toEqual({ decisions: [], omitted: null, runs: [] });
  });

  it('starts one run for each automation that fires, and keeps why the others do not', () => {
    const { decisions, runs } = match([
      listener('first', MATCHED),
      listener('second', FILTERED),
      listener('third', MATCHED),
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
    expect(decisions[0]).toMatchObject({ path: null, message: 'all filter conditions matched' });
    expect(decisions[1]).toMatchObject({ path: 'a.b', expected: ['x'], actual: 'y', message: 'a.b is not x' });
  });

  it('stores 200 decisions without a run, errors first, and counts the others', () => {
    const disabled: ListenerResult = { ...FILTERED, outcome: 'disabled' };
    const failing: ListenerResult = { ...FILTERED, outcome: 'filter_error' };
    const results: ListenerResult[] = Array.from({ length: 5000 }, (_, index) =>
      index % 100 === 0 ? MATCHED : index % 100 === 1 ? failing : index % 2 === 0 ? FILTERED : disabled,
    );
    const { decisions, omitted, runs } = match(results.map((result, index) => listener(`a${index}`, result)));
    const count = (outcome: string) => decisions.filter((decision) => decision.outcome === outcome).length;
    expect(runs).toHaveLength(50);
    expect([count('started'), count('filter_error'), count('filtered') + count('disabled')]).toEqual([50, 50, 150]);
    expect(omitted).toEqual({
      filtered: 2450 - count('filtered'),
      disabled: 2450 - count('disabled'),
      filter_error: 0,
    });
    expect(decisions.slice(0, 3).map(({ automation }) => automation)).toEqual(['a0', 'a1', 'a2']);
    expect(Buffer.byteLength(JSON.stringify(decisions))).toBeLessThan(40_000);
  });

  it('also counts filter errors beyond the limit', () => {
    const failing: ListenerResult = { ...FILTERED, outcome: 'filter_error' };
    const { decisions, omitted } = match([...Array(201).fill(listener('e', failing)), listener('f', FILTERED)]);
    expect(decisions).toHaveLength(200);
    expect(omitted).toEqual({ filtered: 1, disabled: 0, filter_error: 1 });
  });
});
