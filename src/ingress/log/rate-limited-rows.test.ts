import { beforeEach, describe, expect, it } from 'vitest';
import type { RejectionEntry } from '../../domain/resources/delivery.ts';
import { RateLimitedRows } from './rate-limited-rows.ts';

const MINUTE_MS = 60_000;

let written: RejectionEntry[];
let nowMs: number;
let timers: { delayMs: number; callback: () => void }[];
let rows: RateLimitedRows;

beforeEach(() => {
  written = [];
  nowMs = 10 * MINUTE_MS + 20_000;
  timers = [];
  rows = new RateLimitedRows({
    write: (row) => written.push(row),
    ids: { deliveryId: (at) => `dlv_${at}` },
    clock: { wallMs: () => nowMs },
    schedule: (delayMs, callback) => {
      timers.push({ delayMs, callback });
      return () => {};
    },
  });
});

const add = (webhook: number, clientAddress = '192.0.2.1', id: string | null = null) =>
  rows.add({ webhook, clientAddress, revision: 'c1', readDeliveryId: () => id });

const summarize = () => written.map(({ webhook, count, receivedAt }) => [webhook, count, receivedAt]);

describe('the rows of rate-limited requests', () => {
  it('are written when their minute ends, one for each webhook', () => {
    add(1);
    nowMs += 10_000;
    add(2);
    add(1);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([40_001]);
    rows.flush();
    expect(written).toEqual([]);
    nowMs = 11 * MINUTE_MS + 1;
    timers[0]!.callback();
    const endMs = 11 * MINUTE_MS - 1;
    expect(summarize()).toEqual([
      [1, 2, endMs],
      [2, 1, endMs],
    ]);
    expect(written[1]).toMatchObject({
      id: `dlv_${endMs}`,
      label: null,
      detail: '1 request was rate limited between 00:10 and 00:11 UTC, from 192.0.2.1.',
    });
    expect(timers).toHaveLength(1);
    rows.flush(true);
    expect(written).toHaveLength(2);
  });

  it('are written also if the timer is late or early', () => {
    add(1);
    nowMs = 11 * MINUTE_MS - 1;
    timers[0]!.callback();
    expect([written.length, timers.length]).toEqual([0, 2]);
    nowMs = 11 * MINUTE_MS + 500;
    add(1);
    expect(summarize()).toEqual([[1, 1, 11 * MINUTE_MS - 1]]);
    rows.flush(true);
    expect(summarize()[1]).toEqual([1, 1, nowMs]);
  });

  it('name five client addresses and hold 100 delivery IDs, for any number of requests', () => {
    for (let n = 0; n < 1_000; n++) add(1, `192.0.2.${n % 50}`, `id-${n}`);
    rows.flush(true);
    const [{ count, deliveryIds, detail, clientAddress }] = written as [RejectionEntry];
    expect([count, deliveryIds?.length, deliveryIds?.[99]]).toEqual([1_000, 100, 'id-99']);
    expect(detail).toMatch(/, from 192\.0\.2\.0 \(20\), (.* \(20\), ){4}others \(900\)\.$/);
    expect(clientAddress).toBe('192.0.2.0');
  });
});
