import { describe, expect, it } from 'vitest';
import { ids } from '../../../test/helpers/build-offer.ts';
import { NOW_MS, WEBHOOK_UID } from '../../../test/helpers/seeded-services.ts';
import { ListenerIndex } from '../../definitions/filter/listeners/listener-index.ts';
import type { StartedThen, StoredDelivery } from '../../domain/ports/replays.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';
import { evaluateReplay } from './evaluate-replay.ts';

const LIVE = { delivery: null, asOf: 'now', automation: null } as const;
const THEN = { ...LIVE, asOf: 'then' } as const;
const OLD: StartedThen = { automation: 'old', version: 2, concurrency: null, debounce: null, runsOn: null };

function evaluate(terms: Parameters<typeof evaluateReplay>[1], more: Partial<StoredDelivery> = {}, isLive = true) {
  const listeners = new ListenerIndex();
  listeners.apply = { number: 9, revision: 'new' };
  listeners.add({ automation: 'live', version: 7, enabled: true, filters: [{ payload: { level: ['error'] } }] });
  const webhooks = new Map(isLive ? [[WEBHOOK_UID, { ref: 1, listeners } as unknown as LiveWebhook]] : []);
  const stored: StoredDelivery = {
    id: 'dlv_a',
    webhook: { ref: 1, uid: WEBHOOK_UID, factory: 'payments' },
    receivedAt: NOW_MS,
    identity: { source: 'header', value: 'a' },
    event: null,
    summary: null,
    headers: null,
    replayOf: null,
    body: Buffer.from('{"level":"error","number":4}'),
    form: null,
    atReceipt: { applyNumber: 3, revision: 'old', started: [OLD] },
    ...more,
  };
  return evaluateReplay({ registry: { findSource: (uid) => webhooks.get(uid) }, ids, nowMs: NOW_MS }, terms, stored);
}

const atReceipt = (started: StartedThen[] | null) => ({ atReceipt: { applyNumber: 3, revision: 'old', started } });

describe('the evaluation of a replay', () => {
  it('uses the live definition, or what started when the delivery was received', () => {
    expect(evaluate(LIVE)).toMatchObject({
      match: { applyNumber: 9, revision: 'new', runs: [{ automation: 'live', version: 7 }] },
    });
    expect(evaluate(THEN)).toMatchObject({
      match: { applyNumber: 3, revision: 'old', runs: [{ automation: 'old', version: 2 }] },
    });
  });

  it.each([
    ['concurrency', { ...OLD, concurrency: { key: 'number' } }, '[4]'],
    ['debounce', { ...OLD, debounce: '30s' }, '[]'],
    ['neither', OLD, undefined],
  ])('gives runs of that time the key of their policy: %s', (_, started, key) => {
    const evaluated = evaluate(THEN, atReceipt([started]));
    expect(evaluated).toMatchObject({ match: { runs: [{ automation: 'old' }] } });
    expect('match' in evaluated && evaluated.match.runs[0]!.concurrencyKey).toBe(key);
  });

  it('starts only the automation that is named', () => {
    expect(evaluate({ ...LIVE, automation: 'old' })).toMatchObject({ match: { runs: [] } });
    expect(evaluate({ ...THEN, automation: 'live' })).toMatchObject({ match: { runs: [] } });
    expect(evaluate({ ...THEN, automation: 'old' })).toMatchObject({ match: { runs: [{ automation: 'old' }] } });
  });

  it.each([
    ['a replay that a filter found', LIVE, { replayOf: 'dlv_b' as const }, true, 'is_replay'],
    ['a webhook that is not live', LIVE, {}, false, 'webhook_unavailable'],
    ['a webhook that is not live, for the definition of that time', THEN, {}, false, 'webhook_unavailable'],
    ['runs that are removed', THEN, atReceipt(null), true, 'definition_unknown'],
    ['runs that are removed, with the live definition', LIVE, atReceipt(null), true, null],
    ['a payload that is not JSON', LIVE, { body: Buffer.from('{') }, true, 'unreadable'],
    ['a replay that is named', { ...LIVE, delivery: 'dlv_a' as const }, { replayOf: 'dlv_b' as const }, true, null],
  ])('says why it skips %s', (_, terms, more, isLive, skip) => {
    expect(evaluate(terms, more, isLive).skip).toBe(skip);
  });
});
