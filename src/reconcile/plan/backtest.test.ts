import { describe, expect, it } from 'vitest';
import { filterOf } from '../../domain/definitions/trigger.ts';
import type { DeliveryId, WebhookUid } from '../../domain/ids.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { StoredPayloads } from '../../domain/ports/delivery-log.ts';
import { type BacktestBounds, DEFAULT_BOUNDS, runBacktest, spread } from './backtest.ts';
import type { TriggerChange } from './trigger-changes.ts';

const NOW_MS = 1_767_323_045_678;
const CI: WebhookUid = 'wh_ci';

/** Deliveries of one webhook, oldest first, one second apart; the key is the index. */
function storeOf(payloads: readonly Json[], costMs: number, headersOf: (key: number) => string | null) {
  const clock = { ms: 0 };
  const reads: number[] = [];
  const store: StoredPayloads = {
    keys: async ({ webhook, before, limit }) => {
      const keys = payloads.map((_, key) => key).reverse();
      return webhook === CI ? keys.filter((key) => before === null || key < before).slice(0, limit) : [];
    },
    read: async (keys) => {
      const taken = keys.slice(0, 3);
      reads.push(taken.length);
      clock.ms += costMs;
      return {
        taken: taken.length,
        payloads: taken.map((key) => ({ ...toStored(key, payloads[key]!), headers: headersOf(key) })),
      };
    },
  };
  return { store, clock, reads };
}

function toStored(key: number, payload: Json) {
  const id = `dlv_${key}` as DeliveryId;
  const receivedAt = NOW_MS - 1_000_000 + key * 1000;
  return { id, webhook: CI, receivedAt, body: Buffer.from(JSON.stringify(payload)) };
}

function change(before: JsonObject | null, after: JsonObject | null): TriggerChange {
  const side = (filter: JsonObject | null) => new Map(filter === null ? [] : [[CI, [filterOf({ payload: filter })]]]);
  return { automation: 'triage', before: side(before), after: side(after) };
}

interface BacktestOptions extends Partial<BacktestBounds> {
  costMs?: number;
  headersOf?: (key: number) => string | null;
}

async function backtest(
  payloads: readonly Json[],
  changes: TriggerChange[],
  { costMs = 0, headersOf = () => null, ...bounds }: BacktestOptions = {},
) {
  const { store, clock, reads } = storeOf(payloads, costMs, headersOf);
  const context = { payloads: store, nowMs: NOW_MS, monotonicMs: () => clock.ms };
  const result = await runBacktest({ ...context, bounds: { ...DEFAULT_BOUNDS, ...bounds } }, changes);
  return { ...result, reads };
}

const LEVELS = ['info', 'error', 'fatal', 'error', 'info', 'error', 'error', 'error', 'error', 'error'].map(
  (level) => ({ level }),
);

describe('runBacktest', () => {
  it('counts the starts before and after and shows the most recent lost ones, with the key that decided', async () => {
    const { backtest: result } = await backtest(LEVELS, [change({ level: ['error', 'fatal'] }, { level: ['fatal'] })]);
    const [one] = result.automations;
    expect(one).toMatchObject({
      automation: 'triage',
      examined: 10,
      before: 8,
      after: 1,
      gainedCount: 0,
      lostCount: 7,
    });
    expect(one!.lost.map(({ delivery }) => delivery)).toEqual(['dlv_9', 'dlv_8', 'dlv_7', 'dlv_6', 'dlv_5']);
    expect(one!.lost[0]).toMatchObject({ path: 'level', webhook: CI });
    expect(one!.lost[0]!.message).toContain('error');
    expect(result).toMatchObject({ stored: 10, examined: 10, until: NOW_MS, since: NOW_MS - 604_800_000 });
  });

  it('counts deliveries without a record of a tested header, which count as sent without it', async () => {
    const filter = filterOf({ headers: { 'X-Team': ['a'] }, payload: null });
    const changed = { automation: 'triage', before: new Map(), after: new Map([[CI, [filter]]]) };
    const headersOf = (key: number) => (key < 3 ? null : JSON.stringify({ 'x-team': key < 5 ? 'a' : 'b' }));
    const { backtest: result } = await backtest(LEVELS, [changed], { headersOf });
    expect(result.automations[0]).toMatchObject({ examined: 10, after: 2, unrecorded: 3 });
  });

  it('shows gained deliveries with the key that prevented the start', async () => {
    const { backtest: result } = await backtest(LEVELS, [change({ level: ['fatal'] }, { level: ['fatal', 'info'] })]);
    expect(result.automations[0]).toMatchObject({ before: 1, after: 3, gainedCount: 2, lostCount: 0 });
    expect(result.automations[0]!.gained.map(({ delivery, path }) => [delivery, path])).toEqual([
      ['dlv_4', 'level'],
      ['dlv_0', 'level'],
    ]);
  });

  it('treats a new automation as starting nothing before, and a deleted one as starting nothing after', async () => {
    const changes = [change(null, {}), change({}, null)];
    const { backtest: result } = await backtest(LEVELS, changes);
    expect(result.automations.map(({ before, after }) => [before, after])).toEqual([
      [0, 10],
      [10, 0],
    ]);
    expect(result.automations[0]!.gained[0]).toMatchObject({ path: null, message: 'no trigger started it before' });
  });

  it('examines an even sample above the limit, and reports the total number', async () => {
    const { backtest: result } = await backtest(LEVELS, [change(null, {})], { maxExamined: 4 });
    expect(result).toMatchObject({ stored: 10, examined: 4 });
    const places = result.automations[0]!.gained.map(({ delivery }) => Number(delivery.slice(4)));
    expect(places.map((place) => Math.floor((9 - place) / 3))).toEqual([0, 1, 2, 3]);
  });

  it('stops when its time has elapsed, and reports the number of examined deliveries', async () => {
    const { backtest: result, reads } = await backtest(LEVELS, [change(null, {})], { costMs: 6_000 });
    expect([result.examined, result.stored, reads]).toEqual([6, 10, [3, 3]]);
  });

  it('examines nothing if no trigger changes', async () => {
    const { backtest: result, reads } = await backtest(LEVELS, []);
    expect([result.stored, result.automations, reads]).toEqual([0, [], []]);
  });

  it('reports keys of the new filter that no payload has', async () => {
    const changes = [change({ old: ['x'] }, { level: ['error'], servce: { name: ['x'] } })];
    const { unseenKeys } = await backtest(LEVELS, changes);
    expect(unseenKeys).toEqual([{ automation: 'triage', path: ['servce', 'name'], examined: 10 }]);
  });

  it('reports no key if nothing is stored', async () => {
    expect((await backtest([], [change(null, { a: ['x'] })])).unseenKeys).toEqual([]);
  });
});

describe('spread', () => {
  it.each([0, 1, 2, 3, 10, 11, 100, 1597])('comes by every one of %i keys once', (length) => {
    const keys = Array.from({ length }, (_, key) => key);
    expect(spread(keys, 10_000).sort((a, b) => a - b)).toEqual(keys);
  });

  it('returns at most the requested number of keys', () => {
    expect(
      spread(
        Array.from({ length: 1001 }, (_, key) => key),
        100,
      ).length,
    ).toBeLessThanOrEqual(100);
  });

  it('does not follow the pattern of a sender that repeats itself', () => {
    const alternating = Array.from({ length: 1000 }, (_, key) => key);
    const unevenKeys = spread(alternating, 500).filter((key) => key % 2 === 1).length;
    expect(unevenKeys).toBeGreaterThan(150);
    expect(unevenKeys).toBeLessThan(350);
  });

  it('has keys of every tenth of the time among the first fortieth', () => {
    const first = spread(
      Array.from({ length: 1000 }, (_, key) => key),
      1000,
    ).slice(0, 25);
    expect(new Set(first.map((key) => Math.floor(key / 100))).size).toBe(10);
  });
});
