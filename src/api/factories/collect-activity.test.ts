import { describe, expect, it } from 'vitest';
import { WEBHOOK_UID } from '../../../test/helpers/seeded-services.ts';
import { type ActivityReader, type ActivitySpan, HOUR_MS } from '../../domain/ports/delivery-log.ts';
import { collectActivity } from './collect-activity.ts';

const SPAN = { factory: 'payments', fromAt: 10 * HOUR_MS, untilAt: 60 * HOUR_MS };

function createReader(asked: ActivitySpan[]): ActivityReader {
  return {
    deliveries: async (span) => {
      asked.push(span);
      return [{ webhook: WEBHOOK_UID, hourAt: span.untilAt - HOUR_MS, label: 'Duplicate', count: 3 }];
    },
    runs: async (span) => [{ hourAt: span.fromAt, state: 'failed', count: 2 }],
  };
}

describe('the activity of a factory', () => {
  it('is asked for a day at a time and put together hour by hour', async () => {
    const asked: ActivitySpan[] = [];
    const { hours, byWebhook } = await collectActivity(createReader(asked), SPAN);
    expect(asked.map(({ fromAt, untilAt }) => [fromAt / HOUR_MS, untilAt / HOUR_MS])).toEqual([
      [10, 34],
      [34, 58],
      [58, 60],
    ]);
    expect(hours.map(({ startAt }) => startAt / HOUR_MS)).toEqual(Array.from({ length: 50 }, (_, index) => 10 + index));
    const busy = (pick: (hour: (typeof hours)[number]) => number) =>
      hours.flatMap((hour, index) => (pick(hour) > 0 ? [index] : []));
    expect(busy(({ deliveries }) => deliveries.Duplicate)).toEqual([23, 47, 49]);
    expect(busy(({ runs }) => runs.failed)).toEqual([0, 24, 48]);
    expect(hours[23]!.deliveries).toEqual({
      Accepted: 0,
      Duplicate: 3,
      'Rejected (auth)': 0,
      'Rejected (invalid JSON)': 0,
      'Rejected (too large)': 0,
    });
    expect(byWebhook.get(WEBHOOK_UID)).toHaveLength(50);
    expect(byWebhook.get(WEBHOOK_UID)![23]).toBe(3);
  });
});
